//! `gtp` and `nboard`: the engine behind a window.

use std::io::BufRead as _;
use std::process::ExitCode;
use std::sync::Arc;

use othello_engine::{Gtp, Heard, NBoard, Session};
use othello_eval::Weights;
use othello_search::{Control, PlayLevel, SearchSettings, Searcher};
use yane_cli::{Settings, UsageError, print};

use crate::args::{Engine, Levels};

/// Bytes of the transposition table unless `--hash` says otherwise.
pub(crate) const HASH: u64 = 256 << 20;

/// A level of a program.
pub(crate) const fn level(levels: Levels, level: u32) -> PlayLevel {
    match levels {
        Levels::Egaroucid => PlayLevel::Egaroucid(level),
        Levels::Edax => PlayLevel::Edax(level),
    }
}

/// A searcher as the command line wants it.
pub(crate) fn searcher(args: &Engine, threads: usize) -> anyhow::Result<Searcher> {
    let bytes = args.hash.map_or(HASH, yane_cli::Size::bytes);
    let hash_bytes = usize::try_from(bytes)
        .map_err(|_| UsageError("--hash is more than this machine can address".to_owned()))?;
    let weights = match &args.weights {
        Some(path) => Weights::load(path)?,
        None => Weights::built_in(),
    };
    let search = SearchSettings {
        hash_bytes,
        threads,
    };
    Ok(Searcher::new(search, Arc::new(weights)))
}

fn session(args: &Engine, settings: &Settings) -> anyhow::Result<Session> {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = settings.threads.unwrap_or_else(all).max(1);
    let level = level(args.levels, args.level.unwrap_or(21));
    Ok(Session::new(searcher(args, threads)?, level))
}

/// Calls `hear` with each line of standard input until it returns `false`. Bytes that are no text are replaced.
fn each_line(mut hear: impl FnMut(&str) -> anyhow::Result<bool>) -> anyhow::Result<()> {
    let mut input = std::io::stdin().lock();
    let mut bytes = Vec::new();
    while input.read_until(b'\n', &mut bytes)? > 0 {
        if !hear(&String::from_utf8_lossy(&bytes))? {
            break;
        }
        bytes.clear();
    }
    Ok(())
}

pub(crate) fn gtp(args: &Engine, settings: &Settings) -> anyhow::Result<ExitCode> {
    let version = env!("CARGO_PKG_VERSION");
    let mut gtp = Gtp::new(session(args, settings)?, version, Control::default());
    each_line(|line| {
        let reply = gtp.line(line);
        if !reply.text.is_empty() {
            print::lines([reply.text.as_str(), ""])?;
        }
        Ok(!reply.is_last)
    })?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn nboard(args: &Engine, settings: &Settings) -> anyhow::Result<ExitCode> {
    // A window that is gone is seen as the end of the input.
    let output = Arc::new(|line: &str| drop(print::lines([line])));
    let mut engine = NBoard::new(session(args, settings)?, output);
    each_line(|line| Ok(engine.line(line) == Heard::Open))?;
    Ok(ExitCode::SUCCESS)
}
