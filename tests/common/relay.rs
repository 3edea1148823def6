//! A TCP relay to `PostgreSQL` that can fall silent, break, or lose an answer.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// State shared by both directions of all connections.
#[derive(Default)]
struct State {
    frozen: AtomicBool,
    losing: AtomicBool,
    streams: Mutex<Vec<TcpStream>>,
}

/// A relay on its own port. Connections stay open while it is silent, as behind an unplugged cable.
pub struct Relay {
    url: url::Url,
    state: Arc<State>,
}

impl Relay {
    /// Starts a relay to the database with this URL.
    pub fn to(url: &str) -> Self {
        let mut url = url::Url::parse(url).expect("a URL");
        let target = (url.host_str().expect("a host").to_owned(), url.port().unwrap_or(5432));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        url.set_port(Some(port)).expect("a port");
        let state = Arc::new(State::default());
        let all = Arc::clone(&state);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect((target.0.as_str(), target.1)) else { continue };
                let streams = [client, server];
                let own: Vec<TcpStream> =
                    streams.iter().map(|stream| stream.try_clone().expect("a clone")).collect();
                all.streams.lock().expect("no panic").extend(own);
                let [client, server] = streams;
                let (from, to) = (client.try_clone().expect("a clone"), server.try_clone().expect("a clone"));
                let lost = Arc::new(AtomicBool::new(false));
                let (state, its) = (Arc::clone(&all), Arc::clone(&lost));
                std::thread::spawn(move || {
                    forward(from, to, &state, |bytes| {
                        let commits = bytes.windows(7).any(|window| window == b"COMMIT\0");
                        its.fetch_or(commits && state.losing.load(Ordering::SeqCst), Ordering::SeqCst);
                        true
                    });
                });
                let state = Arc::clone(&all);
                std::thread::spawn(move || {
                    forward(server, client, &state, |_| !lost.load(Ordering::SeqCst));
                });
            }
        });
        Self { url, state }
    }

    /// Returns the URL of the database through this relay.
    pub fn url(&self) -> String {
        self.url.to_string()
    }

    /// Stops forwarding in both directions without closing connections.
    pub fn freeze(&self) {
        self.state.frozen.store(true, Ordering::SeqCst);
    }

    /// Resumes forwarding, starting with what was held back.
    pub fn thaw(&self) {
        self.state.frozen.store(false, Ordering::SeqCst);
    }

    /// Closes all connections.
    pub fn cut(&self) {
        for stream in self.state.streams.lock().expect("no panic").drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Drops the answers to COMMIT from now on; the server still receives COMMIT.
    pub fn lose_answers_to_commit(&self, lose: bool) {
        self.state.losing.store(lose, Ordering::SeqCst);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.thaw();
        self.cut();
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream, state: &State, mut passes: impl FnMut(&[u8]) -> bool) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        while state.frozen.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(5));
        }
        if !passes(&buffer[..length]) || to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
