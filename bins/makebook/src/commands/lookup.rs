//! `lookup`.

use std::process::ExitCode;

use serde_json::json;
use shogi_core::Position;
use yane_book::lookup::{Found, Match};
use yane_book::records::Root;
use yane_cli::{FINDINGS, UsageError};

use crate::cli::LookupArgs;
use crate::print;
use crate::settings::Settings;

/// Shows what a book says about a position.
pub(crate) fn lookup(args: &LookupArgs, settings: &Settings) -> anyhow::Result<ExitCode> {
    let line = args.position.join(" ");
    let root = Root::parse(line.as_bytes())
        .map_err(|fault| UsageError(format!("position {line:?}: {fault}")))?;
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

fn as_json(position: &Position, found: Option<&Found>) -> serde_json::Value {
    let moves: Option<Vec<_>> =
        found.map(|found| found.moves.iter().map(print::move_json).collect());
    json!({
        "sfen": position.to_sfen(),
        "found": found.map(|found| match found.matched {
            Match::Exact => "exact",
            Match::OtherPly => "other-ply",
            Match::Turned => "turned",
            Match::TurnedOtherPly => "turned-other-ply",
        }),
        "moves": moves,
    })
}

/// The entry as it would stand in a text book, with a comment on how it was found.
fn as_lines(position: &Position, found: Option<&Found>) -> Vec<String> {
    let mut lines = vec![format!("sfen {}", position.to_sfen())];
    let Some(found) = found else {
        lines.push("# not found".to_owned());
        return lines;
    };
    lines.extend(match found.matched {
        Match::Exact => None,
        Match::OtherPly => Some("# found at another ply".to_owned()),
        Match::Turned => Some("# found turned by 180 degrees".to_owned()),
        Match::TurnedOtherPly => Some("# found turned by 180 degrees, at another ply".to_owned()),
    });
    lines.extend(found.moves.iter().map(print::move_line));
    lines
}
