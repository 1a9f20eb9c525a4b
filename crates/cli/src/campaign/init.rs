//! `baton init`: a campaign file that runs as it is, with a simulator in Python and one in shell.

use crate::Outcome;
use crate::failure::Failure;
use clap::Args;
use std::path::PathBuf;

const FILES: [(&str, &str); 3] = [
    ("campaign.toml", include_str!("init/campaign.toml")),
    ("simulate.py", include_str!("init/simulate.py")),
    ("simulate.sh", include_str!("init/simulate.sh")),
];

/// Where to.
#[derive(Args)]
pub struct Call {
    /// The folder; made if it is missing.
    #[arg(default_value = ".")]
    folder: PathBuf,
}

/// Writes the files; none that is there is touched.
pub fn run(call: &Call) -> Result<Outcome, Failure> {
    let folder = &call.folder;
    let refuse =
        |path: &PathBuf, error: &dyn std::fmt::Display| Failure::on_file("write", path, error);
    std::fs::create_dir_all(folder).map_err(|error| refuse(folder, &error))?;
    let taken = FILES.iter().map(|(name, _)| folder.join(name)).find(|path| path.exists());
    if let Some(path) = taken {
        return Err(refuse(&path, &"it is there already")
            .hint("`baton init FOLDER` writes to another folder"));
    }
    for (name, text) in FILES {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|error| refuse(&path, &error))?;
        out!("{} written", path.display());
    }
    let file = folder.join("campaign.toml");
    out!("next: baton run {}", file.display());
    Ok(Outcome::Done)
}
