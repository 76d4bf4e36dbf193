//! How machines share the work.

use std::time::Duration;

use clap::Args;
use yane_cli::UsageError;

/// How machines share the work.
#[derive(Args, Debug)]
#[command(next_help_heading = "Many machines")]
pub(crate) struct QueueArgs {
    /// Share the positions with other machines over a NATS server, such as `nats://host:4222`
    #[arg(long, value_name = "URL")]
    queue: Option<String>,
    /// Hand out positions over the queue, and keep the book
    #[arg(long, requires = "queue", conflicts_with = "work")]
    serve: bool,
    /// Search positions of the queue, with the same command line; leaves the book alone
    #[arg(long, requires = "queue")]
    work: bool,
    /// Seconds after which others get the positions of a worker that is silent
    #[arg(long, value_name = "SECONDS", requires = "queue", default_value_t = 30,
          value_parser = clap::value_parser!(u64).range(1..=86400))]
    lease: u64,
}

/// The role of this process in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role<'a> {
    /// Everything.
    Alone,
    /// It hands out positions at this address.
    Server(&'a str),
    /// It searches what is handed out at this address.
    Worker(&'a str),
}

impl QueueArgs {
    pub(crate) fn role(&self) -> Result<Role<'_>, UsageError> {
        match (self.queue.as_deref(), self.serve, self.work) {
            (None, ..) => Ok(Role::Alone),
            (Some(url), true, _) => Ok(Role::Server(url)),
            (Some(url), _, true) => Ok(Role::Worker(url)),
            _ => Err(UsageError("--queue needs --serve or --work".to_owned())),
        }
    }

    pub(crate) const fn lease(&self) -> Duration {
        Duration::from_secs(self.lease)
    }
}
