//! The binary `baton`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(baton_cli::run(std::env::args_os()))
}
