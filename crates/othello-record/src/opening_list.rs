//! Lists of openings in the forms of programs.

use othello_core::{Board, Game, Position, Side};

use crate::opening::{NamedOpening, OpeningError, OpeningProblem};
use crate::side::fold;

/// Reads a list. Comments begin with `#` or `//`.
pub(crate) fn read(text: &str) -> Result<Vec<NamedOpening>, OpeningError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(n, line)| (n + 1, line.trim_start().trim_end_matches(is_blank)))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#') && !line.starts_with("//"))
        .peekable();
    // Zebra's list begins with its length.
    let announced = lines
        .peek()
        .and_then(|&(n, line)| Some((n, line.parse::<usize>().ok()?)));
    if announced.is_some() {
        lines.next();
    }
    let openings: Vec<_> = lines
        .map(|(n, line)| opening(line).map_err(|problem| OpeningError { line: n, problem }))
        .collect::<Result<_, _>>()?;
    match announced {
        Some((line, count)) if openings.len() < count => Err(OpeningError {
            line,
            problem: OpeningProblem::Count {
                announced: count,
                found: openings.len(),
            },
        }),
        _ => Ok(openings),
    }
}

/// Returns whether a character is a blank that parts no columns.
fn is_blank(c: char) -> bool {
    c.is_whitespace() && c != '\t'
}

/// Reads a line of a list.
fn opening(line: &str) -> Result<NamedOpening, OpeningProblem> {
    // `NAME = MOVES`, as lists of joseki have it.
    if let Some((name, moves)) = line.rsplit_once('=')
        && let Ok(game) = fold(moves).trim().parse::<Game>()
        && !game.moves().is_empty()
    {
        return named(game, name).ok_or(OpeningProblem::Expected);
    }
    let (first, names) = line
        .split_once([' ', '\t', '　', ','])
        .ok_or_else(|| OpeningProblem::NoName(line.to_owned()))?;
    let game = if let Some(position) = board(first) {
        Game::new(position?)
    } else {
        let game: Game = fold(first).parse()?;
        if game.moves().is_empty() {
            return Err(OpeningProblem::Expected);
        }
        game
    };
    named(game, names).ok_or(OpeningProblem::Expected)
}

/// The opening of a game with its names: one for both languages, or English and Japanese with a tab between them.
fn named(game: Game, names: &str) -> Option<NamedOpening> {
    let names = names.trim_matches(is_blank);
    let (english, japanese) = match names.trim().split_once('\t') {
        // One of two columns may be empty.
        _ if names.starts_with('\t') => ("", names),
        Some(both) => both,
        None if names.ends_with('\t') => (names, ""),
        None => (names, names),
    };
    let (english, japanese) = (english.trim(), japanese.trim());
    (!english.is_empty() || !japanese.is_empty()).then(|| NamedOpening {
        game,
        english: english.to_owned(),
        japanese: japanese.to_owned(),
    })
}

/// The position of 64 squares in Egaroucid's lists: `0` for black, `1` for white, `.` for an empty square. Nothing for another text.
fn board(text: &str) -> Option<Result<Position, OpeningProblem>> {
    let is_square = |c: char| "01.".contains(c);
    if text.len() < 60 || !text.chars().all(is_square) {
        return None;
    }
    if text.len() != 64 {
        return Some(Err(OpeningProblem::Squares(text.len())));
    }
    let bits = |disc: char| {
        let set = text.chars().enumerate().filter(|(_, c)| *c == disc);
        set.fold(0u64, |bits, (at, _)| bits | 1 << at)
    };
    let (black, white) = (bits('0'), bits('1'));
    let discs = (black | white).count_ones();
    let board = |mover, opponent| Board::new(mover, opponent).map_err(OpeningProblem::from);
    // Nobody has passed, or the side could not move.
    Some(if discs.is_multiple_of(2) {
        board(black, white).map(|board| Position::new(board, Side::Black).after_forced_pass())
    } else {
        board(white, black).map(|board| Position::new(board, Side::White).after_forced_pass())
    })
}
