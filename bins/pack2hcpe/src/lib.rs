//! The program `pack2hcpe` as a function: the conversion of `teacher` with the command line that
//! `pack2hcpe.py` has.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Command, CommandFactory as _, FromArgMatches as _, Parser};
use pack_format::TeacherFormat;
use teacher::conversion;
use teacher::conversion::{Conversion, HowToConvert, inputs, usual_output};
use yane_cli::{ActingSettings, Output, Settings, UsageError};

/// The command line, as [`clap`] sees it.
pub fn command() -> clap::Command {
    program()
}

/// Runs the command line `args`, the first of which is the name of the program.
///
/// Exit code 0: done; 1: it failed, or an input is damaged; 2: wrong usage; 130: interrupted. Ends
/// the process at once for `--help`, `--version` and what [`clap`] finds wrong.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<_> = args.into_iter().collect();
    if let Some(code) = yane_cli::shell::answer(&args, "pack2hcpe", command) {
        return code;
    }
    let matches = ACTING.matches(command(), args);
    let args = matches.and_then(|matches| Args::from_arg_matches(&matches));
    let args = args.unwrap_or_else(|error| error.exit());
    let done = args
        .conversions()
        .map_err(anyhow::Error::from)
        .and_then(|conversions| conversion::run("pack2hcpe", &conversions, &args.settings));
    yane_cli::exit_code("pack2hcpe", done)
}

/// Converts packs (whole games of shogi) to hcpe (a position, its move, score and result each).
///
/// Every move of every game becomes a record of 38 bytes: about ten times the size of the pack. Every
/// move is checked. `-` is the standard input or output. No output appears before it is complete.
#[derive(Debug, Parser)]
#[command(name = "pack2hcpe", version, long_version = yane_cli::long_version(), max_term_width = 100, after_help = EXAMPLES)]
#[command(override_usage = "\
pack2hcpe [OPTIONS] IN.pack [OUT.hcpe]
       pack2hcpe [OPTIONS] A.pack B.pack...
       pack2hcpe [OPTIONS] -o OUT.hcpe IN.pack...")]
pub(crate) struct Args {
    /// IN.pack and its output [default: IN.pack.hcpe], or several packs, each to a file of its own
    #[arg(value_name = "FILES", required = true)]
    files: Vec<PathBuf>,
    /// One output for all packs; one that exists is replaced only with --force
    #[arg(long, short, value_name = "OUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    how: HowToConvert,
    #[command(flatten)]
    _shell: yane_cli::shell::ShellFiles,
    #[command(flatten, next_help_heading = "Settings")]
    pub(crate) settings: Settings,
}

/// The settings that act: what is converted on its way needs no temporary files.
const ACTING: ActingSettings = ActingSettings(&[("", "threads quiet force json")]);

/// The command line.
pub(crate) fn program() -> Command {
    yane_cli::plain_help(ACTING.limit(Args::command()))
}

const EXAMPLES: &str = "\
Of two files the second is the output, unless its name ends in .pack.

A damaged pack makes no output, unless --recover or --resync is given; the other packs are
converted. What is wrong is told with the byte and the game it is in.

Exit codes: 0 done; 1 failed, or a pack is damaged; 2 wrong usage; 130 interrupted.

Examples:
  pack2hcpe kif20251110.pack kif20251110.hcpe
  pack2hcpe kif20251110.pack
  pack2hcpe monday.pack tuesday.pack wednesday.pack
  pack2hcpe monday.pack tuesday.pack -o week.hcpe
  pack2hcpe kif20251110.pack --smoothing 8 --discount 0.9
  pack2hcpe damaged.pack --resync
  cat *.pack | pack2hcpe - - > all.hcpe";

impl Args {
    /// Conversions that the arguments ask for.
    pub(crate) fn conversions(&self) -> Result<Vec<Conversion>, UsageError> {
        let options = self.how.options(TeacherFormat::Pack, TeacherFormat::Hcpe)?;
        let one = |names: &[PathBuf], output: Output| {
            Ok(Conversion {
                inputs: inputs(names)?,
                output,
                options: options.clone(),
            })
        };
        match (self.files.as_slice(), &self.output) {
            (files, Some(output)) => Ok(vec![one(files, Output::by_option(output))?]),
            ([input, output], None)
                if TeacherFormat::of_path(output) != Some(TeacherFormat::Pack) =>
            {
                let output = Output::behind_inputs(output);
                Ok(vec![one(std::slice::from_ref(input), output)?])
            }
            (files, None) => {
                inputs(files)?;
                files
                    .iter()
                    .map(|file| {
                        let output = usual_output(file, TeacherFormat::Hcpe);
                        one(std::slice::from_ref(file), Output::behind_inputs(output))
                    })
                    .collect()
            }
        }
    }
}
