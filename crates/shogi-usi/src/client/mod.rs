//! The GUI's side: a USI engine as a child process.
//!
//! [`EngineProcess`] owns the process. A thread reads its output line by line, so that every wait
//! has a time limit; another drains its standard error, which would block the engine when full.
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
mod process;

pub use error::EngineError;
pub use process::{EngineProcess, GoResult};
