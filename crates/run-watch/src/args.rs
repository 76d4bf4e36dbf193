//! The option `--watch` of servers.

use std::path::PathBuf;

use clap::Args;
use farm::FarmError;
use farm::queue::Access;
use yane_io::secret::{Login, Secret, SecretError, Trust};

use crate::watch::RunWatch;

/// What the addresses of queues begin with.
const SCHEMES: [&str; 2] = ["nats://", "tls://"];

/// The runs that a page shows.
#[derive(Args, Clone, Debug, Default)]
#[group(id = "WatchArgs")]
pub struct WatchArgs {
    /// Show the runs whose events are in a file, in the files *.events and *.jsonl of a folder, in the standard input (-), or that are
    /// shared over a NATS server (`nats://host:4222`); may be given several times
    #[arg(long = "watch", value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// File of the secret of the watched queues, which nobody else may read (chmod 600); else the variable `YANE_SECRET`. Without one
    /// the NATS server has to be on this machine
    #[arg(
        long,
        value_name = "FILE",
        requires = "paths",
        conflicts_with = "trust_network"
    )]
    secret_file: Option<PathBuf>,
    /// Watch queues on another machine without a secret, and believe everybody who reaches them
    #[arg(long, requires = "paths")]
    trust_network: bool,
    /// File with `USER:PASSWORD` or the token for the NATS server (chmod 600); else the variable `YANE_QUEUE_LOGIN`
    #[arg(long, value_name = "FILE", requires = "paths")]
    queue_login: Option<PathBuf>,
}

/// Why runs cannot be watched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WatchError {
    /// There is no secret, or no log-in, that can be used.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The address of a queue is invalid, or on another machine and there is no secret.
    #[error(transparent)]
    Queue(#[from] FarmError),
}

impl WatchArgs {
    /// The runs.
    ///
    /// # Errors
    /// When there is no secret that can be used, or the address of a queue is invalid.
    pub fn runs(&self) -> Result<RunWatch, WatchError> {
        let runs = RunWatch::new(&[]);
        for path in &self.paths {
            let text = path.to_str().unwrap_or_default();
            if SCHEMES.iter().any(|scheme| text.starts_with(scheme)) {
                runs.follow_queue(text, self.access()?)?;
            } else {
                runs.follow_path(path);
            }
        }
        Ok(runs)
    }

    fn access(&self) -> Result<Access, SecretError> {
        let secret = match &self.secret_file {
            Some(path) => Some(Secret::read(path)?),
            None if self.trust_network => None,
            None => Secret::from_environment()?,
        };
        let trust = match secret {
            Some(secret) => Trust::Secret(secret),
            None if self.trust_network => Trust::Network,
            None => Trust::ThisMachine,
        };
        let login = match &self.queue_login {
            Some(path) => Some(Login::read(path)?),
            None => Login::from_environment()?,
        };
        Ok(Access {
            trust,
            login,
            ..Access::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        watch: WatchArgs,
    }

    fn parse(line: &str) -> Result<WatchArgs, clap::Error> {
        Cli::try_parse_from(line.split(' ')).map(|cli| cli.watch)
    }

    #[test]
    fn queues_of_other_machines_need_a_secret() {
        for line in [
            "x --watch a.events --watch nats://localhost:1",
            "x --watch nats://farm.example:1 --trust-network",
        ] {
            assert!(parse(line).unwrap().runs().is_ok(), "{line}");
        }
        for (line, told) in [
            ("x --watch nats://farm.example:1", "there is no secret"),
            ("x --watch nats://localhost:1/what", "no name of a run"),
            (
                "x --watch nats://localhost:1 --secret-file no/such",
                "no/such",
            ),
        ] {
            let Err(error) = parse(line).unwrap().runs() else {
                panic!("{line}");
            };
            assert!(error.to_string().contains(told), "{error}");
        }
        for wrong in [
            "x --trust-network",
            "x --secret-file f",
            "x --queue-login f",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
