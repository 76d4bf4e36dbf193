//! `lookup`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use shogi_core::Position;
use yane_book::lookup::{LookupResult, Match};
use yane_book::records::Root;
use yane_cli::{FINDINGS, UsageError};

use crate::print;
use crate::settings::Settings;

/// `lookup BOOK POSITION`
#[derive(Args, Debug)]
#[command(after_help = LOOKUP_EXAMPLES)]
pub(crate) struct LookupArgs {
    /// The book: .db, .ybb or .bin
    #[arg(value_name = "BOOK")]
    pub(crate) book: PathBuf,
    /// What follows the word position of USI, or an SFEN, or moves from the even start
    #[arg(required = true, value_name = "POSITION")]
    pub(crate) position: Vec<String>,
}

const LOOKUP_EXAMPLES: &str = "\
The position is looked for as it is, at any other ply, and turned by 180 degrees. A sorted book is
searched in place; one that is not is read to its end.

Exit code: 0 when the position was found, 1 when it was not.

Examples:
  makebook lookup book.db startpos
  makebook lookup book.db startpos moves 7g7f 3c3d
  makebook lookup book.db 7g7f 3c3d
  makebook lookup book.ybb sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 --json";

/// Shows what a book says about a position.
pub(crate) fn lookup(args: &LookupArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let line = args.position.join(" ");
    let root = Root::parse(line.as_bytes())
        .map_err(|problem| UsageError(format!("position {line:?}: {problem}")))?;
    let position = root.game().position();
    let job = settings.job()?;
    let found = yane_book::lookup::lookup(&args.book, position, &job)?;
    drop(job);
    if settings.json() {
        print::json(&as_json(position, found.as_ref()))?;
    } else {
        print::lines(as_lines(position, found.as_ref()))?;
    }
    Ok(if found.is_some() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FINDINGS)
    })
}

fn as_json(position: &Position, found: Option<&LookupResult>) -> serde_json::Value {
    let moves: Option<Vec<_>> =
        found.map(|found| found.moves.iter().map(print::move_json).collect());
    json!({
        "sfen": position.to_sfen(),
        "found": found.map(|found| match found.matched {
            Match::Exact => "exact",
            Match::OtherPly => "other-ply",
            Match::Flipped => "turned",
            Match::FlippedOtherPly => "turned-other-ply",
        }),
        "moves": moves,
    })
}

/// The entry as it would stand in a text book, with a comment on how it was found.
fn as_lines(position: &Position, found: Option<&LookupResult>) -> Vec<String> {
    let mut lines = vec![format!("sfen {}", position.to_sfen())];
    let Some(found) = found else {
        lines.push("# not found".to_owned());
        return lines;
    };
    lines.extend(match found.matched {
        Match::Exact => None,
        Match::OtherPly => Some("# found at another ply".to_owned()),
        Match::Flipped => Some("# found turned by 180 degrees".to_owned()),
        Match::FlippedOtherPly => Some("# found turned by 180 degrees, at another ply".to_owned()),
    });
    lines.extend(found.moves.iter().map(print::move_line));
    lines
}
