//! A connection that drops: a proxy on loopback whose connections can be cut at any moment.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Stands between a store and its database.
pub struct Proxy {
    port: u16,
    open: Arc<Mutex<Vec<TcpStream>>>,
    over: Arc<AtomicBool>,
    cut: AtomicUsize,
}

impl Proxy {
    /// In front of a port of this machine.
    pub fn new(target: u16) -> Result<Self, String> {
        let listener =
            TcpListener::bind(("127.0.0.1", 0)).map_err(|error| format!("proxy: {error}"))?;
        let port = listener.local_addr().map_err(|error| error.to_string())?.port();
        let (open, over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (list, stopped) = (Arc::clone(&open), Arc::clone(&over));
        std::thread::spawn(move || {
            for incoming in listener.incoming() {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                if let Ok(near) = incoming {
                    pass(&near, target, &list);
                }
            }
        });
        Ok(Self { port, open, over, cut: AtomicUsize::new(0) })
    }

    /// Its own port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Cuts all connections, whatever is under way on them.
    pub fn cut(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        for stream in open.drain(..) {
            self.cut.fetch_add(1, Ordering::SeqCst);
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// How many ends of connections were cut.
    pub fn cuts(&self) -> usize {
        self.cut.load(Ordering::SeqCst) / 2
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        self.cut();
        let _ = TcpStream::connect(("127.0.0.1", self.port)); // wakes the listener
    }
}

/// Joins a connection with a new one to the target. If there is none, it is closed.
fn pass(near: &TcpStream, target: u16, open: &Mutex<Vec<TcpStream>>) {
    let Ok(far) = TcpStream::connect(("127.0.0.1", target)) else { return };
    for (from, to) in [(near, &far), (&far, near)] {
        let (Ok(from), Ok(to)) = (from.try_clone(), to.try_clone()) else { return };
        if let Ok(kept) = from.try_clone() {
            open.lock().unwrap_or_else(PoisonError::into_inner).push(kept);
        }
        std::thread::spawn(move || copy(from, to));
    }
}

fn copy(mut from: TcpStream, mut to: TcpStream) {
    let mut buffer = [0; 8192];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
