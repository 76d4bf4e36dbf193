//! A secret that machines share, and whom a program believes that speaks over a network.
//!
//! * [`Secret`]: read from a file or an environment variable; never shown.
//! * [`MacKey`]: a key that follows from it, and the message authentication codes (HMAC-SHA-256) made with it.
//! * [`Trust`]: a secret, this machine alone, or the whole network.
//!
//! A code proves who wrote a message and that nobody changed it. It hides nothing: for that there are TLS and ssh.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use thiserror::Error;

/// Bytes of a message authentication code.
pub const TAG_BYTES: usize = 32;

/// The reason why there is no secret.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SecretError {
    /// The file cannot be read.
    #[error("{}: cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// Others can read the file.
    #[error("{}: other users can read it (mode {mode:03o}): chmod 600 it, and make a new secret if they may have", path.display())]
    Readable {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// It is too short or too long.
    #[error(
        "{place}: {found} bytes, expected {} to {}",
        Secret::LEAST,
        Secret::MOST
    )]
    Length {
        /// The file or the variable.
        place: String,
        /// Its bytes, without blanks at the ends.
        found: usize,
    },
    /// The environment variable is no text.
    #[error("the environment variable {0} is not UTF-8")]
    Variable(&'static str),
}

/// A secret. It is never shown, by [`fmt::Debug`] neither.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<[u8]>);

impl Secret {
    /// The fewest bytes.
    pub const LEAST: usize = 16;
    /// The most bytes.
    pub const MOST: usize = 4096;
    /// The environment variable that has it where no file does.
    pub const VARIABLE: &str = "YANE_SECRET";

    /// The secret `bytes`, blanks at the ends apart. `place` says where they are from.
    ///
    /// # Errors
    /// When there are fewer than [`Self::LEAST`] or more than [`Self::MOST`].
    pub fn new(bytes: &[u8], place: &str) -> Result<Self, SecretError> {
        let bytes = bytes.trim_ascii();
        if (Self::LEAST..=Self::MOST).contains(&bytes.len()) {
            return Ok(Self(bytes.into()));
        }
        Err(SecretError::Length {
            place: place.to_owned(),
            found: bytes.len(),
        })
    }

    /// The secret of a file, which nobody but its owner may read.
    ///
    /// # Errors
    /// When it cannot be read, others can read it (on Unix), and those of [`Self::new`].
    pub fn read(path: &Path) -> Result<Self, SecretError> {
        Self::new(&read_private(path)?, &path.display().to_string())
    }

    /// The secret of the environment variable [`Self::VARIABLE`]; `None` where it is not set or empty.
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub fn from_environment() -> Result<Option<Self>, SecretError> {
        let text = private_variable(Self::VARIABLE)?;
        text.map(|text| Self::new(text.as_bytes(), Self::VARIABLE))
            .transpose()
    }

    /// The key for `purpose`.
    pub fn key(&self, purpose: &str) -> MacKey {
        key_of(&self.0, &[purpose.as_bytes()])
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The bytes of a file that nobody but its owner may read, [`Secret::MOST`] at most and blanks at the ends.
///
/// # Errors
/// When it cannot be read, is longer, or others can read it (on Unix).
pub(crate) fn read_private(path: &Path) -> Result<Vec<u8>, SecretError> {
    use std::io::Read as _;
    let failed = |source| SecretError::Read {
        path: path.to_owned(),
        source,
    };
    let file = std::fs::File::open(path).map_err(failed)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = file.metadata().map_err(failed)?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            let path = path.to_owned();
            return Err(SecretError::Readable { path, mode });
        }
    }
    let most = Secret::MOST + 64;
    let mut bytes = Vec::new();
    let mut file = file.take(most as u64 + 1);
    file.read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > most {
        return Err(SecretError::Length {
            place: path.display().to_string(),
            found: bytes.len(),
        });
    }
    Ok(bytes)
}

/// The value of an environment variable; `None` where it is not set or empty.
///
/// # Errors
/// When it is not UTF-8; the value is not shown.
pub(crate) fn private_variable(name: &'static str) -> Result<Option<String>, SecretError> {
    match std::env::var(name) {
        Ok(text) => Ok((!text.is_empty()).then_some(text)),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => Err(SecretError::Variable(name)),
    }
}

/// A log-in at a server, from a file or an environment variable. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Login(String);

impl Login {
    /// The environment variable that has the log-in at the server of a queue where no file does.
    pub const VARIABLE: &str = "YANE_QUEUE_LOGIN";

    /// The log-in of a text: `USER:PASSWORD`, or a token.
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// The log-in of a file, which nobody but its owner may read.
    ///
    /// # Errors
    /// When it cannot be read, is too long, or others can read it (on Unix).
    pub fn read(path: &Path) -> Result<Self, SecretError> {
        let bytes = read_private(path)?;
        Ok(Self::new(&String::from_utf8_lossy(&bytes)))
    }

    /// The log-in of the environment variable [`Self::VARIABLE`]; `None` where it is not set or empty.
    ///
    /// # Errors
    /// When it is not UTF-8.
    pub fn from_environment() -> Result<Option<Self>, SecretError> {
        Ok(private_variable(Self::VARIABLE)?.map(|text| Self::new(&text)))
    }

    /// The user, where there is one, and the password or token.
    pub fn parts(&self) -> (Option<&str>, &str) {
        match self.0.split_once(':') {
            Some((user, password)) => (Some(user), password),
            None => (None, &self.0),
        }
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Login(…)")
    }
}

/// Addresses of servers, separated by commas, without what is before the `@` of each: users, passwords and tokens.
pub fn without_passwords(urls: &str) -> String {
    let shown = urls.split(',').map(|url| {
        let (scheme, rest) = url
            .split_once("://")
            .map_or(("", url), |(scheme, rest)| (&url[..scheme.len() + 3], rest));
        match rest.rsplit_once('@') {
            Some((_, host)) => format!("{scheme}…@{host}"),
            None => url.to_owned(),
        }
    });
    shown.collect::<Vec<_>>().join(",")
}

/// A key of message authentication codes. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct MacKey([u8; TAG_BYTES]);

impl MacKey {
    /// The key that follows from this one for `purpose`.
    pub fn derive(&self, purpose: &[&[u8]]) -> Self {
        key_of(&self.0, purpose)
    }

    /// The code of a message of several parts, whose borders count.
    pub fn tag(&self, parts: &[&[u8]]) -> [u8; TAG_BYTES] {
        mac(&self.0, parts).finalize().into_bytes().into()
    }

    /// Returns true if `tag` is the code of the message. Takes the same time for all that are not.
    pub fn verify(&self, parts: &[&[u8]], tag: &[u8]) -> bool {
        mac(&self.0, parts).verify_slice(tag).is_ok()
    }
}

impl fmt::Debug for MacKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MacKey(…)")
    }
}

fn key_of(key: &[u8], purpose: &[&[u8]]) -> MacKey {
    MacKey(mac(key, purpose).finalize().into_bytes().into())
}

fn mac(key: &[u8], parts: &[&[u8]]) -> Hmac<Sha256> {
    // Keys may have any length: those longer than a block are hashed, which is the only way `new_from_slice` differs.
    let mut block = [0; 64];
    let mac = if let Some(start) = block.get_mut(..key.len()) {
        start.copy_from_slice(key);
        Hmac::<Sha256>::new(&block.into())
    } else {
        use sha2::Digest as _;
        block[..TAG_BYTES].copy_from_slice(&Sha256::digest(key));
        Hmac::<Sha256>::new(&block.into())
    };
    parts.iter().fold(mac, |mac, part| {
        mac.chain_update((part.len() as u64).to_le_bytes())
            .chain_update(part)
    })
}

/// Bytes that nobody can foresee.
///
/// # Errors
/// When the system gives none.
pub fn random_bytes<const N: usize>() -> std::io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes)
}

/// Whom a program believes that speaks over a network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Whoever speaks on this machine (loopback addresses), and nobody else.
    #[default]
    ThisMachine,
    /// Whoever knows the secret, wherever he is.
    Secret(Secret),
    /// Everybody.
    Network,
}

impl Trust {
    /// Returns true if one may speak with `host`: a name or an address.
    pub fn allows(&self, host: &str) -> bool {
        !matches!(self, Self::ThisMachine) || is_this_machine(host)
    }

    /// The key for `purpose`. Without a secret everybody knows it: its codes find damage then, and nothing else.
    pub fn key(&self, purpose: &str) -> MacKey {
        match self {
            Self::Secret(secret) => secret.key(purpose),
            Self::ThisMachine | Self::Network => key_of(b"no secret", &[purpose.as_bytes()]),
        }
    }

    /// Returns true if there is a secret.
    pub const fn has_secret(&self) -> bool {
        matches!(self, Self::Secret(_))
    }
}

/// Returns true for `localhost` and loopback addresses.
pub(crate) fn is_this_machine(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let address = host.parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"  correct horse battery\n";

    #[test]
    fn secrets_are_never_shown_and_not_short() {
        let secret = Secret::new(TEXT, "a file").unwrap();
        assert_eq!(secret, Secret::new(TEXT.trim_ascii(), "").unwrap());
        let trust = Trust::Secret(secret);
        let key = trust.key("items");
        for shown in [format!("{trust:?}"), format!("{key:?}")] {
            assert!(!shown.contains("horse") && shown.contains('…'), "{shown}");
        }
        let login = Login::new("user:pass:word\n");
        assert_eq!(login.parts(), (Some("user"), "pass:word"));
        assert_eq!(Login::new("token").parts(), (None, "token"));
        assert_eq!(format!("{login:?}"), "Login(…)");
        let error = Secret::new(b"short \n", "a file").unwrap_err();
        assert_eq!(error.to_string(), "a file: 5 bytes, expected 16 to 4096");
        assert!(Secret::new(&[b'x'; 5000], "").is_err());
    }

    #[test]
    fn passwords_are_not_shown() {
        for (url, shown) in [
            ("nats://host:4222", "nats://host:4222"),
            ("nats://user:pass@host:4222", "nats://…@host:4222"),
            ("token@host", "…@host"),
            (
                "tls://a:p@ss@one:1, nats://two:2",
                "tls://…@one:1, nats://two:2",
            ),
            ("", ""),
        ] {
            assert_eq!(without_passwords(url), shown);
        }
    }

    #[cfg(unix)]
    #[test]
    fn files_of_secrets_are_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        std::fs::write(&path, TEXT).unwrap();
        let set = |mode| {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        set(0o644);
        let error = Secret::read(&path).unwrap_err().to_string();
        assert!(error.contains("mode 644"), "{error}");
        set(0o600);
        assert_eq!(Secret::read(&path).unwrap(), Secret::new(TEXT, "").unwrap());
        std::fs::write(&path, [b'x'; 5000]).unwrap();
        assert!(matches!(
            Secret::read(&path),
            Err(SecretError::Length { .. })
        ));
        assert!(matches!(
            Secret::read(&folder.path().join("none")),
            Err(SecretError::Read { .. })
        ));
    }

    #[test]
    fn codes_are_those_of_hmac_sha256() {
        // RFC 4231, test case 2, whose only part has no length before it here.
        let tag = Hmac::<Sha256>::new_from_slice(b"Jefe").unwrap();
        let tag = tag.chain_update(b"what do ya want for nothing?");
        let tag: [u8; 32] = tag.finalize().into_bytes().into();
        assert_eq!(tag[..4], [0x5b, 0xdc, 0xc1, 0x46]);
        let by_parts = mac(b"Jefe", &[b"what"]).finalize().into_bytes();
        let by_hand = Hmac::<Sha256>::new_from_slice(b"Jefe").unwrap();
        let by_hand = by_hand.chain_update(b"\x04\0\0\0\0\0\0\0what");
        assert_eq!(by_parts, by_hand.finalize().into_bytes());
        let long = [7; 100];
        let by_hand = Hmac::<Sha256>::new_from_slice(&long).unwrap();
        assert_eq!(
            mac(&long, &[]).finalize().into_bytes(),
            by_hand.finalize().into_bytes()
        );
    }

    #[test]
    fn borders_purposes_and_secrets_make_other_codes() {
        let secret = Trust::Secret(Secret::new(TEXT, "").unwrap());
        let key = secret.key("items");
        let tag = key.tag(&[b"ab", b"c"]);
        assert!(key.verify(&[b"ab", b"c"], &tag));
        for (key, parts) in [
            (key.clone(), [&b"a"[..], b"bc"]),
            (secret.key("results"), [b"ab", b"c"]),
            (Trust::Network.key("items"), [b"ab", b"c"]),
            (key.derive(&[b"x"]), [b"ab", b"c"]),
        ] {
            assert!(!key.verify(&parts, &tag));
        }
        assert!(!key.verify(&[b"ab", b"c"], &tag[..31]));
        assert_ne!(random_bytes::<16>().unwrap(), random_bytes().unwrap());
    }

    #[test]
    fn this_machine_is_known_by_its_addresses() {
        for host in ["localhost", "127.0.0.1", "127.3.2.1", "::1", "[::1]"] {
            assert!(Trust::ThisMachine.allows(host), "{host}");
        }
        for host in ["10.0.0.1", "localhost.example.org", "::", "0.0.0.0", ""] {
            assert!(!Trust::ThisMachine.allows(host), "{host}");
            assert!(Trust::Network.allows(host));
        }
    }
}
