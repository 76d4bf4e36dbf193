//! Why a server does not evaluate positions.

use std::io;
use std::sync::Arc;

use thiserror::Error;

use super::frames::ProtocolError;
use super::protocol::ModelFingerprint;
use crate::InputFormat;

/// A server has another network than the one that is expected.
#[derive(Clone, Debug, Error)]
#[error("the server has another network ({name}, fingerprint {found}; {whose} {expected})")]
pub struct OtherNetwork {
    /// Its name for it.
    pub name: String,
    /// The fingerprint of its file.
    pub found: ModelFingerprint,
    /// The fingerprint that was expected.
    pub expected: ModelFingerprint,
    /// Where that comes from: `here` or `before`.
    pub whose: &'static str,
}

/// Why a server does not evaluate positions.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum ServerProblem {
    /// The connection cannot be made, or breaks.
    #[error("{0}")]
    Io(Arc<io::Error>),
    /// What it sends is no message.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// The error that it tells.
    #[error("{0}")]
    Reported(String),
    /// It could not evaluate positions, as it tells.
    #[error("the server's evaluation failed: {0}")]
    Failed(String),
    /// Its name is that of no machine.
    #[error("no such host")]
    NoHost,
    /// It does not say hello.
    #[error("no hello in time")]
    NoHelloInTime,
    /// It ends the connection at once.
    #[error("closed before the hello")]
    ClosedBeforeHello,
    /// It says something before its hello.
    #[error("the hello comes first")]
    HelloFirst,
    /// It has said no hello.
    #[error("no hello")]
    NoHello,
    /// It says hello once more.
    #[error("a second hello")]
    SecondHello,
    /// It knows no secret, though there is one here.
    #[error("the server has no secret")]
    NoSecret,
    /// It knows another secret.
    #[error("the server has another secret")]
    OtherSecret,
    /// Its network has other inputs.
    #[error("the server's network is of {}, {whose} it is of {}", .found.name(), .expected.name())]
    OtherFormat {
        /// Its inputs.
        found: InputFormat,
        /// The inputs that were expected.
        expected: InputFormat,
        /// Where they come from: `here` or `before`.
        whose: &'static str,
    },
    /// It has another network.
    #[error(transparent)]
    OtherNetwork(Box<OtherNetwork>),
    /// There is no connection.
    #[error("no connection")]
    NoConnection,
    /// It has closed the connection.
    #[error("the server has closed the connection")]
    ClosedThere,
    /// The connection was closed here.
    #[error("the connection was closed")]
    ClosedHere,
    /// Nothing has come from it for long.
    #[error("the server is silent")]
    Silent,
    /// It has not answered in time.
    #[error("no answer within {0} ms")]
    NoAnswer(u128),
    /// Its answer is that to another question.
    #[error("an answer to another question")]
    OtherAnswer,
}

impl ServerProblem {
    /// Returns whether the server has another network than the one that is expected.
    pub(crate) const fn is_other_network(&self) -> bool {
        matches!(self, Self::OtherFormat { .. } | Self::OtherNetwork(_))
    }
}

impl From<io::Error> for ServerProblem {
    fn from(error: io::Error) -> Self {
        Self::Io(Arc::new(error))
    }
}
