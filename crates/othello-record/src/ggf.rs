//! GGF, the format of GGS and its archives, and SGF: games as lists of properties.

use othello_core::{Board, Game, Move, Position, Side, Square};

use crate::side::fold;
use crate::{Error, boards, side, transcript};

/// A property: its name in capitals and the text between its brackets.
type Property = (String, String);

/// The format of a text that is a list of properties: `GGF` or `SGF`.
pub(crate) fn format_name(text: &str) -> Option<&'static str> {
    let begins = begin(text)?;
    let body: String = text[begins..]
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect();
    let is_ggf = ["GM[Othello]", "GM[othello]", "GM[OTHELLO]", "BO["];
    if is_ggf.iter().any(|property| body.contains(property)) {
        return Some("GGF");
    }
    body.contains('[').then_some("SGF")
}

/// The offset of the first game: archives have a count before it.
fn begin(text: &str) -> Option<usize> {
    let trimmed = text.trim_start();
    let trimmed = trimmed
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start();
    let is_one = trimmed.strip_prefix('(')?.trim_start().starts_with(';');
    is_one.then(|| text.len() - trimmed.len())
}

/// The games of a text, each with its offset.
pub(crate) fn games(text: &str) -> Vec<(usize, &str)> {
    let Some(mut at) = begin(text) else {
        return Vec::new();
    };
    let mut games = Vec::new();
    loop {
        let game = &text[at..];
        let end = end(game);
        games.push((at, &game[..end]));
        let rest = &game[end..];
        match begin(rest) {
            Some(next) => at += end + next,
            None => return games,
        }
    }
}

/// The offset behind the closing parenthesis of a game; parentheses in brackets do not count.
fn end(game: &str) -> usize {
    let (mut depth, mut in_value, mut escaped) = (0usize, false, false);
    for (at, c) in game.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_value = true,
            ']' => in_value = false,
            '(' if !in_value => depth += 1,
            ')' if !in_value => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    game.len()
}

/// The properties of a game up to its first variation.
fn properties(game: &str) -> Result<Vec<Property>, Error> {
    let mut found = Vec::new();
    let mut name = String::new();
    let mut chars = game.chars();
    let mut opened = 0;
    while let Some(c) = chars.next() {
        match c {
            '[' => {
                let mut value = String::new();
                loop {
                    match chars.next() {
                        Some('\\') => value.extend(chars.next()),
                        Some(']') => break,
                        Some(c) => value.push(c),
                        None => {
                            let reason = format!("the value of {name} has no ']' at its end");
                            return Err(Error::Game {
                                format: "GGF or SGF",
                                reason,
                            });
                        }
                    }
                }
                // Several values may follow one name.
                if name.is_empty()
                    && let Some((last, _)) = found.last()
                {
                    name.clone_from(last);
                }
                found.push((std::mem::take(&mut name), value));
            }
            '(' => {
                opened += 1;
                // The first variation is the game.
                if opened > 1 {
                    name.clear();
                }
            }
            ')' => break,
            c if c.is_ascii_alphabetic() => name.push(c.to_ascii_uppercase()),
            _ => {}
        }
    }
    Ok(found)
}

/// Parses the game of a list of properties.
pub(crate) fn game(text: &str) -> Result<Game, Error> {
    let format = format_name(text).unwrap_or("SGF");
    let wrong = |reason: String| Error::Game { format, reason };
    let all = properties(text)?;
    let mut game = Game::new(start(&all).map_err(&wrong)?);
    let mut number = 0;
    for (name, value) in &all {
        let side = match name.as_str() {
            "B" => Side::Black,
            "W" => Side::White,
            _ => continue,
        };
        number += 1;
        let text = value.split('/').next().unwrap_or_default().trim();
        let mv = if text.is_empty() {
            Some(Move::Pass)
        } else {
            transcript::single(text)
        };
        let mv = mv.ok_or_else(|| {
            wrong(format!(
                "move {number}: '{text}' is neither a square nor a pass"
            ))
        })?;
        if !play(&mut game, side, mv) {
            return Err(wrong(format!("move {number}: {name}[{text}] is not legal")));
        }
    }
    Ok(game)
}

/// Plays a move of a side, and before it a pass that was not written.
fn play(game: &mut Game, side: Side, mv: Move) -> bool {
    if game.position().board().is_over() && mv == Move::Pass {
        return true;
    }
    if game.position().side() != side && !game.play(Move::Pass) {
        return false;
    }
    game.play(mv)
}

/// The start position of a game.
fn start(all: &[Property]) -> Result<Position, String> {
    let value = |name: &str| all.iter().find(|(n, _)| n == name).map(|(_, value)| value);
    if let Some(size) = value("SZ").filter(|size| !["8", "8:8"].contains(&size.trim())) {
        return Err(format!(
            "a board of 8 × 8 squares was expected, not of {size}"
        ));
    }
    if let Some(text) = value("BO") {
        let text = fold(text);
        let size = text.split_whitespace().next().unwrap_or_default();
        if size.parse::<u8>().is_ok_and(|size| size != 8 && size > 2) {
            return Err(format!(
                "a board of 8 × 8 squares was expected, not of {size}"
            ));
        }
        let parsed = boards::parse_board(&text).map_err(|error| format!("BO: {error}"))?;
        return Ok(parsed.positions[0]);
    }
    let discs = |name: &str| {
        let values = all.iter().filter(|(n, _)| n == name);
        let squares = values.map(|(_, value)| {
            let square = value.trim().parse::<Square>();
            square
                .map(Square::bit)
                .map_err(|error| format!("{name}: {error}"))
        });
        squares.sum::<Result<u64, String>>()
    };
    let (black, white) = (discs("AB")?, discs("AW")?);
    if black | white == 0 {
        return Ok(Position::START);
    }
    let first = all
        .iter()
        .find(|(name, _)| ["B", "W"].contains(&name.as_str()));
    let said = value("PL").and_then(|word| side::side(word));
    let begins = said.or_else(|| first.and_then(|(name, _)| side::side(name)));
    let black_moves = Board::new(black, white).map_err(|error| error.to_string())?;
    Ok(match begins {
        Some(Side::White) => Position::new(black_moves.passed(), Side::White),
        _ => Position::new(black_moves, Side::Black),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "(;GM[Othello]PC[GGS/os]PB[a (b\\]c)]RE[+2]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]";

    #[test]
    fn games_of_ggs_are_read() {
        let text = format!("1 {HEAD}B[F5//1.5]W[d6/0.2]B[C3];)");
        assert_eq!(format_name(&text), Some("GGF"));
        let read = game(&text).unwrap();
        assert_eq!(read.to_string(), "f5d6c3");
        let two = format!("2 {text}\n{HEAD}B[D3];)");
        let all: Vec<_> = games(&two[2..])
            .iter()
            .map(|(_, text)| game(text).unwrap().to_string())
            .collect();
        assert_eq!(all, ["f5d6c3", "d3"]);
    }

    #[test]
    fn games_of_sgf_are_read() {
        let text = "(;GM[2]FF[4]SZ[8]PB[x];B[f5];W[d6](;B[c3])(;B[c5]))";
        assert_eq!(format_name(text), Some("SGF"));
        assert_eq!(game(text).unwrap().to_string(), "f5d6c3");
        let text = "(;GM[2]AB[d5][e4]AW[d4][e5]PL[W];W[f4];B[f5])";
        let read = game(text).unwrap();
        assert_eq!(
            (read.start(), read.moves().len()),
            (Position::START.passed(), 2)
        );
    }

    #[test]
    fn errors_are_reported_with_their_move() {
        for (moves, reason) in [
            ("B[F5]W[F5]", "move 2: W[F5] is not legal"),
            ("B[F5]B[D6]", "move 2: B[D6] is not legal"),
            ("B[F5]W[X9]", "move 2: 'X9' is neither a square nor a pass"),
        ] {
            let error = game(&format!("{HEAD}{moves};)")).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        let large = HEAD.replace("BO[8 ", "BO[10 ");
        assert!(game(&large).unwrap_err().to_string().contains("not of 10"));
        assert!(game("(;GM[Othello]B[f5").is_err());
    }
}
