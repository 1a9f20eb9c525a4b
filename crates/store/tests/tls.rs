//! Encrypted connections to a real server, with authorities made for the test.
//!
//! PostgreSQL is found in `BATON_TEST_POSTGRES`; `scripts/with-postgres cargo test` provides one.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that unwraps fails with the reason at hand

use baton_store::{Store, StoreError};
use postgres::{Client, NoTls};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};
use std::path::PathBuf;
use std::time::{Duration, Instant};

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority(name: &str) -> Authority {
    let mut parameters = CertificateParams::new([]).unwrap();
    parameters.distinguished_name.push(DnType::CommonName, name);
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(parameters, KeyPair::generate().unwrap()).unwrap()
}

/// A server that is told to use certificates by its superuser.
struct Server {
    admin: Client,
    /// where it is reached, without a scheme
    port: String,
}

impl Server {
    fn new() -> Self {
        let Ok(url) = std::env::var("BATON_TEST_POSTGRES") else {
            panic!("BATON_TEST_POSTGRES is not set\nhint: scripts/with-postgres cargo test");
        };
        let port = url.rsplit_once(':').unwrap().1.split('/').next().unwrap().to_owned();
        let admin = Client::connect(&format!("{url}?sslmode=disable"), NoTls).unwrap();
        Self { admin, port }
    }

    fn write(&mut self, file: &str, text: &str) {
        let statement = format!(
            "COPY (SELECT replace(encode(convert_to('{text}', 'UTF8'), 'base64'), chr(10), '')) \
             TO PROGRAM 'umask 077; base64 -d > {file}'"
        );
        self.admin.batch_execute(&statement).unwrap();
    }

    /// Shows a certificate of `localhost` from now on, by an authority.
    fn shows(&mut self, by: &Authority, is_expired: bool) {
        let mut parameters = CertificateParams::new(["localhost".to_owned()]).unwrap();
        if is_expired {
            parameters.not_before = date_time_ymd(2020, 1, 1);
            parameters.not_after = date_time_ymd(2021, 1, 1);
        }
        let key = KeyPair::generate().unwrap();
        let name = if is_expired { "expired" } else { "valid" };
        self.write(&format!("{name}.crt"), &parameters.signed_by(&key, by).unwrap().pem());
        self.write(&format!("{name}.key"), &key.serialize_pem());
        for (setting, value) in [
            ("ssl_cert_file", format!("{name}.crt")),
            ("ssl_key_file", format!("{name}.key")),
            ("ssl", "on".into()),
        ] {
            self.admin.batch_execute(&format!("ALTER SYSTEM SET {setting} = '{value}'")).unwrap();
        }
        self.reload(&format!("{name}.crt"));
    }

    fn reload(&mut self, wanted: &str) {
        self.admin.batch_execute("SELECT pg_reload_conf()").unwrap();
        let begun = Instant::now();
        let file = |client: &mut Client| {
            client.query_one("SHOW ssl_cert_file", &[]).unwrap().get::<_, String>(0)
        };
        while file(&mut self.admin) != wanted {
            assert!(begun.elapsed() < Duration::from_secs(10), "the server does not take it up");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn open(&self, host: &str, query: &str) -> Result<Store, String> {
        let url = format!(
            "postgres://baton:secret@{host}:{}/postgres?application_name=sealed&{query}",
            self.port
        );
        Store::open(&url).map_err(|error| {
            let said = error.to_string();
            assert!(
                !said.contains("secret") && matches!(error, StoreError::Unreachable { .. }),
                "{said}"
            );
            said
        })
    }

    /// Whether the connection of a store is encrypted.
    fn is_encrypted(&mut self, store: Store) -> bool {
        let asked = "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'sealed'";
        let found = self.admin.query_one(asked, &[]).unwrap().get(0);
        drop(store);
        let begun = Instant::now();
        while !self.admin.query(asked, &[]).unwrap().is_empty() {
            assert!(begun.elapsed() < Duration::from_secs(10), "the connection stays");
            std::thread::sleep(Duration::from_millis(20));
        }
        found
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for setting in ["ssl", "ssl_cert_file", "ssl_key_file"] {
            let _ = self.admin.batch_execute(&format!("ALTER SYSTEM RESET {setting}"));
        }
        let _ = self.admin.batch_execute("SELECT pg_reload_conf()");
    }
}

#[test]
fn only_the_right_certificate_is_accepted_and_what_is_asked_for_is_encrypted() {
    let mut server = Server::new();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (ours, theirs) = (authority("ours"), authority("theirs"));
    let [by_ours, by_theirs] =
        [("ours.pem", &ours), ("theirs.pem", &theirs)].map(|(name, authority)| {
            let file = folder.join(name);
            std::fs::write(&file, authority.pem()).unwrap();
            format!("sslrootcert={}", file.display())
        });
    // Before it has a certificate.
    assert!(
        server.open("localhost", "sslmode=require").unwrap_err().contains("does not support TLS")
    );
    let store = server.open("localhost", "").unwrap();
    assert!(!server.is_encrypted(store));

    server.shows(&ours, false);
    for (host, query) in [
        ("localhost", format!("sslmode=verify-full&{by_ours}")),
        ("127.0.0.1", format!("sslmode=verify-ca&{by_ours}")),
        ("127.0.0.1", format!("sslmode=require&{by_ours}")),
        ("127.0.0.1", "sslmode=require".to_owned()),
        ("localhost", "sslmode=prefer".to_owned()),
        ("localhost", String::new()),
    ] {
        let store = server.open(host, &query).unwrap();
        assert!(server.is_encrypted(store), "{query}");
    }
    let store = server.open("localhost", "sslmode=disable").unwrap();
    assert!(!server.is_encrypted(store));
    let refused =
        |server: &Server, host: &str, query: String| server.open(host, &query).unwrap_err();
    let other_host = refused(&server, "127.0.0.1", format!("sslmode=verify-full&{by_ours}"));
    assert!(other_host.contains("not valid for name"), "{other_host}");
    for mode in ["verify-ca", "verify-full", "require"] {
        let other_authority = refused(&server, "localhost", format!("sslmode={mode}&{by_theirs}"));
        assert!(other_authority.contains("UnknownIssuer"), "{other_authority}");
    }

    server.shows(&ours, true);
    for mode in ["verify-ca", "verify-full"] {
        let expired = refused(&server, "localhost", format!("sslmode={mode}&{by_ours}"));
        assert!(expired.contains("expired"), "{expired}");
    }
}
