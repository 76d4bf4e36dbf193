//! Values of best play: `build_tree`, `stera_convert`, `peta_shock`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgAction, Args};
use serde_json::{Value, json};
use yane_book::build_tree::{BuildTreeOptions, PlyMatters};
use yane_book::db::LineEnd;
use yane_book::graph::LinkReport;
use yane_book::peta_shock::{PetaShockOptions, PetaShockReport, USUAL_DEPTH_LIMIT};
use yane_book::records::read_roots;
use yane_book::stera_convert::SteraConvertOptions;
use yane_cli::{Output, OutputOption};

use super::from_sfen::named;
use super::{text_books, usual_roots};
use crate::args::{OutputArgs, Settings};

/// `build_tree IN OUT [black_contempt N] [white_contempt N]`
#[derive(Args, Debug)]
#[command(after_help = BUILD_TREE_EXAMPLES)]
pub(crate) struct BuildTreeArgs {
    /// The book, .db or .ybb
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Contempt for draws of black
    #[arg(
        long,
        value_name = "EVAL",
        default_value_t = 50,
        allow_negative_numbers = true
    )]
    pub(crate) black_contempt: i32,
    /// Contempt for draws of white
    #[arg(
        long,
        value_name = "EVAL",
        default_value_t = 150,
        allow_negative_numbers = true
    )]
    pub(crate) white_contempt: i32,
    /// Treat positions as the same whatever their ply
    #[arg(long, value_name = "BOOL", default_value_t = true, action = ArgAction::Set)]
    pub(crate) ignore_book_ply: bool,
    /// Accepted for old scripts; has no effect
    #[arg(long, value_name = "PLY", hide = true)]
    pub(crate) max_game_ply: Option<u32>,
}

const BUILD_TREE_EXAMPLES: &str = "\
From the even start and the usual handicaps, a move that leads to a position of the book gets the
value of best play from there on, moves that join lines of the book are added, and positions that
cannot be reached are left out. Draws by repetition are worth less by the contempt.

Examples:
  makebook build_tree book.db tree.db
  makebook build_tree book.db tree.db black_contempt 0 white_contempt 0
  makebook build_tree book.db tree.db ignore_book_ply false";

/// `stera_convert read_book IN write_book OUT root_sfens_name ROOTS`
#[derive(Args, Debug)]
#[command(after_help = STERA_CONVERT_EXAMPLES)]
pub(crate) struct SteraConvertArgs {
    /// The book, .db or .ybb
    #[arg(long, value_name = "FILE", default_value = "book/read_book.db")]
    pub(crate) read_book: PathBuf,
    /// The book with the values found
    #[arg(
        long,
        value_name = "FILE",
        default_value = "book/write_tera_book.db",
        conflicts_with = "output_option"
    )]
    pub(crate) write_book: PathBuf,
    #[command(flatten)]
    pub(crate) output_option: OutputOption,
    #[arg(long, value_name = "FILE", help = ROOTS_HELP)]
    pub(crate) root_sfens_name: Option<PathBuf>,
}

const ROOTS_HELP: &str = "\
Where lines start: a record file [default: book/root_sfens.txt if that is there, else all usual starts \
and the positions one move after]";

const STERA_CONVERT_EXAMPLES: &str = "\
Positions of which a legal move is missing are left out; all others are written.

Examples:
  makebook stera_convert read_book stera.db write_book tera.db
  makebook stera_convert read_book stera.db write_book tera.db root_sfens_name roots.txt";

/// Values from the ends of the book.
pub(crate) fn build_tree(args: &BuildTreeArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let output = args.output.named(Output::classic)?;
    text_books("build_tree", &[&output])?;
    let usual = BuildTreeOptions::default();
    let options = BuildTreeOptions {
        black_contempt: args.black_contempt,
        white_contempt: args.white_contempt,
        ply: if args.ignore_book_ply {
            PlyMatters::No
        } else {
            PlyMatters::Yes
        },
        line_end: settings.line_end_or(usual.line_end),
        overwrite: settings.overwrite_by(&output),
        bad_lines: settings.bad_lines(),
        ..usual
    };
    let job = settings.job()?;
    let report = yane_book::build_tree::build_tree(&args.input, &output.path, options, &job)?;
    drop(job);
    let tree = Tree {
        links: report.links,
        incomplete: None,
        roots: report.roots,
        reached: report.reached,
        cyclic: report.cyclic,
        positions: report.positions,
        moves: report.moves,
    };
    tree.print(settings)
}

/// The same for books with all legal moves.
pub(crate) fn stera_convert(
    args: &SteraConvertArgs,
    settings: &Settings,
) -> anyhow::Result<ExitCode> {
    let output = named(&args.output_option, &args.write_book)?;
    text_books("stera_convert", &[&output])?;
    let usual = SteraConvertOptions::default();
    let roots = usual_roots(args.root_sfens_name.as_ref());
    let roots = roots.map(|path| read_roots(&path)).transpose()?;
    let options = SteraConvertOptions {
        roots: roots.map(|roots| {
            let roots = roots.iter();
            roots.map(|root| root.game().position().clone()).collect()
        }),
        line_end: settings.line_end_or(usual.line_end),
        overwrite: settings.overwrite_by(&output),
        bad_lines: settings.bad_lines(),
        ..usual
    };
    let job = settings.job()?;
    let report =
        yane_book::stera_convert::stera_convert(&args.read_book, &output.path, &options, &job)?;
    drop(job);
    let tree = Tree {
        links: report.links,
        incomplete: Some(report.incomplete),
        roots: report.roots,
        reached: report.reached,
        cyclic: report.cyclic,
        positions: report.positions,
        moves: report.moves,
    };
    tree.print(settings)
}

/// Report of both commands.
struct Tree {
    links: LinkReport,
    incomplete: Option<u64>,
    roots: u64,
    reached: u64,
    cyclic: u64,
    positions: u64,
    moves: u64,
}

impl Tree {
    fn print(&self, settings: &Settings) -> anyhow::Result<ExitCode> {
        settings.report(&self.as_json(), self.as_lines())
    }

    fn as_json(&self) -> Value {
        json!({
            "read": self.links.nodes,
            "joined": self.links.joined,
            "bad_positions": self.links.bad_positions,
            "bad_moves": self.links.bad_moves,
            "incomplete": self.incomplete,
            "roots": self.roots,
            "reached": self.reached,
            "cyclic": self.cyclic,
            "positions": self.positions,
            "moves": self.moves,
        })
    }

    fn as_lines(&self) -> Vec<String> {
        let mut lines = vec![
            format!("roots     = {}", self.roots),
            format!("reached   = {}", self.reached),
            format!("cyclic    = {}", self.cyclic),
            format!("joined    = {} moves", self.links.joined),
            format!("positions = {}", self.positions),
            format!("moves     = {}", self.moves),
        ];
        for (count, what) in [
            (self.links.bad_positions, "bad positions"),
            (self.links.bad_moves, "bad moves"),
            (
                self.incomplete.unwrap_or(0),
                "positions that lack a legal move",
            ),
        ] {
            if count > 0 {
                lines.push(format!("left out  = {count} {what}"));
            }
        }
        lines
    }
}

// `peta_shock`.

/// `peta_shock IN OUT [shrink] [fast]`
#[derive(Args, Debug)]
#[command(after_help = PETA_SHOCK_EXAMPLES)]
pub(crate) struct PetaShockArgs {
    /// The book, .db or .ybb
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Keep only the best moves of every position
    #[arg(long)]
    pub(crate) shrink: bool,
    /// Accepted for old scripts; has no effect
    #[arg(long)]
    pub(crate) fast: bool,
}

const PETA_SHOCK_EXAMPLES: &str = "\
A move that leads to a position of the book gets the value of best play from there on; positions are
the same whatever their ply and turned by 180 degrees. Depth 9999 stands for a line that repeats for
ever. Illegal moves are errors unless --skip-bad is given.

Examples:
  makebook peta_shock book.db peta.db
  makebook peta_shock book.db best_only.db shrink
  makebook peta_shock book.ybb peta.ybb";

/// Gives every move the value of the best play behind it.
pub(crate) fn peta_shock(args: &PetaShockArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let output = args.output.named(Output::classic)?;
    let options = PetaShockOptions {
        shrink: args.shrink,
        line_end: settings.line_end_or(LineEnd::CrLf),
        overwrite: settings.overwrite_by(&output),
        bad_lines: settings.bad_lines(),
    };
    let job = settings.job()?;
    let report = yane_book::peta_shock::peta_shock(&args.input, &output.path, options, &job)?;
    drop(job);
    settings.report(&as_json(&report), as_lines(&report))
}

fn as_json(report: &PetaShockReport) -> serde_json::Value {
    json!({
        "positions": report.positions,
        "moves": report.moves,
        "constant": report.constant,
        "in_check": report.in_check,
        "loops_in_check": report.loops_in_check,
        "loops": report.loops,
        "joined": report.joined,
        "left_out": report.left_out,
        "below_depth_limit": report.below_depth_limit,
        "comments_left_out": report.comments_left_out,
    })
}

/// The lines of the field's tool.
fn as_lines(report: &PetaShockReport) -> Vec<String> {
    let changing = report.positions.saturating_sub(report.constant);
    let mut lines = vec![
        "[ PetaShock Result ]".to_owned(),
        format!("write book nodes   : {}", report.positions),
        format!("const_nodes        : {}", report.constant),
        format!("non-const_nodes    : {changing}"),
        format!("in-check nodes     : {}", report.in_check),
        format!("check-loops nodes1 : {}", report.loops_in_check),
        format!("check-loops nodes2 : {}", report.loops),
        format!("converged_moves    : {}", report.joined),
    ];
    if report.left_out > 0 {
        lines.push(format!("left out           : {}", report.left_out));
    }
    if report.comments_left_out > 0 {
        let count = report.comments_left_out;
        lines.push(format!("comments           : {count} left out"));
    }
    if report.below_depth_limit > 0 {
        let (below, all) = (report.below_depth_limit, report.positions);
        lines.push(format!(
            "Depths of this book are lengths of lines within it: set BookDepthLimit to 0, or {below} of {all} positions, \
             whose depth is below the usual {USUAL_DEPTH_LIMIT}, are not played."
        ));
    }
    lines
}
