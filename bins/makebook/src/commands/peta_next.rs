//! Positions to search next: `peta_next`, `peta_shock_next`, `peta_shock_next2`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use yane_book::Job;
use yane_book::peta_next::{PetaNext, PetaShockNext, PetaShockNext2, ShockNextReport, ShockOutput};
use yane_cli::{Output, OutputOption, UsageError};

use super::{text_books, usual_roots};
use crate::args::{FollowArgs, Settings};

/// `peta_shock_next BOOK OUT N …`
#[derive(Args, Debug)]
#[command(
    override_usage = "makebook peta_shock_next [OPTIONS] <BOOK.db> <OUT.txt> <N>",
    after_help = PETA_SHOCK_NEXT_EXAMPLES
)]
pub(crate) struct PetaShockNextArgs {
    #[command(flatten)]
    shock: ShockArgs,
    /// Standard deviation of random numbers added to the values of the book
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    eval_noise: f64,
    /// Seed of the random numbers
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
}

const PETA_SHOCK_NEXT_EXAMPLES: &str = "\
Follows best play to the end of the book, lists the position there, takes that move out, and so on.

Examples:
  makebook peta_shock_next book.db think.txt 1000
  makebook peta_shock_next book.db think.txt 1000 eval_noise 20 seed 7
  makebook peta_shock_next book.db think.txt 1000 from_startpos root_sfens_name roots.txt";

/// `peta_shock_next2 BOOK OUT N …`
#[derive(Args, Debug)]
#[command(
    override_usage = "makebook peta_shock_next2 [OPTIONS] <BOOK.db> <OUT.txt> <N>",
    after_help = PETA_SHOCK_NEXT2_EXAMPLES
)]
pub(crate) struct PetaShockNext2Args {
    #[command(flatten)]
    shock: ShockArgs,
    /// Moves of a value beyond this, either way, are not followed
    #[arg(long, value_name = "EVAL", default_value_t = 400)]
    eval_limit: u16,
}

const PETA_SHOCK_NEXT2_EXAMPLES: &str = "\
One side plays its best moves, the other all its moves within the limit; the ends that are worst for
the side with the best moves come first, half of the N positions for each side.

Examples:
  makebook peta_shock_next2 book.db think.txt 1000
  makebook peta_shock_next2 book.db think.txt 1000 eval_limit 200 from_startpos";

const ROOTS_HELP: &str = "\
Where lines start: a record file [default: book/root_sfens.txt if that is there, else the even game]";

/// The book, where lines start, and what to write.
#[derive(Args, Debug)]
pub(crate) struct ShockArgs {
    /// The book, not yet peta-shocked
    #[arg(value_name = "BOOK.db")]
    book: PathBuf,
    /// The list to write, and the number of positions for each root; with -o only the number
    #[arg(value_names = ["OUT.txt", "N"], num_args = 1..=2, required = true)]
    output_and_count: Vec<PathBuf>,
    #[command(flatten)]
    output_option: OutputOption,
    #[arg(long, value_name = "FILE", help = ROOTS_HELP)]
    root_sfens_name: Option<PathBuf>,
    /// Write lines of moves from the root instead of SFENs
    #[arg(long)]
    from_startpos: bool,
}

/// A list of positions to search next: from a book and a file of roots into a list.
type ListPositions<O> =
    fn(&Path, Option<&Path>, &Path, &O, &Job) -> yane_book::Result<ShockNextReport>;

impl ShockArgs {
    /// Runs `list` with `options`, which get the number of positions and how to write them.
    fn run<O>(
        &self,
        command: &str,
        settings: &Settings,
        options: impl FnOnce(usize, ShockOutput) -> O,
        list: ListPositions<O>,
    ) -> anyhow::Result<ExitCode> {
        text_books(command, &[&self.book])?;
        let (output, count) = self.output_and_count()?;
        let usual = ShockOutput::default();
        let options = options(
            count,
            ShockOutput {
                from_startpos: self.from_startpos,
                bad_lines: settings.bad_lines(),
                line_end: settings.line_end_or(usual.line_end),
                overwrite: settings.overwrite_by(&output),
            },
        );
        let roots = usual_roots(self.root_sfens_name.as_ref());
        let job = settings.job()?;
        let report = list(&self.book, roots.as_deref(), &output.path, &options, &job)?;
        drop(job);
        let json = json!({
            "positions": report.positions,
            "roots": report.roots,
            "written": report.written,
            "left_out": report.left_out,
        });
        let lines = [
            format!("positions = {}", report.positions),
            format!("written   = {}", report.written),
        ];
        settings.report(&json, lines)
    }

    /// `OUT N`, or with `-o OUT` only `N`.
    fn output_and_count(&self) -> Result<(Output, usize), UsageError> {
        let (behind, count) = match &self.output_and_count[..] {
            [output, count] => (Some(Output::classic(output)), count),
            [count] if self.output_option.is_given() => (None, count),
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
        Ok((self.output_option.or(behind)?, count))
    }
}

/// Lists the ends of best lines.
pub(crate) fn peta_shock_next(
    args: &PetaShockNextArgs,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    let options = |count, output| PetaShockNext {
        eval_noise: args.eval_noise,
        seed: args.seed,
        output,
        ..PetaShockNext::new(count)
    };
    let list = yane_book::peta_next::peta_shock_next;
    args.shock.run("peta_shock_next", settings, options, list)
}

/// Lists the ends of one side's best moves against all of the other's.
pub(crate) fn peta_shock_next2(
    args: &PetaShockNext2Args,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    let options = |count, output| PetaShockNext2 {
        eval_limit: args.eval_limit,
        output,
        ..PetaShockNext2::new(count)
    };
    let list = yane_book::peta_next::peta_shock_next2;
    args.shock.run("peta_shock_next2", settings, options, list)
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
    /// Root positions: a record file [default: the even game]
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
    #[command(flatten)]
    pub(crate) follow: FollowArgs,
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
        overwrite: settings.overwrite_by(&folder),
        ..args.follow.options()
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
    let json = json!({
        "positions": report.positions,
        "roots": report.roots,
        "black": report.black,
        "white": report.white,
        "illegal_moves": report.illegal_moves,
        "files": files,
    });
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
    settings.report(&json, lines)
}
