//! `arena othello-openings`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use othello_eval::Weights;
use othello_search::{BalancedOpenings, Control, SearchSettings, Searcher};
use serde_json::json;
use yane_cli::{OutputSettings, Settings, counted, print};
use yane_io::{AtomicFile, Error, Unit};

/// Make a file of balanced openings of othello, as XOT openings are.
///
/// Random moves behind f5, kept when the search of this program finds that nobody is ahead. Symmetric positions count as one. One
/// transcript a line, which `match --game othello --openings` reads.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct OthelloOpeningArgs {
    /// The file to write
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Number of openings
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    /// Number of plies of each
    #[arg(long, value_name = "PLIES", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=30))]
    plies: u32,
    /// Greatest score that either side may have, in discs
    #[arg(long, value_name = "DISCS", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=64))]
    max_score: u32,
    /// Depth of the searches
    #[arg(long, value_name = "PLIES", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=30))]
    depth: u32,
    /// Weights of the evaluation: a file of ours, Edax's eval.dat or Egaroucid's eval.egev2 [default: built in]
    #[arg(long = "eval", value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Seed of random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    settings: OutputSettings,
}

/// Bytes of the transposition table.
const HASH: usize = 64 << 20;

/// Runs `arena othello-openings`.
///
/// # Errors
/// When weights cannot be read, the file exists or cannot be written, or on Ctrl-C.
pub fn run_othello_openings(args: &OthelloOpeningArgs) -> anyhow::Result<ExitCode> {
    let settings = &Settings::from(&args.settings);
    let _claim = settings.overwrite().claim::<PathBuf>(&args.output, &[])?;
    let weights = match &args.weights {
        Some(path) => Weights::load(path)?,
        None => Weights::built_in(),
    };
    // With more threads the openings would not be the same each time.
    let search = SearchSettings {
        hash_bytes: HASH,
        threads: 1,
    };
    let mut searcher = Searcher::new(search, Arc::new(weights));
    let wanted = BalancedOpenings {
        count: args.count as usize,
        plies: args.plies,
        most: args.max_score as i32,
        depth: args.depth,
        seed: args.seed,
    };
    let job = settings.job()?;
    let control = Control::with_stop(job.cancelled.clone());
    job.progress
        .stage("openings", Some(u64::from(args.count)), Unit::Games);
    let found = wanted.find(&mut searcher, &control, || job.progress.advance(1));
    let openings = found.ok_or(Error::Cancelled)?;
    let found = counted(openings.len() as u64, "opening", "openings");
    if openings.len() < wanted.count {
        job.progress
            .note(&format!("found only {found}: there seem to be no more"));
    }
    let mut file = AtomicFile::create(&args.output)?;
    for game in &openings {
        file.put(format!("{game}\n").as_bytes())?;
    }
    file.commit()?;
    drop(job);
    if settings.json {
        print::json(&json!({ "openings": openings.len() }))?;
    } else {
        print::lines([found])?;
    }
    Ok(ExitCode::SUCCESS)
}

const EXAMPLES: &str = "\
Examples:
  arena othello-openings -o xot.txt
      200 openings of 8 plies, within 2 discs by a search of 12 plies
  arena othello-openings --count 1000 --depth 16 --max-score 1 --seed 7 -o xot.txt

Exit code 0: done; 1: failed; 2: wrong usage; 130: interrupted.";
