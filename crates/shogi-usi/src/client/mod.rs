//! The GUI's side: a USI engine as a child process.
//!
//! [`EngineProcess`] owns the process. Every wait has a time limit, and reads what comes on the standard error
//! too, which would block the engine when full. Whoever waits reads the pipes, without a thread between (there
//! are threads where the system cannot wait for pipes). Output that nobody waits for stays with the system, and
//! an engine that writes much of it has to wait.
//!
//! ```no_run
//! use std::time::Duration;
//! use shogi_usi::{GoCommand, client::EngineProcess};
//!
//! let second = Duration::from_secs(1);
//! let mut engine = EngineProcess::spawn("target/release/yaneura", &[])?;
//! engine.handshake(10 * second)?;
//! engine.set_option("USI_Hash", "64")?;
//! engine.get_ready(60 * second)?;
//! engine.new_game()?;
//! engine.set_position(&"startpos".parse().expect("a position"))?;
//! let go = GoCommand { movetime: Some(second), ..GoCommand::default() };
//! println!("{}", engine.go(&go, 5 * second)?.best);
//! engine.quit(5 * second)?;
//! # Ok::<(), shogi_usi::client::EngineError>(())
//! ```

mod error;
mod pipes;
mod position_text;
mod process;

pub use error::EngineError;
pub use process::{EngineProcess, GoResult};
