//! What to search next: `peta_next`, `peta_shock_next`, `peta_shock_next2`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use yane_book::peta_next::{PetaNext, PetaShockNext, PetaShockNext2, ShockNextReport, ShockOutput};
use yane_cli::{Output, OutputOption, UsageError};

use super::{text_books, usual_roots};
use crate::args::{Settings, Side};
use crate::print;

/// `peta_shock_next IN OUT N …`
#[derive(Args, Debug)]
#[command(after_help = PETA_SHOCK_NEXT_EXAMPLES)]
pub(crate) struct PetaShockNextArgs {
    /// The book, not yet peta-shocked
    #[arg(value_name = "BOOK.db")]
    pub(crate) book: PathBuf,
    /// The positions to search next, and how many of them for each root; with -o only their number
    #[arg(value_names = ["OUT.txt", "N"], num_args = 1..=2, required = true)]
    pub(crate) output_and_count: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// Standard deviation of random numbers added to the values of the book
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    pub(crate) eval_noise: f64,
    /// Seed of the random numbers
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) roots: RootArgs,
}

const PETA_SHOCK_NEXT_EXAMPLES: &str = "\
Follows best play to the end of the book, lists the position there, takes that move out, and so on.

Examples:
  makebook peta_shock_next book.db think.txt 1000
  makebook peta_shock_next book.db think.txt 1000 eval_noise 20 seed 7
  makebook peta_shock_next book.db think.txt 1000 from_startpos root_sfens_name roots.txt";

/// `peta_shock_next2 IN OUT N …`
#[derive(Args, Debug)]
#[command(after_help = PETA_SHOCK_NEXT2_EXAMPLES)]
pub(crate) struct PetaShockNext2Args {
    /// The book, not yet peta-shocked
    #[arg(value_name = "BOOK.db")]
    pub(crate) book: PathBuf,
    /// The positions to search next, and how many of them for each root, half of these for each side; with -o only
    /// their number
    #[arg(value_names = ["OUT.txt", "N"], num_args = 1..=2, required = true)]
    pub(crate) output_and_count: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    /// Moves of a value beyond this, either way, are not followed
    #[arg(long, value_name = "EVAL", default_value_t = 400)]
    pub(crate) eval_limit: u16,
    #[command(flatten)]
    pub(crate) roots: RootArgs,
}

const PETA_SHOCK_NEXT2_EXAMPLES: &str = "\
One side plays its best moves, the other all its moves within the limit; the ends that are worst for
the side with the best moves come first.

Examples:
  makebook peta_shock_next2 book.db think.txt 1000
  makebook peta_shock_next2 book.db think.txt 1000 eval_limit 200 from_startpos";

const ROOTS_HELP: &str = "\
Where to begin: a record file [default: book/root_sfens.txt if that is there, else the even game]";

/// Where to begin and what to write.
#[derive(Args, Debug)]
pub(crate) struct RootArgs {
    #[arg(long, value_name = "FILE", help = ROOTS_HELP)]
    pub(crate) root_sfens_name: Option<PathBuf>,
    /// Write lines of moves from the root instead of SFENs
    #[arg(long)]
    pub(crate) from_startpos: bool,
}

/// `peta_next BOOK …`
#[derive(Args, Debug)]
#[command(after_help = PETA_NEXT_EXAMPLES)]
pub(crate) struct PetaNextArgs {
    /// The peta-shock book
    #[arg(value_name = "BOOK.db", required_unless_present = "peta_book")]
    pub(crate) book: Option<PathBuf>,
    /// The same, under the name that it has elsewhere
    #[arg(long, value_name = "BOOK.db", conflicts_with = "book", hide = true)]
    pub(crate) peta_book: Option<PathBuf>,
    /// Where to begin: a record file [default: the even game]
    #[arg(long, value_name = "FILE")]
    pub(crate) roots: Option<PathBuf>,
    /// Folder for the lists
    #[arg(
        long,
        value_name = "DIR",
        default_value = ".",
        conflicts_with = "output_option"
    )]
    pub(crate) folder: PathBuf,
    /// Folder for the lists, instead of --folder; those that exist are replaced only with --force
    #[arg(
        long = "output",
        short = 'o',
        id = "output_option",
        value_name = "DIR",
        display_order = 5
    )]
    pub(crate) output: Option<PathBuf>,
    /// How much less than the root's value the other side's moves may be worth
    #[arg(
        long,
        value_name = "EVAL",
        default_value_t = 10,
        alias = "peta-eval-diff"
    )]
    pub(crate) eval_diff: i32,
    /// Go no further than this move number
    #[arg(long, value_name = "PLY", default_value_t = 200)]
    pub(crate) max_ply: u32,
    /// Only for this side's book
    #[arg(long, value_enum)]
    pub(crate) side: Option<Side>,
}

const PETA_NEXT_EXAMPLES: &str = "\
Writes think_sfens-black.txt and think_sfens-white.txt (lines of moves), the same with -sfen (SFENs),
and think_sfens.txt and think_sfens-sfen.txt with both sides' in turn.

Examples:
  makebook peta_next peta.db
  makebook peta_next peta.db --eval-diff 60 --folder next
  makebook peta_next peta.db --side b --roots roots.txt";

/// `PetaNext`'s selection.
pub(crate) fn peta_next(args: &PetaNextArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let book = args.book.as_ref().or(args.peta_book.as_ref());
    let book = book.cloned().unwrap_or_default();
    text_books("peta_next", &[&book])?;
    let folder = args
        .output
        .as_ref()
        .map_or_else(|| Output::behind_inputs(&args.folder), Output::by_option);
    let options = PetaNext {
        eval_diff: args.eval_diff,
        max_ply: args.max_ply,
        side: args.side.map(Into::into),
        overwrite: settings.overwrite_by(&folder),
    };
    let job = settings.job()?;
    let roots = args.roots.as_deref();
    let report = yane_book::peta_next::peta_next(&book, roots, &folder.path, &options, &job)?;
    drop(job);
    let files: Vec<_> = report
        .files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    if settings.json() {
        let json = json!({
            "positions": report.positions,
            "roots": report.roots,
            "black": report.black,
            "white": report.white,
            "illegal_moves": report.illegal_moves,
            "files": files,
        });
        print::json(&json)?;
        return Ok(ExitCode::SUCCESS);
    }
    let sides = [("black", report.black), ("white", report.white)];
    let mut lines = vec![format!("positions = {}", report.positions)];
    lines.extend(
        sides
            .iter()
            .filter_map(|(name, count)| Some(format!("{name}     = {}", (*count)?))),
    );
    if report.illegal_moves > 0 {
        lines.push(format!("illegal   = {}", report.illegal_moves));
    }
    print::lines(lines)?;
    Ok(ExitCode::SUCCESS)
}

/// Ends of best lines.
pub(crate) fn peta_shock_next(
    args: &PetaShockNextArgs,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    text_books("peta_shock_next", &[&args.book])?;
    let (output, count) = output_and_count(&args.output_option, &args.output_and_count)?;
    let options = PetaShockNext {
        eval_noise: args.eval_noise,
        seed: args.seed,
        output: how_to_write(&args.roots, &output, settings),
        ..PetaShockNext::new(count)
    };
    let roots = usual_roots(args.roots.root_sfens_name.as_ref());
    let job = settings.job()?;
    let report = yane_book::peta_next::peta_shock_next(
        &args.book,
        roots.as_deref(),
        &output.path,
        &options,
        &job,
    )?;
    drop(job);
    print_report(&report, settings)
}

/// One side's best moves against all of the other's.
pub(crate) fn peta_shock_next2(
    args: &PetaShockNext2Args,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    text_books("peta_shock_next2", &[&args.book])?;
    let (output, count) = output_and_count(&args.output_option, &args.output_and_count)?;
    let options = PetaShockNext2 {
        eval_limit: args.eval_limit,
        output: how_to_write(&args.roots, &output, settings),
        ..PetaShockNext2::new(count)
    };
    let roots = usual_roots(args.roots.root_sfens_name.as_ref());
    let job = settings.job()?;
    let report = yane_book::peta_next::peta_shock_next2(
        &args.book,
        roots.as_deref(),
        &output.path,
        &options,
        &job,
    )?;
    drop(job);
    print_report(&report, settings)
}

/// `OUT N`, or with `-o OUT` only `N`.
fn output_and_count(
    option: &OutputOption,
    words: &[PathBuf],
) -> Result<(Output, usize), UsageError> {
    let (behind, count) = match words {
        [output, count] => (Some(Output::classic(output)), count),
        [count] if option.is_given() => (None, count),
        _ => {
            return Err(UsageError(
                "expected OUT.txt N, or N and -o OUT.txt".to_owned(),
            ));
        }
    };
    let number = count.to_str().and_then(|count| count.parse().ok());
    let count = number.ok_or_else(|| {
        let count = count.display();
        UsageError(format!("{count}: expected N, a number of positions"))
    })?;
    Ok((option.or(behind)?, count))
}

fn how_to_write(args: &RootArgs, output: &Output, settings: &Settings) -> ShockOutput {
    let usual = PetaShockNext::new(0).output;
    ShockOutput {
        from_startpos: args.from_startpos,
        bad_lines: settings.bad_lines(),
        line_end: settings.line_end_or(usual.line_end),
        overwrite: settings.overwrite_by(output),
    }
}

fn print_report(report: &ShockNextReport, settings: &Settings) -> anyhow::Result<ExitCode> {
    if settings.json() {
        let json = json!({
            "positions": report.positions,
            "roots": report.roots,
            "written": report.written,
            "left_out": report.left_out,
        });
        print::json(&json)?;
    } else {
        print::lines([
            format!("positions = {}", report.positions),
            format!("written   = {}", report.written),
        ])?;
    }
    Ok(ExitCode::SUCCESS)
}
