//! The parts that command lines of programs for large files share, so that they are used alike.
//!
//! * [`Settings`]: `--threads`, `--memory`, `--temp-dir`, `--quiet`, `--force`, `--json`, and the
//!   [`yane_io::Job`] they describe, with progress ([`Console`]) and Ctrl-C ([`stop_on_request`]).
//! * [`ActingSettings`]: which of them each command takes; the others are errors, and its help does not show them.
//! * [`RunScreen`]: the same console for long runs that report events, with details and events as JSON.
//! * [`EventArgs`]: `--events FILE`, to which they write their events ([`EventLog`]), and the control of a run by another program.
//! * [`Output`], [`OutputOption`]: outputs behind the inputs or by `-o`, and what they may replace.
//! * [`input_files`]: many inputs (files, folders, patterns); [`records`]: commands that read and write files of game records.
//! * [`plain_help`]: help texts without the marks of documentation; [`parse`]: a command line with them.
//! * [`InputLines`]: lines of standard input, the wait for which ends with Ctrl-C.
//! * [`print`](mod@print): results on standard output, as lines or JSON.
//! * [`program_folder`]: where a program's own files are.
//! * [`shell`]: completions for shells and manual pages.
//! * [`Range`], [`Size`]: values that options take.
//! * [`TrustArgs`], [`QueueTrustArgs`]: the secret that machines share, from a file or a variable.
//! * [`long_version`]: what `--version` says.
//! * [`fail`]: errors on standard error, and exit codes: 0 done; 1 ([`FINDINGS`]) failed, or something
//!   was found; 2 ([`USAGE`]) wrong usage; 130 ([`INTERRUPTED`]).
//!
//! ```
//! use std::process::ExitCode;
//!
//! use clap::Parser;
//! use yane_cli::print;
//!
//! #[derive(Parser)]
//! struct Cli {
//!     input: std::path::PathBuf,
//!     #[command(flatten, next_help_heading = "Settings")]
//!     settings: yane_cli::Settings,
//! }
//!
//! fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
//!     let job = cli.settings.job()?;
//!     let size = std::fs::metadata(&cli.input)?.len();
//!     drop(job);
//!     print::lines([format!("bytes = {size}")])?;
//!     Ok(ExitCode::SUCCESS)
//! }
//!
//! fn main() -> ExitCode {
//! #   let cli = Cli::parse_from(["size", "Cargo.toml"]);
//! #   #[cfg(any())]
//!     let cli = Cli::parse();
//!     yane_cli::exit_code("size", run(&cli))
//! }
//! ```

#![forbid(unsafe_code)]

mod acting;
mod console;
mod control;
mod describe;
mod events;
mod help;
mod input_lines;
mod inputs;
mod output;
pub mod print;
pub mod records;
mod settings;
pub mod shell;
mod stderr;
mod trust;
mod version;

pub use acting::ActingSettings;
pub use console::{Console, QuietFlag, RunScreen, ScreenStyle, Stage, counted, time_text};
pub use control::{ControlSource, EventArgs};
pub use events::EventLog;
pub use help::{parse, plain_help};
/// A number with commas between thousands, for people.
pub use indicatif::HumanCount;
pub use input_lines::InputLines;
pub use inputs::{WeightedPath, input_files, is_standard};
pub use output::{ForceFlag, Output, OutputOption};
pub use print::{
    FINDINGS, INTERRUPTED, USAGE, UsageError, any_word, engine_options, exit_code, fail,
    is_cancelled, stop_on_request, with_causes,
};
pub use settings::{
    Bounded, OutputSettings, Range, RangeError, Settings, Size, SizeError, evaluation_folders,
    program_folder,
};
pub use trust::{QueueTrustArgs, TrustArgs};
pub use version::long_version;
