//! `filter`: its arguments and what it does.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use pack_format::filter::{Condition, FilterOptions, TeacherFilterReport};
use pack_format::{EndReason, MoverOutcome, TeacherResult};
use serde_json::json;
use yane_cli::{HumanCount, Output, Range, Settings};

use super::{list_skipped, tell, timed};
use crate::conversion::check_output;
use crate::files::Files;
use crate::outcome::counted;

/// Keeps a part of the data.
pub(super) fn filter(args: &FilterArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let output = &args.output;
    let (inputs, format) = args.files.open_for(output)?;
    check_output(&Output::by_option(output), format, &inputs, settings)?;
    let options = FilterOptions {
        format,
        conditions: args.conditions(),
        skip_bad: args.skip_bad,
        overwrite: settings.overwrite(),
    };
    let (report, time) = timed(settings, |job| {
        pack_format::filter::filter(&inputs, output, &options, job)
    })?;
    list_skipped(&report.skipped);
    if !settings.json && !settings.quiet {
        for dropped in &report.dropped {
            let count = HumanCount(dropped.count);
            eprintln!("{count} do not meet: {}", dropped.condition);
        }
        if report.without_move > 0 {
            let count = counted(report.without_move, "record");
            eprintln!("{count} without a move (0x0000) among those read");
        }
    }
    tell(
        settings,
        (&inputs, output),
        time,
        &kept(&report),
        json!(report),
    )?;
    Ok(ExitCode::SUCCESS)
}

fn kept(report: &TeacherFilterReport) -> String {
    let positions = format!(
        "{} of {}",
        HumanCount(report.positions_kept),
        counted(report.positions_read, "position")
    );
    if report.games_read == 0 {
        return format!("{positions} kept");
    }
    let games = counted(report.games_read, "game");
    format!(
        "{} of {games}, {positions} kept",
        HumanCount(report.games_kept)
    )
}

/// `filter FILE... -o OUT`
#[derive(Args, Debug)]
#[command(after_help = FILTER_EXAMPLES)]
pub(crate) struct FilterArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    /// The filtered file
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) positions: PositionArgs,
    #[command(flatten)]
    pub(crate) games: GameArgs,
    /// Leave out damaged records of hcpe and psv, and count them, instead of stopping at the first
    #[arg(long)]
    pub(crate) skip_bad: bool,
}

/// Conditions on positions.
#[derive(Args, Debug)]
#[command(next_help_heading = "Conditions on positions (hcpe, psv)")]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub(crate) struct PositionArgs {
    /// Score, seen by the player to move
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    score: Option<Range<i16>>,
    /// Size of the score, whoever is ahead
    #[arg(long, value_name = "RANGE")]
    score_size: Option<Range<u16>>,
    /// Ply number; 0 is one that is not known (psv)
    #[arg(long, value_name = "RANGE")]
    ply: Option<Range<u16>>,
    /// The player to move is in check
    #[arg(long, conflicts_with = "not_in_check")]
    in_check: bool,
    /// The player to move is not in check
    #[arg(long)]
    not_in_check: bool,
    /// The move played is neither a capture nor a promotion; a record without a move does not meet this
    #[arg(long)]
    quiet_move: bool,
    /// The record has a move
    #[arg(long, conflicts_with = "without_move")]
    with_move: bool,
    /// The record has no move (0x0000)
    #[arg(long)]
    without_move: bool,
    /// Result of the game for the player to move
    #[arg(long, value_name = "OUTCOME", value_delimiter = ',')]
    outcome: Vec<OutcomeName>,
}

/// Conditions on games.
#[derive(Args, Debug)]
#[command(next_help_heading = "Conditions on games (pack, hcpe3)")]
pub(crate) struct GameArgs {
    /// Result of the game (of positions too)
    #[arg(long, value_name = "RESULT", value_delimiter = ',')]
    result: Vec<ResultName>,
    /// End reason: a number or a name such as resign or max-moves (pack)
    #[arg(long, value_name = "REASON", value_delimiter = ',', value_parser = reason)]
    reason: Vec<EndReason>,
    /// The end reason can go with the result (pack)
    #[arg(long)]
    consistent: bool,
    /// Ply number of the start position (pack)
    #[arg(long, value_name = "RANGE")]
    start_ply: Option<Range<u16>>,
    /// Plies played
    #[arg(long, value_name = "RANGE")]
    length: Option<Range<u32>>,
}

const FILTER_EXAMPLES: &str = "\
What meets all conditions is kept, its bytes unchanged. Ranges include both ends; one of them may be
missing (5.. or ..100).

Examples:
  teacher filter a.psv -o b.psv --score -2000..2000 --ply 17..
  teacher filter a.hcpe -o b.hcpe --score-size ..29999 --not-in-check --quiet-move
  teacher filter a.hcpe -o wins.hcpe --outcome win,draw
  teacher filter a.psv -o b.psv --with-move
  teacher filter a.pack -o b.pack --result black,white --length 20.. --consistent
  teacher filter a.pack -o b.pack --reason resign,win-csa27";

/// A result of a game.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ResultName {
    /// A draw
    Draw,
    /// Black won
    Black,
    /// White won
    White,
}

impl From<ResultName> for TeacherResult {
    fn from(name: ResultName) -> Self {
        match name {
            ResultName::Draw => Self::Draw,
            ResultName::Black => Self::BlackWin,
            ResultName::White => Self::WhiteWin,
        }
    }
}

/// A result for the player to move.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum OutcomeName {
    /// The player to move won
    Win,
    /// A draw
    Draw,
    /// The player to move lost
    Loss,
}

impl From<OutcomeName> for MoverOutcome {
    fn from(name: OutcomeName) -> Self {
        match name {
            OutcomeName::Win => Self::Win,
            OutcomeName::Draw => Self::Draw,
            OutcomeName::Loss => Self::Loss,
        }
    }
}

/// An end reason by its number or its name.
fn reason(text: &str) -> Result<EndReason, String> {
    if let Ok(number) = text.parse() {
        return Ok(EndReason(number));
    }
    let name = text.replace(['-', '_'], " ");
    let known = EndReason::KNOWN.into_iter();
    let mut named = known.filter(|reason| reason.name() == Some(&name));
    named
        .next()
        .ok_or_else(|| "expected a number or a name such as resign or max-moves".to_owned())
}

impl FilterArgs {
    /// The conditions, in a fixed order.
    pub(crate) fn conditions(&self) -> Vec<Condition> {
        let Self {
            positions, games, ..
        } = self;
        let mut all = Vec::new();
        all.extend(
            positions
                .score
                .clone()
                .map(|range| Condition::Score(range.0)),
        );
        let size = positions.score_size.clone();
        all.extend(size.map(|range| Condition::ScoreSize(range.0)));
        all.extend(positions.ply.clone().map(|range| Condition::Ply(range.0)));
        all.extend(positions.in_check.then_some(Condition::InCheck(true)));
        all.extend(positions.not_in_check.then_some(Condition::InCheck(false)));
        all.extend(positions.quiet_move.then_some(Condition::Quiet));
        all.extend(positions.with_move.then_some(Condition::HasMove(true)));
        let without = positions.without_move;
        all.extend(without.then_some(Condition::HasMove(false)));
        all.extend(list(&positions.outcome).map(Condition::Outcome));
        all.extend(list(&games.result).map(Condition::Result));
        all.extend(list(&games.reason).map(Condition::Reason));
        all.extend(games.consistent.then_some(Condition::Consistent));
        let start = games.start_ply.clone();
        all.extend(start.map(|range| Condition::StartPly(range.0)));
        let length = games.length.clone();
        all.extend(length.map(|range| Condition::Length(range.0)));
        all
    }
}

fn list<T: Copy, U: From<T>>(names: &[T]) -> Option<Vec<U>> {
    (!names.is_empty()).then(|| names.iter().map(|&name| name.into()).collect())
}
