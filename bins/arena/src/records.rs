//! Games of matches as game records: `--records` while they are played, and `arena records` of their logs.

use std::cell::Cell;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use shogi_kifu::{CsaVersion, GameRecord, KifuFormat, Losses};
use tournament::{LogHeader, LoggedGame, MatchPlan, match_record, read_log};
use yane_cli::{ForceFlag, Output, RunScreen, UsageError, print, with_causes};
use yane_io::{AtomicFile, Error};

use crate::args::ScreenArgs;

/// A format of game records by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordFormat(KifuFormat);

impl FromStr for RecordFormat {
    type Err = <KifuFormat as FromStr>::Err;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        name.parse().map(Self)
    }
}

impl fmt::Display for RecordFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Writes a record; CSA of version 3 where times have fractions, which older ones lose.
fn write(format: KifuFormat, record: &GameRecord) -> (String, Losses) {
    let fractions = |id| record.node(id).time.is_some_and(|ms| ms % 1000 != 0);
    let version = if record.main_line().any(fractions) {
        CsaVersion::V3
    } else {
        CsaVersion::V22
    };
    format.write(record, version)
}

/// The folder of a match's records.
pub(crate) struct Records {
    folder: PathBuf,
    format: KifuFormat,
    header: LogHeader,
    failed: Cell<bool>,
}

impl Records {
    pub(crate) fn open(
        folder: &Path,
        format: RecordFormat,
        plan: &MatchPlan,
    ) -> anyhow::Result<Self> {
        fs::create_dir_all(folder).map_err(Error::io(folder))?;
        Ok(Self {
            folder: folder.to_owned(),
            format: format.0,
            header: plan.header()?,
            failed: Cell::new(false),
        })
    }

    /// Writes a game. A full disk does not end the match: the log may still have it.
    pub(crate) fn write(&self, game: &LoggedGame, screen: &RunScreen) {
        if let Err(error) = self.try_write(game) {
            self.failed.set(true);
            let reason = with_causes(&error);
            screen.note(&format!("no record of game {}: {reason}", game.number + 1));
        }
    }

    fn try_write(&self, game: &LoggedGame) -> anyhow::Result<()> {
        let record = match_record(&self.header, game)?;
        let (text, _) = write(self.format, &record);
        let name = format!("game{:06}.{}", game.number + 1, self.format.extension());
        let mut file = AtomicFile::create(&self.folder.join(name))?;
        file.put(text.as_bytes())?;
        Ok(file.commit()?)
    }

    /// Returns whether a record could not be written.
    pub(crate) const fn has_failed(&self) -> bool {
        self.failed.get()
    }
}

/// Write the games of logs as game records.
///
/// One file with all games, with the names of the engines, times and scores of moves, and ends.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct RecordArgs {
    /// Logs of `match`, `gauntlet`, `round-robin` and of the closing matches of `tune`
    #[arg(required = true, value_name = "LOGS")]
    logs: Vec<PathBuf>,
    /// The file; its name tells the format unless --to does
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    /// Format: csa, kif, ki2, jkf or usi
    #[arg(long, value_name = "FORMAT")]
    to: Option<RecordFormat>,
    /// Let the output replace a file that exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    screen: ScreenArgs,
}

/// Runs `arena records`.
///
/// # Errors
/// When a log cannot be read, has games that are none, or the output cannot be written.
pub fn run_records(args: &RecordArgs) -> anyhow::Result<ExitCode> {
    let extension = args.output.extension().and_then(|text| text.to_str());
    let named = extension.and_then(KifuFormat::of_extension);
    let format = args.to.map(|format| format.0).or(named).ok_or_else(|| {
        UsageError(format!(
            "the name {} tells no format: add --to FORMAT",
            args.output.display()
        ))
    })?;
    let output = Output::by_option(&args.output);
    let _claim = output
        .overwrite(ForceFlag(args.force))
        .claim(&args.output, &args.logs)?;
    let mut file = AtomicFile::create(&args.output)?;
    let (mut games, mut losses) = (0u64, Losses::default());
    for log in &args.logs {
        let (header, logged) = read_log(log, &mut |note| eprintln!("{note}"))?;
        for game in &logged {
            let record = match_record(&header, game)
                .with_context(|| format!("{}: game {}", log.display(), game.number + 1))?;
            let (text, lost) = write(format, &record);
            losses.absorb(&lost);
            if games > 0 {
                file.put(format.separator().as_bytes())?;
            }
            file.put(text.as_bytes())?;
            games += 1;
        }
    }
    file.commit()?;
    if args.screen.json {
        let lost: serde_json::Map<_, _> = losses
            .iter()
            .map(|(kind, count)| (kind.name().to_owned(), count.into()))
            .collect();
        print::json(&json!({ "games": games, "lost": lost }))?;
    } else if !args.screen.quiet {
        print::lines([format!("games written: {games}")])?;
        if !losses.is_empty() {
            eprintln!("{format} cannot hold: {losses}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

const EXAMPLES: &str = "\
Examples:
  arena records match.jsonl -o match.csa
  arena records monday.jsonl tuesday.jsonl -o games.kif
      games of two logs, in KIF
  arena records match.jsonl -o lines.txt --to usi

Exit code 0: done; 1: failed; 2: wrong usage.";
