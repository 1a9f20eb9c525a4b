//! The service as supervisors see it: whether it lives, whether it is ready, and what it writes down.
//!
//! PostgreSQL is found in `BATON_TEST_POSTGRES`; `scripts/with-postgres cargo test` provides one.

use crate::support::Scratch;
use serde_json::{Value as Json, json};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// `baton serve` at a free port; its log is in the file `log` of the folder.
struct Service {
    process: Child,
    address: String,
}

impl Service {
    fn new(scratch: &Scratch, arguments: &[&str]) -> Self {
        let call = [&["serve", "--bind", "127.0.0.1:0"][..], arguments].concat();
        let log = File::create(scratch.0.join("log")).unwrap();
        let mut command = scratch.command(&call);
        let mut process = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address =
            line.split("http://").nth(1).unwrap_or_else(|| panic!("{}", scratch.read("log")));
        Self { process, address: address.split('/').next().unwrap().to_owned() }
    }

    /// The status of an answer, and how long it took.
    fn get(&self, path: &str) -> (u16, Duration) {
        let began = Instant::now();
        (self.call("GET", path, "").0, began.elapsed())
    }

    /// The status of an answer and what it says.
    fn call(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, said) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), said.to_owned())
    }

    /// What is said to a call that has to be served.
    fn served(&self, method: &str, path: &str, body: &str) -> Json {
        let (status, said) = self.call(method, path, body);
        assert!((200..300).contains(&status), "{method} {path}: {status} {said}");
        serde_json::from_str(&said).unwrap()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A way to a server that can be cut: connections end, and new ones are not let through.
struct Way {
    port: u16,
    open: Arc<AtomicBool>,
    streams: Arc<Mutex<Vec<TcpStream>>>,
}

impl Way {
    fn to(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (open, streams) = (Arc::new(AtomicBool::new(true)), Arc::<Mutex<Vec<_>>>::default());
        let way = Self { port, open: Arc::clone(&open), streams: Arc::clone(&streams) };
        std::thread::spawn(move || {
            for near in listener.incoming().flatten() {
                if !open.load(Ordering::SeqCst) {
                    continue;
                }
                let far = TcpStream::connect(&server).unwrap();
                for (mut from, mut to) in [(&near, &far), (&far, &near)]
                    .map(|(from, to)| (from.try_clone().unwrap(), to.try_clone().unwrap()))
                {
                    std::thread::spawn(move || std::io::copy(&mut from, &mut to));
                }
                streams.lock().unwrap().extend([near, far]);
            }
        });
        way
    }

    fn cut(&self) {
        self.open.store(false, Ordering::SeqCst);
        for stream in self.streams.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// An empty store in PostgreSQL.
fn fresh(name: &str) -> String {
    let Ok(url) = std::env::var("BATON_TEST_POSTGRES") else {
        panic!("BATON_TEST_POSTGRES is not set\nhint: scripts/with-postgres cargo test");
    };
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    let schema = format!("baton_serving_{}_{name}", std::process::id());
    client.batch_execute(&format!("CREATE SCHEMA {schema}")).unwrap();
    format!("{url}?options=-csearch_path%3D{schema}")
}

const CAMPAIGN: &str = r#"{
  "space": [{"name": "x", "low": 0, "high": 1}, {"name": "y", "low": 0, "high": 1}],
  "fidelities": [{"name": "coarse", "cost": 1}, {"name": "fine", "cost": 3}],
  "goal": "minimize", "seed": 5,
  "settings": {"search.candidates": 30},
  "tasks": [{"name": "one", "budget": 20}, {"name": "two", "budget": 20}]
}"#;

/// Asks at one service and tells at the other until all tasks are spent; how many trials it had.
fn work(asks: &Service, tells: &Service, worker: &str) -> usize {
    let (mut trials, path) = (0, "/api/campaigns/c");
    loop {
        let call = json!({ "worker": worker, "advance": true }).to_string();
        let answer = asks.served("POST", &format!("{path}/ask"), &call);
        let asked = &answer["trial"];
        if asked.is_null() {
            if answer["reason"] == "done" {
                return trials;
            }
            std::thread::sleep(Duration::from_millis(20));
            continue;
        }
        let number = |name: &str| asked["point"][name].as_f64().unwrap();
        let value = (number("x") - 0.4).powi(2) + (number("y") - 0.7).powi(2);
        let (task, trial) = (asked["task"].as_str().unwrap(), &asked["trial"]);
        let told = format!("{path}/tasks/{task}/trials/{trial}/tell");
        tells.served("POST", &told, &json!({ "value": value }).to_string());
        trials += 1;
    }
}

#[test]
fn two_services_on_one_store_spend_one_budget() {
    let store = fresh("two");
    let scratches = [Scratch::new("first-of-two"), Scratch::new("second-of-two")];
    let [first, second] = scratches.each_ref().map(|it| Service::new(it, &["--store", &store]));
    first.served("PUT", "/api/campaigns/c", CAMPAIGN);
    let trials: usize = std::thread::scope(|scope| {
        let workers = [(&first, &second, "a"), (&second, &first, "b"), (&first, &first, "c")];
        let begun = workers.map(|(asks, tells, name)| scope.spawn(move || work(asks, tells, name)));
        begun.into_iter().map(|worker| worker.join().unwrap()).sum()
    });
    let seen = [&first, &second].map(|service| {
        let of = |task: &str| {
            service.served("GET", &format!("/api/campaigns/c/tasks/{task}/trials"), "")
        };
        [of("one"), of("two")]
    });
    assert_eq!(seen[0], seen[1], "both say the same");
    let mut count = 0;
    for task in &seen[0] {
        let all = task["trials"].as_array().unwrap();
        assert!(all.iter().all(|trial| trial["state"] == "told"), "{task}");
        let spent: f64 = all.iter().map(|trial| trial["cost"].as_f64().unwrap()).sum();
        assert_eq!(spent, 20.0);
        count += all.len();
    }
    assert_eq!(trials, count, "none was given to two");
}

#[test]
fn without_its_store_the_service_lives_and_is_not_ready() {
    let url = fresh("probes");
    let server = url.split('@').nth(1).unwrap().split('/').next().unwrap();
    let way = Way::to(server.to_owned());
    let store = url.replace(server, &format!("127.0.0.1:{}", way.port));
    let scratch = Scratch::new("ready");
    let service = Service::new(&scratch, &["--store", &store]);
    for path in ["/livez", "/readyz", "/healthz"] {
        assert_eq!(service.get(path).0, 200, "{path}");
    }
    way.cut();
    // Several probes at once: each is told in time, however long the store's own patience is.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let (status, took) = service.get("/readyz");
                assert!(status == 503 && took < Duration::from_secs(15), "{status} {took:?}");
            });
        }
    });
    assert_eq!(service.get("/livez").0, 200);
    way.open.store(true, Ordering::SeqCst);
    let begun = Instant::now();
    while service.get("/readyz").0 != 200 {
        assert!(begun.elapsed() < Duration::from_secs(90), "{}", scratch.read("log"));
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn a_level_decides_which_lines_are_written() {
    for (level, asked, probe) in [
        ("error", false, false),
        ("warn", false, false),
        ("info", true, false),
        ("debug", true, true),
    ] {
        let scratch = Scratch::new(&format!("level-{level}"));
        let service = Service::new(&scratch, &["--log-level", level]);
        for path in ["/livez", "/readyz", "/api/campaigns", "/api/campaigns/none"] {
            service.get(path);
        }
        drop(service);
        let log = scratch.read("log");
        let has =
            |path: &str| log.lines().any(|line| line.contains(&format!("\"path\":\"{path}\"")));
        assert_eq!(has("/api/campaigns"), asked, "{level}: {log}");
        assert_eq!((has("/livez"), has("/readyz")), (probe, probe), "{level}: {log}");
        for line in log.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(["ERROR", "WARN", "INFO", "DEBUG"].contains(&line["level"].as_str().unwrap()));
        }
    }
    let scratch = Scratch::new("level-wrong");
    assert!(
        scratch.refused(2, &["serve", "--log-level", "loud"]).contains("error, warn, info, debug")
    );
}
