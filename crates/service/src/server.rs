//! The server: its address, its start and its end.

use crate::access::Access;
use crate::api::app;
use crate::journal::{Form, Level, open as open_journal};
use crate::office::Office;
use crate::tokens::Tokens;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long requests under way may take once the service is to end.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often it is looked whether the tokens have changed.
const TOKENS_LOOKED_AT: Duration = Duration::from_secs(2);

/// Where and how to serve.
#[derive(Debug, Clone)]
pub struct Options {
    /// the address to listen at
    pub bind: SocketAddr,
    /// the address of the store
    pub store: String,
    /// a file that says who may do what; it is read again when it changes, and on SIGHUP
    pub token_file: Option<PathBuf>,
    /// origins whose pages may use the API besides our own
    pub origins: Vec<String>,
    /// in which form requests are written down
    pub journal: Form,
    /// from which level on
    pub level: Level,
}

/// Why the service could not begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Without tokens, anybody who reaches the address could write.
    #[error("{0} can be reached from other machines, and there are no tokens")]
    Open(SocketAddr),
    /// An origin that cannot be one.
    #[error("{0:?} is not an origin such as https://example.org")]
    Origin(String),
    /// The file of tokens cannot be used.
    #[error("{0}")]
    Tokens(String),
    /// The store cannot be used.
    #[error("{0}")]
    Store(String),
    /// The address cannot be listened at, or the service broke.
    #[error("{0}")]
    Network(#[from] std::io::Error),
}

/// Serves until the process is asked to end, then finishes what is under way.
///
/// # Errors
/// If the address is open to others without tokens, or something cannot be used.
pub fn serve(options: Options, listening: impl FnOnce(SocketAddr)) -> Result<(), Failure> {
    let tokens = options.token_file.as_deref().map(Tokens::read).transpose();
    let tokens = tokens.map_err(Failure::Tokens)?.unwrap_or_default();
    if tokens.is_empty() && !options.bind.ip().is_loopback() {
        return Err(Failure::Open(options.bind));
    }
    let is_origin = |origin: &&String| {
        origin.split_once("://").is_none_or(|(_, rest)| rest.is_empty() || rest.contains('/'))
    };
    if let Some(bad) = options.origins.iter().find(is_origin) {
        return Err(Failure::Origin(bad.clone()));
    }
    open_journal(options.journal, options.level);
    let access = Access::new(tokens, options.origins);
    let office = Arc::new(Office::open(&options.store, access).map_err(Failure::Store)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        tokio::spawn(keep_tokens(Arc::clone(&office), options.token_file));
        until_asked_to_end(&office, options.bind, listening).await
    });
    runtime.shutdown_timeout(PATIENCE / 4);
    office.teller.close();
    served
}

async fn until_asked_to_end(
    office: &Arc<Office>,
    bind: SocketAddr,
    listening: impl FnOnce(SocketAddr),
) -> Result<(), Failure> {
    let listener = tokio::net::TcpListener::bind(bind).await?;
    let address = listener.local_addr()?;
    tracing::info!(%address, store = office.reader.place(), "serving");
    listening(address);
    tokio::spawn(Arc::clone(&office.watch).run(Arc::clone(&office.reader)));
    let ending = {
        let office = Arc::clone(office);
        async move {
            asked_to_end().await;
            tracing::info!("ending after the requests under way");
            office.closing.send_replace(true);
        }
    };
    let serving = axum::serve(listener, app(office)).with_graceful_shutdown(ending);
    let mut closing = office.closing.subscribe();
    tokio::select! {
        served = serving.into_future() => served?,
        // A client that never ends its request does not keep the service.
        () = async { let _ = closing.wait_for(|closing| *closing).await; tokio::time::sleep(PATIENCE).await; } => {
            tracing::warn!("requests under way were given up");
        }
    }
    tracing::info!("ended");
    Ok(())
}

/// Reads the tokens again whenever their file changed, and when a SIGHUP asks for it, which without
/// this would end the process. A file that cannot be used changes nothing.
async fn keep_tokens(office: Arc<Office>, file: Option<PathBuf>) {
    let changed = |file: &PathBuf| std::fs::metadata(file).and_then(|about| about.modified()).ok();
    let mut known = file.as_ref().and_then(changed);
    let mut hangups = Hangups::new();
    loop {
        let asked = hangups.heard_within(TOKENS_LOOKED_AT).await;
        let Some(file) = &file else { continue };
        let now = changed(file);
        if now == known && !asked {
            continue;
        }
        known = now;
        match Tokens::read(file) {
            Ok(tokens) => {
                tracing::info!(tokens = tokens.all().len(), "tokens read again");
                office.access.renew(tokens);
            }
            Err(reason) => tracing::warn!(reason, "the tokens stay as they were"),
        }
    }
}

/// SIGHUPs, where there are such.
struct Hangups {
    #[cfg(unix)]
    signals: Option<tokio::signal::unix::Signal>,
}

impl Hangups {
    fn new() -> Self {
        Self {
            #[cfg(unix)]
            signals: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).ok(),
        }
    }

    /// Whether one came before the time was over.
    async fn heard_within(&mut self, time: Duration) -> bool {
        #[cfg(unix)]
        if let Some(signals) = &mut self.signals {
            return tokio::time::timeout(time, signals.recv()).await.is_ok();
        }
        tokio::time::sleep(time).await;
        false
    }
}

/// Ctrl-C, or what supervisors send.
#[cfg(unix)]
async fn asked_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminated) = signal(SignalKind::terminate()) else {
        let _ = tokio::signal::ctrl_c().await;
        return;
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminated.recv() => {}
    }
}

/// Ctrl-C.
#[cfg(not(unix))]
async fn asked_to_end() {
    let _ = tokio::signal::ctrl_c().await;
}
