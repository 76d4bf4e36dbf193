//! Lines from games and positions.

use shogi_core::{AperyMove16, Position};
use shogi_packed::Hcp;

use crate::hcpe3::{self, HEADER_LEN, Hcpe3Game};
use crate::pack::{self, END_LEN, Game, HCP_START_LEN, PLY_LEN, PackStart, Ply, is_initial};
use crate::{EndReason, Sample, TeacherResult};

/// Appends the line of a game whose bytes are at `offset` of a pack file, as number `game` (from 0).
/// It tells of the start as the bytes have it.
///
/// # Errors
/// What is wrong with the game; nothing is appended then.
pub fn write_frame(
    line: &mut Vec<u8>,
    game: u64,
    offset: u64,
    frame: &pack::PackFrame<'_>,
    replayer: &mut pack::PackReplayer,
) -> Result<(), pack::PackProblem> {
    let played = Game::from_frame(frame, replayer)?;
    let hcp = match &frame.start {
        PackStart::Initial => None,
        PackStart::Hcp { hcp, .. } => Some(hcp),
    };
    let ends = Ends {
        start: played.start(),
        hcp,
        last: replayer.position(),
    };
    put_game(line, game, offset, &ends, &played);
    Ok(())
}

/// Appends the line of a game as it would be at `offset` of a pack file, as number `game` (from 0).
pub fn write_game(line: &mut Vec<u8>, game: u64, offset: u64, played: &Game) {
    let hcp = (!is_initial(played.start())).then(|| hcp_of(played.start()));
    let mut last = played.start().clone();
    for ply in played.plies() {
        let _ = last.do_move_unchecked(ply.mv);
    }
    let ends = Ends {
        start: played.start(),
        hcp: hcp.as_ref(),
        last: &last,
    };
    put_game(line, game, offset, &ends, played);
}

/// The 32 bytes of a game's start. There is no game whose start has not both kings.
fn hcp_of(start: &Position) -> Hcp {
    Hcp::encode(start).expect("the start of a game has both kings")
}

/// Start and end of a game.
struct Ends<'a> {
    start: &'a Position,
    /// `None` for a start that pack files hold as the initial position.
    hcp: Option<&'a Hcp>,
    last: &'a Position,
}

fn put_game(line: &mut Vec<u8>, game: u64, offset: u64, ends: &Ends<'_>, played: &Game) {
    let start = ends.start;
    put!(
        line,
        r#"{{"game": {game}, "offset": {offset}, "start_kind": {}, "start_sfen": "{start}", "game_ply": {}"#,
        u8::from(ends.hcp.is_none()),
        start.ply()
    );
    if let Some(hcp) = ends.hcp {
        put!(line, r#", "start_hcp": "{hcp}""#);
    }
    put_ending(line, played.result(), played.reason());
    let plies = played.plies();
    put!(line, r#", "plies": {}, "moves": ""#, plies.len());
    put_moves(line, plies);
    put!(line, r#"", "move16": "#);
    put_list(line, plies, |line, ply| {
        put!(line, "{}", AperyMove16::from(ply.mv).0);
    });
    put!(line, r#", "scores": "#);
    put_list(line, plies, |line, ply| put!(line, "{}", ply.score));
    let bytes = game_len(ends.hcp.is_some(), plies.len());
    put!(
        line,
        r#", "final_sfen": "{}", "bytes": {bytes}}}"#,
        ends.last
    );
    line.push(b'\n');
}

fn put_ending(line: &mut Vec<u8>, result: TeacherResult, reason: EndReason) {
    put!(
        line,
        r#", "terminator": "{}", "result": {}, "reason": {}"#,
        terminator(result),
        result as u8,
        reason.0
    );
}

/// The bits that end a game with this result, as text.
pub(super) fn terminator(result: TeacherResult) -> String {
    format!("{:#06x}", pack::terminator(result))
}

/// Bytes of a game in a pack file.
pub(super) const fn game_len(starts_from_hcp: bool, plies: usize) -> usize {
    let start = if starts_from_hcp { HCP_START_LEN } else { 1 };
    start + plies * PLY_LEN + END_LEN
}

/// Appends the line of a game whose bytes are at `offset` of an hcpe3 file, as number `game` (from 0).
/// It tells of the start as the bytes have it.
///
/// # Errors
/// What is wrong with the game; nothing is appended then.
pub fn write_hcpe3_frame(
    line: &mut Vec<u8>,
    game: u64,
    offset: u64,
    frame: &hcpe3::Hcpe3Frame<'_>,
    replayer: &mut hcpe3::Hcpe3Replayer,
) -> Result<(), hcpe3::Hcpe3Problem> {
    let played = Hcpe3Game::from_frame(frame, replayer)?;
    put_hcpe3(line, game, offset, &frame.start, &played);
    Ok(())
}

/// Appends the line of a game as it would be at `offset` of an hcpe3 file, as number `game` (from 0).
pub fn write_hcpe3(line: &mut Vec<u8>, game: u64, offset: u64, played: &Hcpe3Game) {
    put_hcpe3(line, game, offset, &hcp_of(played.start()), played);
}

fn put_hcpe3(line: &mut Vec<u8>, game: u64, offset: u64, hcp: &Hcp, played: &Hcpe3Game) {
    let (start, plies) = (played.start(), played.plies());
    put!(
        line,
        r#"{{"game": {game}, "offset": {offset}, "start_hcp": "{hcp}", "start_sfen": "{start}""#
    );
    put!(
        line,
        r#", "moveNum": {}, "result": {}, "gameInfo": {}, "moves": ""#,
        plies.len(),
        played.ending().bits(),
        played.opponent()
    );
    put_moves(line, plies);
    put!(line, r#"", "evals": "#);
    put_list(line, plies, |line, ply| put!(line, "{}", ply.score));
    put!(line, r#", "candidates": "#);
    put_list(line, 0..plies.len(), |line, ply| {
        put_list(line, played.candidates(ply), |line, candidate| {
            put!(line, r#"["{}", {}]"#, candidate.mv, candidate.visits);
        });
    });
    put!(line, r#", "bytes": {}}}"#, hcpe3_len(played));
    line.push(b'\n');
}

/// Bytes of a game in an hcpe3 file.
pub(super) fn hcpe3_len(game: &Hcpe3Game) -> usize {
    let candidates: usize = (0..game.plies().len())
        .map(|ply| game.candidates(ply).len())
        .sum();
    HEADER_LEN + game.plies().len() * hcpe3::PLY_LEN + candidates * hcpe3::CANDIDATE_LEN
}

fn put_moves(line: &mut Vec<u8>, plies: &[Ply]) {
    for (index, ply) in plies.iter().enumerate() {
        if index > 0 {
            line.push(b' ');
        }
        put!(line, "{}", ply.mv);
    }
}

fn put_list<T>(
    line: &mut Vec<u8>,
    items: impl IntoIterator<Item = T>,
    mut put_item: impl FnMut(&mut Vec<u8>, T),
) {
    line.push(b'[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            line.extend_from_slice(b", ");
        }
        put_item(line, item);
    }
    line.push(b']');
}

/// Appends the line of a position.
pub fn write_sample(line: &mut Vec<u8>, sample: &Sample) {
    put!(
        line,
        r#"{{"sfen": "{}", "move": "{}", "score": {}, "result": {}"#,
        sample.position,
        sample.move_text(),
        sample.score,
        sample.result as u8
    );
    if let Some(ply) = sample.ply {
        put!(line, r#", "ply": {ply}"#);
    }
    line.extend_from_slice(b"}\n");
}
