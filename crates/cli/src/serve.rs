//! `baton serve`: campaigns of a store over HTTP, and a dashboard to watch them.

use crate::Outcome;
use crate::failure::Failure;
use baton_service::{Form, Level, Options, serve};
use clap::{Args, ValueEnum};
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::PathBuf;

/// Where and how to serve.
#[derive(Args)]
pub struct Call {
    /// The address to listen at. One that other machines reach needs --token-file.
    #[arg(long, default_value = "127.0.0.1:8080", value_name = "ADDRESS:PORT")]
    bind: String,
    /// Address of the store: `sqlite:FILE.db`, made if it is missing, or `postgres://USER@HOST/DATABASE`.
    #[arg(long, default_value = "sqlite:baton.db", value_name = "URL")]
    store: String,
    /// Tokens, as `baton token add` writes them. Read again when the file changes, and on SIGHUP.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// An origin whose pages may use the API, such as `https://example.org`; may be repeated.
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,
    /// How requests are written to standard error.
    #[arg(long, value_enum, default_value = "json")]
    log: Log,
    /// From which level on.
    #[arg(long, value_enum, default_value = "info")]
    log_level: LogLevel,
}

#[derive(Clone, Copy, ValueEnum)]
enum Log {
    /// a JSON object per line
    Json,
    /// for people
    Text,
    /// not at all
    None,
}

#[derive(Clone, Copy, ValueEnum)]
enum LogLevel {
    /// what broke
    Error,
    /// and what could not be served
    Warn,
    /// and every request
    Info,
    /// and the requests of probes
    Debug,
}

/// The address of a name such as `localhost:8080`; where there are several, the first of IPv4.
fn resolved(bind: &str) -> Result<SocketAddr, Failure> {
    let refuse = |reason: String| {
        Failure::new(format!("serve at {bind}"), reason)
            .hint("an address or a name of this machine, and a port: 127.0.0.1:8080")
    };
    let found = bind.to_socket_addrs().map_err(|error| refuse(error.to_string()))?;
    let mut found: Vec<SocketAddr> = found.collect();
    found.sort_by_key(|address| !address.is_ipv4());
    found.first().copied().ok_or_else(|| refuse("the name has no address".to_owned()))
}

/// Serves until the process is asked to end.
pub fn run(call: &Call) -> Result<Outcome, Failure> {
    let options = Options {
        bind: resolved(&call.bind)?,
        store: call.store.clone(),
        token_file: call.token_file.clone(),
        origins: call.allow_origin.clone(),
        journal: match call.log {
            Log::Json => Form::Json,
            Log::Text => Form::Text,
            Log::None => Form::Quiet,
        },
        level: match call.log_level {
            LogLevel::Error => Level::Error,
            LogLevel::Warn => Level::Warn,
            LogLevel::Info => Level::Info,
            LogLevel::Debug => Level::Debug,
        },
    };
    let served = serve(options, |address| {
        out!("dashboard and API at http://{address}/ (Ctrl-C ends the service)");
    });
    served.map(|()| Outcome::Done).map_err(|error| {
        let hint = match &error {
            baton_service::Failure::Open(_) => {
                "`baton token add NAME --file tokens` makes a token; give the file with --token-file"
            }
            baton_service::Failure::Store(_) => "sqlite:FILE.db, or postgres://USER@HOST/DATABASE",
            baton_service::Failure::Tokens(_) => "`baton token add NAME --file FILE` writes what it wants",
            baton_service::Failure::Network(_) => "is the address ours, and the port free?",
            baton_service::Failure::Origin(_) => "scheme and host, without a path",
        };
        Failure::new(format!("serve at {}", call.bind), error).hint(hint)
    })
}
