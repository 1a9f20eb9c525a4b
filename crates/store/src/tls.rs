//! Whether a connection to PostgreSQL is encrypted, and whose certificate is accepted.
//!
//! | `sslmode` | encrypted | certificate of the server |
//! |---|---|---|
//! | `disable` | no | |
//! | `prefer`, `allow`, none | if the server can | not looked at |
//! | `require` | yes | not looked at; with `sslrootcert` as `verify-ca` |
//! | `verify-ca` | yes | by a known authority |
//! | `verify-full` | yes | by a known authority, for this host |
//!
//! Known are the authorities in the file `sslrootcert`, else those of the system. `sslcert` and `sslkey` are
//! a certificate of our own. All as PostgreSQL's own programs read them.

use percent_encoding::percent_decode_str;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use std::path::Path;
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

/// What an address says of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Security {
    mode: Mode,
    authorities: Option<String>,
    certificate: Option<String>,
    key: Option<String>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Disable,
    #[default]
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

impl Security {
    /// Takes it out of an address `postgres://…?sslmode=…`; the address without it, as the client library
    /// reads it.
    pub(crate) fn of_address(url: &str) -> Result<(String, Self), String> {
        let mut security = Self::default();
        // A password may hold a question mark.
        let from = url.find('@').unwrap_or(0);
        let Some(query) = url[from..].find('?').map(|at| from + at) else {
            return Ok((url.to_owned(), security));
        };
        let mut others = Vec::new();
        for pair in url[query + 1..].split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            match key {
                "sslmode" => security.mode = Mode::named(value)?,
                "sslrootcert" => security.authorities = Some(decoded(key, value)?),
                "sslcert" => security.certificate = Some(decoded(key, value)?),
                "sslkey" => security.key = Some(decoded(key, value)?),
                _ => others.push(pair),
            }
        }
        if security.mode == Mode::Require && security.authorities.is_some() {
            security.mode = Mode::VerifyCa;
        }
        others.push(match security.mode {
            Mode::Disable => "sslmode=disable",
            Mode::Prefer => "sslmode=prefer",
            Mode::Require | Mode::VerifyCa | Mode::VerifyFull => "sslmode=require",
        });
        Ok((format!("{}?{}", &url[..query], others.join("&")), security))
    }

    /// What connects by it; `None` without encryption.
    pub(crate) fn connector(&self) -> Result<Option<MakeRustlsConnect>, String> {
        if self.mode == Mode::Disable {
            return Ok(None);
        }
        let provider = Arc::new(ring::default_provider());
        let known = match self.mode {
            Mode::VerifyCa | Mode::VerifyFull => {
                let roots = Arc::new(self.roots()?);
                let built =
                    WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider));
                Some(built.build().map_err(|error| error.to_string())?)
            }
            _ => None,
        };
        let by_name = self.mode == Mode::VerifyFull;
        let verifier = Arc::new(Verifier { provider: Arc::clone(&provider), known, by_name });
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let config = match (&self.certificate, &self.key) {
            (Some(certificate), Some(key)) => {
                let key = PrivateKeyDer::from_pem_file(key).map_err(|error| unread(key, &error))?;
                config.with_client_auth_cert(certificates(certificate)?, key)
            }
            (None, None) => Ok(config.with_no_client_auth()),
            _ => return Err("sslcert and sslkey belong together".into()),
        };
        Ok(Some(MakeRustlsConnect::new(config.map_err(|error| error.to_string())?)))
    }

    fn roots(&self) -> Result<RootCertStore, String> {
        let mut roots = RootCertStore::empty();
        match self.authorities.as_deref() {
            Some(file) if file != "system" => {
                for certificate in certificates(file)? {
                    roots.add(certificate).map_err(|error| unread(file, &error))?;
                }
            }
            _ => {
                let found = rustls_native_certs::load_native_certs();
                roots.add_parsable_certificates(found.certs);
            }
        }
        if roots.is_empty() {
            return Err(
                "no authority is known: sslrootcert names a file of their certificates".into()
            );
        }
        Ok(roots)
    }
}

impl Mode {
    fn named(name: &str) -> Result<Self, String> {
        Ok(match name {
            "disable" => Self::Disable,
            "allow" | "prefer" => Self::Prefer,
            "require" => Self::Require,
            "verify-ca" => Self::VerifyCa,
            "verify-full" => Self::VerifyFull,
            _ => {
                let known = "disable, prefer, require, verify-ca or verify-full";
                return Err(format!("sslmode is {known}, not {name:?}"));
            }
        })
    }
}

fn certificates(file: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let all =
        CertificateDer::pem_file_iter(Path::new(file)).map_err(|error| unread(file, &error))?;
    let all: Vec<_> = all.collect::<Result<_, _>>().map_err(|error| unread(file, &error))?;
    if all.is_empty() { Err(format!("{file} holds no certificate")) } else { Ok(all) }
}

fn unread(file: &str, error: &dyn std::fmt::Display) -> String {
    format!("{file} cannot be used: {error}")
}

/// `%2F` is a slash.
fn decoded(key: &str, value: &str) -> Result<String, String> {
    let text = percent_decode_str(value).decode_utf8();
    text.map(Into::into).map_err(|_| format!("{key} is no text: {value:?}"))
}

/// Accepts what the mode accepts. What is signed is verified in every mode.
#[derive(Debug)]
struct Verifier {
    provider: Arc<CryptoProvider>,
    /// by the authorities that are known; `None`: any certificate will do
    known: Option<Arc<WebPkiServerVerifier>>,
    /// whether it has to be of this host
    by_name: bool,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        host: &ServerName<'_>,
        revoked: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        use CertificateError::{NotValidForName, NotValidForNameContext};
        let Some(known) = &self.known else { return Ok(ServerCertVerified::assertion()) };
        match known.verify_server_cert(certificate, between, host, revoked, now) {
            // The name is looked at last.
            Err(Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. }))
                if !self.by_name =>
            {
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_address_says_is_taken_out_of_it() {
        let of = |url: &str| Security::of_address(url).unwrap();
        let plain = "postgres://ada:what?@db.example/x";
        assert_eq!(of(plain), (plain.to_owned(), Security::default()));
        let (url, security) = of(
            "postgres://db.example/x?sslmode=verify-full&application_name=a&sslrootcert=%2Fetc%2Fours.pem",
        );
        assert_eq!(url, "postgres://db.example/x?application_name=a&sslmode=require");
        assert_eq!(
            (security.mode, security.authorities.as_deref()),
            (Mode::VerifyFull, Some("/etc/ours.pem"))
        );
        assert_eq!(of("postgres://h/x?sslmode=require&sslrootcert=a").1.mode, Mode::VerifyCa);
        for bad in ["sslmode=yes", "sslrootcert=%ff"] {
            Security::of_address(&format!("postgres://h/x?{bad}")).unwrap_err();
        }
    }

    #[test]
    fn files_that_are_missing_are_named() {
        let said = |query: &str| {
            let (_, security) = Security::of_address(&format!("postgres://h/x?{query}")).unwrap();
            security.connector().err().unwrap_or_default()
        };
        assert!(
            said("sslmode=verify-ca&sslrootcert=nowhere.pem")
                .contains("nowhere.pem cannot be used")
        );
        assert!(said("sslcert=ours.pem").contains("belong together"));
        assert_eq!(
            (said("sslmode=disable"), said("sslmode=require")),
            (String::new(), String::new())
        );
    }
}
