//! Errors of the server.

use std::io;
use std::net::{IpAddr, SocketAddr};

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address cannot be listened at.
    #[error("{address}: cannot listen: {reason}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        reason: io::Error,
    },
    /// All ports that were tried are taken.
    #[error("ports {first} to {last} are all in use; choose another one")]
    NoPort {
        /// The first port that was tried.
        first: u16,
        /// The last one.
        last: u16,
    },
    /// An address that other machines can reach.
    #[error("{0} can be reached from other machines: say that this is wanted")]
    Remote(IpAddr),
    /// An address of no interface.
    #[error("{0} stands for all addresses of this machine: choose one of them")]
    Unspecified(IpAddr),
    /// A file of the server cannot be read or written.
    #[error("{0}")]
    File(#[from] yane_io::Error),
    /// A folder that is no root of files.
    #[error("{path}: {reason}")]
    Root {
        /// The folder, as it was named.
        path: String,
        /// The system's reason.
        reason: io::Error,
    },
    /// The system gives no random numbers, threads or sockets.
    #[error("the server cannot be started: {0}")]
    System(io::Error),
}

impl From<io::Error> for ServeError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}
