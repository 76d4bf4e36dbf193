//! `build_tree` and `stera_convert`.

use std::process::ExitCode;

use serde_json::{Value, json};
use yane_book::build_tree::{BuildTreeOptions, PlyMatters};
use yane_book::graph::LinkReport;
use yane_book::records::read_roots;
use yane_book::stera_convert::SteraConvertOptions;
use yane_cli::Output;

use super::records::named;
use super::{text_books, usual_roots};
use crate::cli::{BuildTreeArgs, SteraConvertArgs};
use crate::print;
use crate::settings::Settings;

/// Values from the ends of the book.
pub(crate) fn build_tree(args: &BuildTreeArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let output = args
        .output_option
        .or(args.output.clone().map(Output::classic))?;
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
        on_fault: settings.on_graph_fault(),
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
        on_fault: settings.on_graph_fault(),
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

/// What both report.
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
        if settings.json() {
            print::json(&self.as_json())?;
        } else {
            print::lines(self.as_lines())?;
        }
        Ok(ExitCode::SUCCESS)
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
