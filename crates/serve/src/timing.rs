//! The times of a server.

use std::time::Duration;

/// How often things happen on a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerTiming {
    /// Between two times at which states of streams are sent.
    pub states: Duration,
    /// Between two pings.
    pub ping: Duration,
    /// After which a tab that says nothing, not even an answer to a ping, is taken for gone.
    pub silence: Duration,
}

impl Default for ServerTiming {
    /// 20 times a second; a ping each 15 s; gone after 30 s.
    fn default() -> Self {
        Self {
            states: Duration::from_millis(50),
            ping: Duration::from_secs(15),
            silence: Duration::from_secs(30),
        }
    }
}
