//! The one reader of games and positions that come from outside: arguments, files, the clipboard.
//!
//! [`read`] takes a text that is one game or position, whatever its form, and says which [`Kind`] it was.
//! [`read_all`] takes one or many, [`read_lines`] one a line, [`wthor`] the bytes of a file of WTHOR.
//!
//! ```
//! use othello_core::reading::{Kind, read};
//!
//! for text in [
//!     "f5d6c3d3c4",
//!     "1. F5 D6 2. C3 D3 3. C4",
//!     "Ｆ５－Ｄ６－Ｃ３－Ｄ３－Ｃ４",
//!     "------------------XO------XXX------OXX-----O-------------------- O",
//!     "0x0000100010100000\t0x000020380c000000",
//! ] {
//!     let given = read(text)?;
//!     assert_eq!(given.position().to_bitboards(), "0x0000100010100000\t0x000020380c000000");
//! }
//! assert_eq!(read("f5-d6")?.kind, Kind::Transcript);
//! # Ok::<(), othello_core::ReadError>(())
//! ```
//!
//! # What may be read in two ways
//!
//! * Two numbers are the discs of the player to move and the opponent's, h8 = bit 0, as Egaroucid copies them. If no
//!   game comes to that board, but one does with the numbers exchanged, they are. Words say it otherwise: `black … white
//!   …`, `a1 = bit 0`.
//! * A board that does not say who moves is that of the side that would if nobody has passed.
//!
//! [`Given::positions`] has the other reading behind the likelier one, and [`Given::remark`] says what was taken.

mod lines;

use std::borrow::Cow;
use std::fmt;

pub use lines::{Item, read_all, read_lines, wthor};

pub use crate::text::numbers::BitOrder;

use crate::text::{boards, drawn, fold, json, moves, numbers, properties};
use crate::{Game, Position, ReadError, TranscriptError};

/// What a text was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Moves, numbered or not.
    Transcript,
    /// 64 signs and a side.
    Board,
    /// The same as GGS has it, `[8 -------- … *]`.
    Ggs,
    /// Eight numbered rows.
    Drawing,
    /// A line of an `.obf` file: a board, then moves with scores or a comment.
    Problem,
    /// A line of a text book of Edax: a board, level, leaf, score.
    EdaxText,
    /// A board and moves from it on.
    BoardAndMoves,
    /// Two hexadecimal numbers.
    Bitboards(BitOrder),
    /// A game of GGS.
    Ggf,
    /// A game in SGF.
    Sgf,
    /// A game with tags, as chess has them.
    Pgn,
    /// JSON of Othello Quest or of this project's commands.
    Json,
    /// A record of a WTHOR file.
    Wthor,
    /// A line of a table that begins with a transcript.
    Csv,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Transcript => "a transcript",
            Self::Board => "a board of 64 squares",
            Self::Ggs => "a board of GGS",
            Self::Drawing => "a drawn board",
            Self::Problem => "an end-game problem",
            Self::EdaxText => "a line of a text book of Edax",
            Self::BoardAndMoves => "a board and moves",
            Self::Bitboards(BitOrder::A1) => "two bitboards with a1 = bit 0",
            Self::Bitboards(BitOrder::H8) => "two bitboards with h8 = bit 0",
            Self::Ggf => "a game in GGF",
            Self::Sgf => "a game in SGF",
            Self::Pgn => "a game in PGN",
            Self::Json => "JSON",
            Self::Wthor => "a game of WTHOR",
            Self::Csv => "a line of a table",
        })
    }
}

/// A game or a position that was read. A position is a game without moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// What the text was.
    pub kind: Kind,
    /// The game, in the likeliest reading.
    pub game: Game,
    /// The result that stands behind the moves, as it is written.
    pub result: Option<String>,
    others: Vec<Position>,
    remark: Option<&'static str>,
}

impl Given {
    fn of(kind: Kind, game: Game) -> Self {
        Self {
            kind,
            game,
            result: None,
            others: Vec::new(),
            remark: None,
        }
    }

    fn of_positions(kind: Kind, positions: &[Position], remark: Option<&'static str>) -> Self {
        let (first, others) = positions.split_first().unwrap_or((&Position::START, &[]));
        Self {
            others: others.to_vec(),
            remark,
            ..Self::of(kind, Game::new(*first))
        }
    }

    /// The position at the end of the game, in the likeliest reading.
    pub const fn position(&self) -> Position {
        self.game.position()
    }

    /// All positions that the text may mean, the likeliest first.
    pub fn positions(&self) -> impl Iterator<Item = Position> + '_ {
        std::iter::once(self.position()).chain(self.others.iter().copied())
    }

    /// What was taken of several readings, as a sentence.
    pub const fn remark(&self) -> Option<&'static str> {
        self.remark
    }

    /// All positions that the text may mean, the likeliest first, each with a sentence that says what was taken.
    pub fn readings(&self) -> impl Iterator<Item = (Position, Option<&'static str>)> + '_ {
        let other = match (self.kind, self.remark) {
            (Kind::Bitboards(_), None) => Some(EXCHANGED),
            (Kind::Bitboards(_), Some(_)) => None,
            (_, remark) => remark,
        };
        let others = self.others.iter().map(move |&position| (position, other));
        std::iter::once((self.position(), self.remark)).chain(others)
    }
}

const NO_SIDE: &str = "The text does not say who moves.";
const SWAPPED: &str =
    "The second number is taken for the player to move: no game comes to the other board.";

const EXCHANGED: &str = "The second number is taken for the player to move.";

/// Reads a game or a position in any form; an empty text is the start of a game.
///
/// # Errors
///
/// What is wrong, and where, in the form that the text most looks like; several games where one is expected.
pub fn read(text: &str) -> Result<Given, ReadError> {
    let folded = fold::fold(text);
    let text = folded.trim();
    if text.is_empty() {
        return Ok(Given::of(Kind::Transcript, Game::default()));
    }
    let is_object = |text: &str| text.starts_with('{') && text.contains('"');
    if is_object(text) || text.starts_with('[') && is_object(text[1..].trim_start()) {
        return of_json(text);
    }
    if let Some(format) = properties::format_name(text) {
        return match properties::games(text).as_slice() {
            [(_, one)] => {
                let kind = if format == "GGF" {
                    Kind::Ggf
                } else {
                    Kind::Sgf
                };
                Ok(Given::of(kind, properties::game(one)?))
            }
            several => Err(ReadError::Several(several.len())),
        };
    }
    if is_tag(text) {
        return of_pgn(text);
    }
    if let Some((positions, has_side)) = drawn::drawing(text) {
        let remark = (!has_side).then_some(NO_SIDE);
        return Ok(Given::of_positions(Kind::Drawing, &positions, remark));
    }
    if let Some(given) = of_table(text) {
        return Ok(given);
    }
    if let Some(text) = boards::counted_rows(text) {
        return of_board(&text);
    }
    if numbers::looks_like_one(text) {
        return of_numbers_or_moves(text);
    }
    let unframed = without_frame(text);
    if boards::looks_like_one(&unframed) {
        return of_board(&unframed);
    }
    of_moves(named(answered(text)))
}

/// A text without the lines above and below a board, `+--------+`.
fn without_frame(text: &str) -> Cow<'_, str> {
    let is_frame = |line: &&str| {
        let line = line.trim();
        line.len() > 2 && line.starts_with('+') && line.ends_with('+')
    };
    if text.lines().any(|line| is_frame(&line)) {
        let lines: Vec<_> = text.lines().filter(|line| !is_frame(line)).collect();
        return lines.join("\n").into();
    }
    text.into()
}

/// A text without a word that says that moves follow, and without parentheses around all of it.
fn named(text: &str) -> &str {
    let words = [
        "position startpos moves",
        "startpos moves",
        "transcript",
        "moves",
        "play",
        "game",
        "kifu",
        "record",
        "棋譜",
    ];
    let lower = text.to_lowercase();
    let word = words.iter().find(|word| {
        let rest = lower.strip_prefix(**word);
        rest.is_some_and(|rest| rest.starts_with([' ', '\t', '\n', ':', '=']))
    });
    let text = word.and_then(|word| text.get(word.len()..)).unwrap_or(text);
    let text = text.trim_start_matches([' ', '\t', '\r', '\n', ':', '=']);
    let inside = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'));
    inside
        .filter(|text| !text.contains(['(', ')']))
        .unwrap_or(text)
}

/// A text of two words of hexadecimal digits, which may be moves: `f5 d6` are numbers too, but with squares that both
/// have.
fn of_numbers_or_moves(text: &str) -> Result<Given, ReadError> {
    let as_moves = of_moves(text);
    if as_moves.is_ok() {
        return as_moves;
    }
    let numbers = of_numbers(text);
    let has_moves = !matches!(as_moves, Err(ReadError::Unknown(_) | ReadError::Nothing));
    let can_be = |given: &Given| given.positions().any(|p| numbers::could_arise(p.board()));
    match numbers {
        Err(ReadError::Several(_)) => numbers,
        Ok(given) if !has_moves || can_be(&given) => Ok(given),
        // It begins with legal moves, and the numbers are no board of a game.
        _ if has_moves && begins_legally(text) => as_moves,
        numbers => numbers,
    }
}

/// Whether the first move of a text is legal.
fn begins_legally(text: &str) -> bool {
    let first: String = text.chars().take(2).collect();
    first
        .parse::<Game>()
        .is_ok_and(|game| !game.moves().is_empty())
}

/// A text without the answer that a command has printed behind it.
fn answered(text: &str) -> &str {
    let ends = [": value ", ": not in the book"];
    let end = ends.iter().filter_map(|end| text.find(end)).min();
    &text[..end.unwrap_or(text.len())]
}

fn of_moves(text: &str) -> Result<Given, ReadError> {
    let (game, result) = moves::transcript(Position::START, text).map_err(|error| match error {
        TranscriptError::Move { ply: 1, .. } => {
            let first = text.lines().next().unwrap_or_default();
            ReadError::Unknown(first.chars().take(40).collect())
        }
        error => error.into(),
    })?;
    if game.moves().is_empty() {
        return Err(ReadError::Nothing);
    }
    Ok(Given {
        result,
        ..Given::of(Kind::Transcript, game)
    })
}

fn of_json(text: &str) -> Result<Given, ReadError> {
    match json::count(text) {
        1 => {}
        several => return Err(ReadError::Several(several)),
    }
    Ok(match json::told(text)? {
        json::Told::Game(game) => Given::of(Kind::Json, game),
        json::Told::Text(text) if text.trim_start().starts_with('{') => {
            return Err(ReadError::Nothing);
        }
        json::Told::Text(text) => Given {
            kind: Kind::Json,
            ..read(&text)?
        },
        json::Told::Numbers(told) => Given::of_positions(Kind::Json, &told.positions, None),
    })
}

fn of_numbers(text: &str) -> Result<Given, ReadError> {
    let told = numbers::numbers(text)?;
    if told.goes_on {
        return Err(ReadError::Several(text.lines().count()));
    }
    let remark = told.is_swapped.then_some(SWAPPED);
    let kind = Kind::Bitboards(told.order);
    Ok(Given::of_positions(kind, &told.positions, remark))
}

/// What stands behind a position belongs to it, if it ends with the line.
fn one_line(rest: &str) -> Result<(), ReadError> {
    let lines = rest.lines().filter(|line| !line.trim().is_empty()).count();
    if lines > 1 {
        Err(ReadError::Several(lines))
    } else {
        Ok(())
    }
}

fn of_board(text: &str) -> Result<Given, ReadError> {
    let told = boards::board(text)?;
    let remark = (!told.has_side).then_some(NO_SIDE);
    let rest = told
        .rest
        .trim()
        .trim_start_matches([']', ')', '"', '\''])
        .trim_start();
    let position = |kind| {
        one_line(rest)?;
        Ok(Given::of_positions(kind, &told.positions, remark))
    };
    let is_number = |text: &str| text.trim().parse::<i32>().is_ok();
    match rest.chars().next() {
        None if told.is_ggs => position(Kind::Ggs),
        Some('a'..='z') if has_opcode(rest) => position(Kind::Problem),
        // Behind a colon is what commands print of a board.
        None | Some(':' | '|') => position(Kind::Board),
        Some(';' | '%') => position(Kind::Problem),
        Some(',') if rest[1..].split(',').next().is_some_and(is_number) => position(Kind::EdaxText),
        Some(_) => of_board_and_moves(&told.positions, rest, remark),
    }
}

/// Whether what stands behind a board is what extended position descriptions have: `bm f4; id "x"`.
fn has_opcode(rest: &str) -> bool {
    let word = rest.split_whitespace().next().unwrap_or_default();
    ["bm", "ba", "am", "id", "ce", "acd", "acn", "pv", "c0"].contains(&word)
}

fn of_board_and_moves(
    positions: &[Position],
    text: &str,
    remark: Option<&'static str>,
) -> Result<Given, ReadError> {
    let word = text.split_whitespace().next().unwrap_or_default();
    let no_side = |text: &str| ReadError::Game {
        format: "board",
        reason: format!("'{text}' is no side; X or O was expected behind the 64 squares"),
    };
    let mut first = None;
    for &position in positions {
        match moves::transcript(position, text) {
            // Signs, or the result of a game.
            Ok((game, result)) if game.moves().is_empty() => {
                if result.is_none() || remark.is_some() {
                    return Err(no_side(word));
                }
                let given = Given::of_positions(Kind::Board, positions, remark);
                return Ok(Given { result, ..given });
            }
            Ok((game, result)) => {
                let kind = Kind::BoardAndMoves;
                // The moves say who began.
                return Ok(Given {
                    result,
                    ..Given::of(kind, game)
                });
            }
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(match (remark, first) {
        (Some(_), Some(TranscriptError::Move { ply: 1, text })) => no_side(&text),
        (_, first) => first.map_or(ReadError::Nothing, ReadError::from),
    })
}

/// Whether a text begins with a tag, `[Name "value"]`.
fn is_tag(text: &str) -> bool {
    tag(text).is_some()
}

/// The tag that a text begins with: its name, its value, the text behind.
fn tag(text: &str) -> Option<(&str, &str, &str)> {
    let inside = text.trim_start().strip_prefix('[')?;
    let (name, rest) = inside.split_once(char::is_whitespace)?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let rest = rest.trim_start().strip_prefix('"').filter(|_| is_name)?;
    let (value, rest) = rest.split_once('"')?;
    let rest = rest.trim_start().strip_prefix(']')?;
    Some((name, value, rest))
}

fn of_pgn(text: &str) -> Result<Given, ReadError> {
    let (mut rest, mut start) = (text, Position::START);
    while let Some((name, value, behind)) = tag(rest) {
        if ["fen", "board", "position", "setup"].contains(&name.to_lowercase().as_str())
            && boards::looks_like_one(value)
        {
            start = boards::board(value)?.positions[0];
        }
        rest = behind;
    }
    // Comments of chess go to the end of their line.
    let lines: Vec<_> = rest
        .lines()
        .map(|line| line.split(';').next().unwrap_or(line))
        .collect();
    let more = lines.iter().filter(|line| is_tag(line)).count();
    if more > 0 {
        return Err(ReadError::Several(2));
    }
    let (game, result) = moves::transcript(start, &lines.join("\n"))?;
    Ok(Given {
        result,
        ..Given::of(Kind::Pgn, game)
    })
}

/// A line of a table: a game and three numbers.
fn of_table(text: &str) -> Option<Given> {
    let mut fields = text.split(',');
    let moves = fields.next()?;
    let mut numbers = 0;
    for field in fields {
        field.trim().parse::<i64>().ok()?;
        numbers += 1;
    }
    let is_line = numbers == 3 && !moves.contains('\n');
    let given = is_line.then(|| read(moves).ok()).flatten()?;
    Some(Given {
        kind: Kind::Csv,
        ..given
    })
}
