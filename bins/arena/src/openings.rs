//! `arena openings`: another program, `gensfen starts`, which has an engine in it.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::Context as _;
use clap::Args;

/// The program that makes openings.
const PROGRAM: &str = "gensfen";

/// Make a file of balanced openings of shogi: `gensfen starts` with the same arguments.
///
/// The program gensfen is looked for beside this one, then where the system finds programs. `arena openings --help` shows its help.
#[derive(Args, Clone, Debug)]
#[command(disable_help_flag = true)]
pub struct OpeningMakerArgs {
    /// Arguments of `gensfen starts`, such as --count 300 --plies 16..24 --max-score 80 -o FILE
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENTS"
    )]
    arguments: Vec<OsString>,
}

/// Runs `arena openings`: the other program takes the place of this one, or its exit code is that of this one.
///
/// # Errors
/// When there is no such program.
pub fn run_openings(args: &OpeningMakerArgs) -> anyhow::Result<ExitCode> {
    let program = program();
    let mut command = Command::new(&program);
    command.arg("starts").args(&args.arguments);
    run(&mut command).with_context(|| {
        format!(
            "cannot run {}: openings are made by the program {PROGRAM}, beside arena or in PATH",
            program.display()
        )
    })
}

/// The program beside this one, or its name alone.
fn program() -> PathBuf {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let here = std::env::current_exe().ok();
    let beside = here.map(|program| program.with_file_name(&name));
    beside
        .filter(|program| program.is_file())
        .unwrap_or_else(|| name.into())
}

/// On Unix the process becomes the other program, so that signals and its exit code are its own.
#[cfg(unix)]
fn run(command: &mut Command) -> io::Result<ExitCode> {
    Err(std::os::unix::process::CommandExt::exec(command))
}

#[cfg(not(unix))]
fn run(command: &mut Command) -> io::Result<ExitCode> {
    let status = command.status()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
