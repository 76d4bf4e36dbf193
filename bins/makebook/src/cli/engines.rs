//! Engines, for commands that search.

use std::path::PathBuf;

use clap::Args;

/// The engines that search.
#[derive(Args, Debug)]
#[command(next_help_heading = "Engines")]
pub(crate) struct EngineArgs {
    /// An engine: a program, a command with arguments, `ssh host command`, or `embedded`, which is the one
    /// in this program; may be given several times [default: embedded]
    #[arg(long, value_name = "COMMAND")]
    pub(crate) engine: Vec<String>,
    /// A file of engines, `{ENGINE_SETTING: [{path, name, multi, options}, …]}` in JSON5
    #[arg(long, value_name = "FILE")]
    pub(crate) engines: Option<PathBuf>,
    /// Positions at a time of each engine [default: one; of the embedded one as many as --threads]
    #[arg(long, value_name = "N")]
    pub(crate) multi: Option<usize>,
    /// A USI option for all engines; may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) option: Vec<String>,
    /// Size of each engine's transposition table in MiB (`USI_Hash`) [default: the engine's; 16 embedded]
    #[arg(long, value_name = "MIB")]
    pub(crate) hash: Option<u32>,
}
