//! Flags that say whom a program believes over a network.
//!
//! Secrets and passwords are in files and environment variables: other users of a machine see command lines.

use std::path::PathBuf;

use clap::Args;
use yane_io::secret::{Login, Secret, SecretError, Trust};

use crate::UsageError;

/// Whom a program believes that serves others or is served over a network.
#[derive(Args, Clone, Debug, Default)]
pub struct TrustArgs {
    /// File of the secret that all machines share, which nobody else may read (chmod 600); else the variable
    /// `YANE_SECRET`. Without one only this machine is believed
    #[arg(long, value_name = "FILE", conflicts_with = "trust_network")]
    pub secret_file: Option<PathBuf>,
    /// Believe everybody in the network, without a secret
    #[arg(long)]
    pub trust_network: bool,
}

impl TrustArgs {
    /// Whom the program believes.
    ///
    /// # Errors
    /// When the file or the variable has no secret that can be used.
    pub fn trust(&self) -> Result<Trust, UsageError> {
        if self.trust_network {
            return Ok(Trust::Network);
        }
        let secret = match &self.secret_file {
            Some(path) => Some(Secret::read(path)),
            None => Secret::from_environment().transpose(),
        };
        let secret = secret.transpose().map_err(usage)?;
        Ok(secret.map_or(Trust::ThisMachine, Trust::Secret))
    }
}

/// Whom the processes of a queue believe, and their log-in at its server.
#[derive(Args, Clone, Debug, Default)]
pub struct QueueTrustArgs {
    /// File of the secret that all machines of the queue share, which nobody else may read (chmod 600); else the
    /// variable `YANE_SECRET`. Without one the server has to be on this machine
    #[arg(
        long,
        value_name = "FILE",
        requires = "queue",
        conflicts_with = "trust_network"
    )]
    secret_file: Option<PathBuf>,
    /// Use a server on another machine without a secret, and believe everybody who reaches it
    #[arg(long, requires = "queue")]
    trust_network: bool,
    /// File with `USER:PASSWORD` or the token for the NATS server (chmod 600); else the variable `YANE_QUEUE_LOGIN`
    #[arg(long, value_name = "FILE", requires = "queue")]
    queue_login: Option<PathBuf>,
}

impl QueueTrustArgs {
    /// Whom the program believes.
    ///
    /// # Errors
    /// When the file or the variable has no secret that can be used.
    pub fn trust(&self) -> Result<Trust, UsageError> {
        let args = TrustArgs {
            secret_file: self.secret_file.clone(),
            trust_network: self.trust_network,
        };
        args.trust()
    }

    /// The log-in at the server, if there is one.
    ///
    /// # Errors
    /// When the file or the variable cannot be read.
    pub fn login(&self) -> Result<Option<Login>, UsageError> {
        let login = match &self.queue_login {
            Some(path) => Login::read(path).map(Some),
            None => Login::from_environment(),
        };
        login.map_err(usage)
    }
}

fn usage(error: SecretError) -> UsageError {
    let error = anyhow::Error::from(error);
    UsageError(format!("{error:#}"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[arg(long)]
        queue: Option<String>,
        #[command(flatten)]
        trust: QueueTrustArgs,
    }

    #[test]
    fn flags_of_secrets_belong_to_a_queue_and_exclude_each_other() {
        let parse = |line: &str| Cli::try_parse_from(line.split(' '));
        let cli = parse("x --queue u --trust-network").unwrap();
        assert_eq!(cli.queue.as_deref(), Some("u"));
        assert_eq!(cli.trust.trust().unwrap(), Trust::Network);
        let cli = parse("x --queue u --secret-file no/such/file").unwrap();
        let error = cli.trust.trust().unwrap_err().to_string();
        assert!(error.contains("no/such/file"), "{error}");
        for wrong in [
            "x --trust-network",
            "x --secret-file f",
            "x --queue u --trust-network --secret-file f",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
