//! Commands that read game records, and the list of a book's positions.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use yane_book::db::{BadLines, LineEnd, LineProblem};
use yane_book::extract::{Extract, ExtractReport, extract_sfen_from_db, extract_sfen_from_sfen};
use yane_book::from_sfen::{FromSfen, RecordInput, RecordScores};
use yane_book::records::RecordProblem;
use yane_cli::{Output, OutputOption, UsageError};

use super::{list_problems, problem_texts, tell_variations, text_books};
use crate::args::{Settings, StrictArgs, VariationArgs};

/// `from_sfen [bw] IN [IN] OUT [moves N]`
#[derive(Args, Debug)]
#[command(
    override_usage = "makebook from_sfen [OPTIONS] <RECORDS.sfen> <OUT.db>
       makebook from_sfen bw [OPTIONS] <BLACK.sfen> <WHITE.sfen> <OUT.db>",
    after_help = FROM_SFEN_EXAMPLES
)]
pub(crate) struct FromSfenArgs {
    #[arg(
        help = "The records (`no_file`: none), and the book to write unless -o names it",
        required = true, num_args = 1.., value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// Take black's positions from the first records and white's from the second
    #[arg(long)]
    pub(crate) bw: bool,
    /// Moves to take of each game
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(crate) moves: usize,
    #[command(flatten)]
    pub(crate) variations: VariationArgs,
    /// Take evaluations in comments of the records as value and depth of their moves, the deepest of each move
    #[arg(long)]
    pub(crate) scores: bool,
    #[command(flatten)]
    pub(crate) strict: StrictArgs,
    /// Accepted for old scripts; has no effect
    #[arg(long, hide = true)]
    pub(crate) depth: Option<u32>,
    /// Accepted for old scripts; has no effect
    #[arg(long, hide = true)]
    pub(crate) nodes: Option<u64>,
}

const FROM_SFEN_EXAMPLES: &str = "\
The records are games in any format: KIF, KI2, CSA, JKF, one or many in a file, or a folder of such files. Or a line is one
game, as it follows the word position of USI: `startpos moves 7g7f …` or `sfen … moves …`. An illegal move ends its game and is told; the moves before it are used.

Examples:
  makebook from_sfen games.sfen book.db
  makebook from_sfen games.sfen book.db moves 24
  makebook from_sfen floodgate/2025/ book.db moves 40
  makebook from_sfen analysed.kif book.db --variations --scores
  makebook from_sfen bw black.sfen white.sfen book.db moves 16
  makebook from_sfen bw no_file white.sfen book.db";

/// `extract_sfen_from_db BOOK OUT`, `extract_sfen_from_db read_book IN write_sfen OUT`
#[derive(Args, Debug)]
#[command(after_help = EXTRACT_FROM_DB_EXAMPLES)]
pub(crate) struct ExtractFromDbArgs {
    /// The book and the list, as other commands have them
    #[arg(value_names = ["BOOK.db", "OUT.txt"], num_args = 0..=2, conflicts_with = "read_book")]
    pub(crate) files: Vec<PathBuf>,
    /// The book [default: `book/read_book.db`]
    #[arg(long, value_name = "FILE")]
    pub(crate) read_book: Option<PathBuf>,
    /// The list [default: `book/write_sfen.txt`]
    #[arg(long, value_name = "FILE", conflicts_with = "output_option")]
    pub(crate) write_sfen: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
}

const EXTRACT_FROM_DB_EXAMPLES: &str = "\
Copies the lines of the book that begin with sfen.

Examples:
  makebook extract_sfen_from_db book.db positions.txt
  makebook extract_sfen_from_db read_book book.db write_sfen positions.txt
  makebook extract_sfen_from_db --read-book book.db --write-sfen positions.txt --lf";

/// `extract_sfen_from_sfen RECORDS OUT`, `extract_sfen_from_sfen read_sfen IN write_sfen OUT`
#[derive(Args, Debug)]
#[command(after_help = EXTRACT_FROM_SFEN_EXAMPLES)]
pub(crate) struct ExtractFromSfenArgs {
    /// The records and the list, as other commands have them
    #[arg(value_names = ["RECORDS", "OUT.txt"], num_args = 0..=2, conflicts_with = "read_sfen")]
    pub(crate) files: Vec<PathBuf>,
    /// The records [default: `book/read_sfen.txt`]
    #[arg(long, value_name = "FILE")]
    pub(crate) read_sfen: Option<PathBuf>,
    /// The list [default: `book/write_sfen.txt`]
    #[arg(long, value_name = "FILE", conflicts_with = "output_option")]
    pub(crate) write_sfen: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    #[command(flatten)]
    pub(crate) variations: VariationArgs,
    #[command(flatten)]
    pub(crate) strict: StrictArgs,
}

const EXTRACT_FROM_SFEN_EXAMPLES: &str = "\
Every position of every game, each once, as SFEN.

Examples:
  makebook extract_sfen_from_sfen games.sfen positions.txt
  makebook extract_sfen_from_sfen read_sfen games.sfen write_sfen positions.txt
  makebook extract_sfen_from_sfen read_sfen games.sfen write_sfen positions.txt --strict";

/// Creates a book from records.
pub(crate) fn from_sfen(args: FromSfenArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let (mut files, output) = args.output_option.or_last(args.files, 1, Output::classic)?;
    files.push(output.path.clone());
    let (inputs, _) = inputs_and_output("from_sfen", files, args.bw)?;
    text_books("from_sfen", &[&output])?;
    let options = FromSfen {
        moves: args.moves,
        variations: args.variations.choice(),
        scores: if args.scores {
            RecordScores::Take
        } else {
            RecordScores::Ignore
        },
        bad_lines: args.strict.bad_lines(),
        line_end: settings.line_end_or(LineEnd::CrLf),
        overwrite: settings.overwrite_by(&output),
    };
    let job = settings.job()?;
    let report = yane_book::from_sfen::from_sfen(&inputs, &output.path, &options, &job)?;
    drop(job);
    let json = json!({
        "games": report.games,
        "positions": report.positions,
        "moves": report.moves,
        "scored": report.scored,
        "variations_left_out": report.variations_left_out,
        "faults": report.problems.count,
        "first_faults": problem_texts(&report.problems),
    });
    let mut lines: Vec<_> = report.problems.first.iter().map(classic_problem).collect();
    lines.push(format!("games     = {}", report.games));
    lines.push(format!("positions = {}", report.positions));
    lines.push(format!("moves     = {}", report.moves));
    if args.scores {
        lines.push(format!("scored    = {} moves", report.scored));
    }
    let code = settings.report(&json, lines)?;
    list_problems(&report.problems);
    tell_variations(report.variations_left_out);
    Ok(code)
}

/// The records to read and the book to write.
pub(super) fn inputs_and_output(
    command: &str,
    files: Vec<PathBuf>,
    bw: bool,
) -> Result<(Vec<RecordInput>, PathBuf), UsageError> {
    let expected = if bw { 3 } else { 2 };
    if let Some(extra) = files.get(expected) {
        return Err(UsageError(format!(
            "unexpected argument {}",
            extra.display()
        )));
    }
    let mut files = files.into_iter();
    let mut next = || files.next();
    match (next(), next(), next()) {
        (Some(records), Some(output), None) if !bw => Ok((vec![RecordInput::new(records)], output)),
        (Some(black), Some(white), Some(output)) => {
            Ok((RecordInput::black_white(black, white), output))
        }
        _ => {
            let needs = "needs black's records, white's records and the output";
            Err(UsageError(format!("{command} bw {needs}")))
        }
    }
}

/// Returns the line by which the field's tools report an illegal move.
fn classic_problem(problem: &RecordProblem) -> String {
    let (game, text) = (problem.game, &problem.text);
    match &problem.problem {
        LineProblem::Illegal(mv) | LineProblem::Move(mv) => {
            format!("illegal move : line = {game} , {text} , move = {mv}")
        }
        other => format!("illegal line : line = {game} , {text} , {other}"),
    }
}

/// Lists the positions of a book.
pub(crate) fn extract_from_db(
    args: &ExtractFromDbArgs,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    let named = [args.read_book.as_ref(), args.write_sfen.as_ref()];
    let usual = "book/read_book.db";
    let (book, output) = input_and_list(&args.files, named, usual, &args.output_option)?;
    text_books("extract_sfen_from_db", &[&book])?;
    let options = extract_options(BadLines::Skip, &output, settings);
    let job = settings.job()?;
    let report = extract_sfen_from_db(&book, &output.path, &options, &job)?;
    drop(job);
    print_extracted(&report, settings)
}

/// Lists the positions of records.
pub(crate) fn extract_from_sfen(
    args: &ExtractFromSfenArgs,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    let named = [args.read_sfen.as_ref(), args.write_sfen.as_ref()];
    let usual = "book/read_sfen.txt";
    let (records, output) = input_and_list(&args.files, named, usual, &args.output_option)?;
    let options = Extract {
        variations: args.variations.choice(),
        ..extract_options(args.strict.bad_lines(), &output, settings)
    };
    let job = settings.job()?;
    let report = extract_sfen_from_sfen(&records, &output.path, &options, &job)?;
    drop(job);
    print_extracted(&report, settings)
}

/// The input and the list: behind the command, or by the classic options, or in the usual places.
fn input_and_list(
    files: &[PathBuf],
    [input, list]: [Option<&PathBuf>; 2],
    usual: &str,
    option: &OutputOption,
) -> Result<(PathBuf, Output), UsageError> {
    let behind = files.get(1).or(list).map(Output::classic);
    let output = match (files, behind) {
        ([_, behind], _) if list.is_some() => {
            let behind = behind.display();
            return Err(UsageError(format!(
                "two outputs are named: {behind} and write_sfen"
            )));
        }
        (_, behind @ Some(_)) => option.or(behind)?,
        ([only], None) if !option.is_given() => {
            let only = only.display();
            return Err(UsageError(format!(
                "no output is named: put it behind {only}, or add -o OUT"
            )));
        }
        (_, None) => named(option, Path::new("book/write_sfen.txt"))?,
    };
    let input = files.first().or(input).cloned();
    Ok((input.unwrap_or_else(|| usual.into()), output))
}

/// The output of `-o`, or else the one that a classic option names.
pub(super) fn named(option: &OutputOption, classic: &Path) -> Result<Output, UsageError> {
    let classic = (!option.is_given()).then(|| Output::classic(classic));
    option.or(classic)
}

fn extract_options(bad_lines: BadLines, output: &Output, settings: &Settings) -> Extract {
    let usual = Extract::default();
    Extract {
        bad_lines,
        line_end: settings.line_end_or(usual.line_end),
        overwrite: settings.overwrite_by(output),
        ..usual
    }
}

fn print_extracted(report: &ExtractReport, settings: &Settings) -> anyhow::Result<ExitCode> {
    list_problems(&report.problems);
    tell_variations(report.variations_left_out);
    let json = json!({
        "games": report.games,
        "positions": report.positions,
        "variations_left_out": report.variations_left_out,
        "faults": report.problems.count,
        "first_faults": problem_texts(&report.problems),
    });
    settings.report(&json, [format!("positions = {}", report.positions)])
}
