//! Moves as people type them, without anything around them: `76歩34歩`, `▲７六歩 △３四歩`, `7g7f 3c3d`, `+7776FU`.

use shogi_core::{Game, Move, Square};

use crate::csa::move_from_csa;
use crate::error::{KifuError, KifuProblem};
use crate::words::{is_blank, player_of_mark, take_move};

/// Signs that stand between moves.
const BETWEEN: [char; 11] = [',', '、', '，', '.', '。', '→', '-', ';', '/', '・', '|'];

/// Reads moves that follow each other from the current position of `game`: in Japanese with or without marks, blanks, numbers and
/// origins, in USI, or in CSA, also mixed. All of them are legal.
///
/// ```
/// use shogi_core::{Game, Position};
///
/// let start = Game::new(Position::startpos());
/// let moves = shogi_kifu::read_typed_moves(&start, "76歩34歩 2二角成")?;
/// assert_eq!(moves[2].to_string(), "8h2b+");
/// assert!(shogi_kifu::read_typed_moves(&start, "76歩 55玉").is_err());
/// # Ok::<(), shogi_kifu::KifuError>(())
/// ```
///
/// # Errors
/// The line, and the first text that is no move, or a move that is not legal; a text without moves.
pub fn read_typed_moves(game: &Game, text: &str) -> Result<Vec<Move>, KifuError> {
    let mut game = game.clone();
    let mut moves = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let mut rest = text;
        loop {
            rest = without_signs(rest);
            if rest.is_empty() {
                break;
            }
            let m = take(&game, &mut rest, moves.len() + 1)
                .map_err(|problem| KifuError::new(line, problem))?;
            game.play_unchecked(m);
            moves.push(m);
        }
    }
    if moves.is_empty() {
        return Err(KifuError::new(1, KifuProblem::Nothing));
    }
    Ok(moves)
}

/// What follows blanks, marks of players, signs, and the number of a move.
fn without_signs(text: &str) -> &str {
    let is_sign = |c: char| is_blank(c) || player_of_mark(c).is_some() || BETWEEN.contains(&c);
    let rest = text.trim_start_matches(is_sign);
    // `12 ７六歩`, `12.７六歩`: the number of a move ends in a blank or a dot.
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = after.len() < rest.len()
        && after.starts_with(|c: char| is_blank(c) || matches!(c, '.' | '．' | ':' | '：'));
    if is_number {
        let after = after.trim_start_matches(['.', '．', ':', '：']);
        return after.trim_start_matches(is_sign);
    }
    rest
}

/// Takes the move that a text begins with.
fn take(game: &Game, rest: &mut &str, number: usize) -> Result<Move, KifuProblem> {
    let position = game.position();
    let last_to: Option<Square> = game.last_move().map(Move::to);
    let shown = |text: &str| -> String { text.chars().take(20).collect() };
    let mut after = *rest;
    let found = if let Some(written) = take_move(&mut after) {
        let text = &rest[..rest.len() - after.len()];
        let wrong = |reason: String| KifuProblem::Move {
            found: shown(text),
            reason,
        };
        let m = written
            .resolve(position, last_to)
            .map_err(|_| wrong(format!("no such move as number {number}")))?;
        position
            .is_legal(m)
            .then_some(m)
            .ok_or_else(|| wrong(format!("it is not legal as number {number}")))?
    } else {
        let word = rest.split(|c: char| is_blank(c) || matches!(c, ',' | '、'));
        let word = word.into_iter().next().unwrap_or_default();
        after = &rest[word.len()..];
        let lower = word.to_ascii_lowercase();
        let usi = match lower.split_once('*') {
            Some((kind, to)) => format!("{}*{to}", kind.to_ascii_uppercase()),
            None => lower,
        };
        let is_move = shogi_core::MoveText::from_usi(&usi).is_some();
        let legal = position
            .move_from_usi(&usi)
            .ok()
            .or_else(|| move_from_csa(position, word).ok())
            .filter(|&m| position.is_legal(m));
        match legal {
            Some(m) => m,
            None if is_move => {
                return Err(KifuProblem::Move {
                    found: shown(word),
                    reason: format!("it is not legal as number {number}"),
                });
            }
            None => return Err(KifuProblem::expected("a move such as 76歩", &shown(word))),
        }
    };
    *rest = after;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use shogi_core::Position;

    use super::*;

    fn read(text: &str) -> Result<String, KifuError> {
        let start = Game::new(Position::startpos());
        let moves = read_typed_moves(&start, text)?;
        let names: Vec<_> = moves.iter().map(ToString::to_string).collect();
        Ok(names.join(" "))
    }

    #[test]
    fn moves_are_read_in_all_spellings() {
        const LINE: &str = "7g7f 3c3d 8h2b+ 3a2b";
        for text in [
            "76歩34歩22角成同銀",
            "▲７六歩△３四歩▲２二角成△同　銀",
            "７六歩(77) ３四歩(33) ２二角成(88) 同　銀(31)",
            "1 ７六歩 2 ３四歩 3 ２二角成 4 同銀",
            "1.76歩\n2.34歩\n3.22角成\n4.同銀",
            "7g7f,3c3d,8h2b+,3a2b",
            "7G7F 3C3D 8H2B+ 3A2B",
            "76歩 3c3d +8822UM -3122GI",
            "☗7六歩 ☖3四歩 ☗2二角成 ☖2二銀",
        ] {
            assert_eq!(read(text).unwrap(), LINE, "{text}");
        }
    }

    #[test]
    fn what_is_no_move_is_named() {
        for (text, told) in [
            ("", "no game record"),
            ("hello", "expected a move such as 76歩"),
            ("76歩 34歩 55玉", "\"55玉\" cannot be played"),
            ("76歩\n77歩", "line 2"),
            ("7g7f 7f7e", "not legal as number 2"),
            ("5銀", "expected a move"),
            ("同歩", "cannot be played"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
