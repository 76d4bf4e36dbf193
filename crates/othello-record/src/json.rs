//! Games and positions in JSON: of Othello Quest, and of this project's commands.

use othello_core::{Game, Move, Position};

use crate::bitboards::Bitboards;
use crate::{Error, bitboards, boards, side, transcript};

/// The strings of a JSON text with their keys, in order; those of lists have the key of the list.
pub(crate) fn strings(text: &str) -> Result<Vec<(String, String)>, Error> {
    let mut found = Vec::new();
    let mut name = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '"' {
            continue;
        }
        let value = string(&mut chars)?;
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        if chars.next_if_eq(&':').is_some() {
            name = value;
        } else {
            found.push((name.clone(), value));
        }
    }
    Ok(found)
}

/// The number of top-level objects or lists in a text.
pub(crate) fn count(text: &str) -> usize {
    let (mut depth, mut count) = (0usize, 0);
    let (mut in_text, mut escaped) = (false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_text => escaped = true,
            '"' => in_text = !in_text,
            '{' | '[' if !in_text => {
                count += usize::from(depth == 0);
                depth += 1;
            }
            '}' | ']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    count
}

/// Parses a string behind its first quotation mark.
fn string(chars: &mut impl Iterator<Item = char>) -> Result<String, Error> {
    let open = || Error::Game {
        format: "JSON",
        reason: "a text has no quotation mark at its end".to_owned(),
    };
    let mut value = String::new();
    loop {
        match chars.next().ok_or_else(open)? {
            '"' => return Ok(value),
            '\\' => match chars.next().ok_or_else(open)? {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                'r' => value.push('\r'),
                'u' => {
                    let digits: String = chars.take(4).collect();
                    let code = u32::from_str_radix(&digits, 16).ok();
                    value.push(code.and_then(char::from_u32).unwrap_or('\u{fffd}'));
                }
                c => value.push(c),
            },
            c => value.push(c),
        }
    }
}

/// The content of a JSON text.
pub(crate) enum JsonContent {
    /// A game, move by move.
    Game(Game),
    /// A text to be parsed in its turn.
    Text(String),
    /// Two bitboards.
    Bitboards(Bitboards),
}

/// Extracts the content of a JSON text by the keys that programs use.
pub(crate) fn content(text: &str) -> Result<JsonContent, Error> {
    let all = strings(text)?;
    let value = |names: &[&str]| {
        let named = all
            .iter()
            .find(|(name, _)| names.contains(&name.to_lowercase().as_str()));
        named.map(|(_, value)| value.as_str())
    };
    if all.iter().any(|(name, _)| name == "m") {
        return game(&all, "m").map(JsonContent::Game);
    }
    let texts = [
        "transcript",
        "board",
        "text",
        "kifu",
        "record",
        "game",
        "position",
    ];
    if let Some(text) = value(&texts) {
        let side = value(&[
            "side",
            "turn",
            "player",
            "to_move",
            "sidetomove",
            "side_to_move",
        ]);
        let side = side.filter(|side| side::side(side).is_some());
        // Only a board can lack it.
        let side = side.filter(|_| boards::parse_board(text).is_ok_and(|parsed| !parsed.has_side));
        return Ok(JsonContent::Text(match side {
            Some(side) => format!("{text} {side}"),
            None => text.to_owned(),
        }));
    }
    // Dumps have a1 = bit 0; `my` is Egaroucid's.
    for (first, second, order) in [
        ("mover", "opponent", "a1 = bit 0"),
        ("my", "opponent", ""),
        ("player", "opponent", ""),
        ("black", "white", ""),
    ] {
        if let (Some(a), Some(b)) = (value(&[first]), value(&[second]))
            && let text = format!("{first} {a} {second} {b} {order}")
            && bitboards::is_bitboards(&text)
        {
            return Ok(JsonContent::Bitboards(bitboards::parse(&text)?));
        }
    }
    for name in ["move", "moves"] {
        let moves = all.iter().filter(|(n, _)| n == name).count();
        if moves == 1 && name == "moves" {
            return Ok(JsonContent::Text(
                value(&[name]).unwrap_or_default().to_owned(),
            ));
        }
        if moves > 0 {
            return game(&all, name).map(JsonContent::Game);
        }
    }
    Err(Error::Game {
        format: "JSON",
        reason: "it has neither moves nor a transcript nor a board".to_owned(),
    })
}

/// The game of the moves with a key.
fn game(all: &[(String, String)], name: &str) -> Result<Game, Error> {
    let wrong = |number: usize, text: &str, what: &str| Error::Game {
        format: "JSON",
        reason: format!("move {number}: '{text}' is {what}"),
    };
    let mut game = Game::new(Position::START);
    let values = all.iter().filter(|(n, _)| n == name);
    for (n, (_, text)) in values.enumerate() {
        let mv = transcript::single(text);
        let mv = mv.ok_or_else(|| wrong(n + 1, text, "neither a square nor a pass"))?;
        let played = match mv {
            Move::Place(square) => game.try_play_square(square).is_ok(),
            Move::Pass => game.try_play(mv).is_ok() || game.position().board().is_over(),
        };
        if !played {
            return Err(wrong(n + 1, text, "not legal"));
        }
    }
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_found_with_their_keys() {
        let read = strings(r#"{"a": "x\"\u0031", "b": ["y", "z"], "c": 1}"#).unwrap();
        let read: Vec<_> = read.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(read, [("a", "x\"1"), ("b", "y"), ("b", "z")]);
        assert!(strings(r#"{"a": "x"#).is_err());
    }

    #[test]
    fn games_and_boards_are_found() {
        let game = |text: &str| match content(text) {
            Ok(JsonContent::Game(game)) => game.to_string(),
            Ok(JsonContent::Text(text)) => text,
            Ok(JsonContent::Bitboards(parsed)) => parsed.positions[0].to_bitboards(),
            Err(error) => error.to_string(),
        };
        for (text, expected) in [
            (
                r#"{"players":[{"name":"o"}],"position":{"moves":[{"m":"f5","t":1},{"m":"d6"}]}}"#,
                "f5d6",
            ),
            (r#"{"board":"BOARD","turn":"white"}"#, "BOARD white"),
            (r#"{"transcript":"f5d6","ply":1}"#, "f5d6"),
            (
                r#"{"found":true,"board":"--- X","moves":[{"move":"f5"}]}"#,
                "--- X",
            ),
            (r#"{"moves":[{"move":"f5"},{"move":"d6"}]}"#, "f5d6"),
            (r#"{"moves":["f5","d6"]}"#, "f5d6"),
            (r#"{"moves":"f5d6"}"#, "f5d6"),
            (
                r#"{"board":{"mover":"0000000810000000","opponent":"0000001008000000"},"value":1}"#,
                "0x0000000810000000\t0x0000001008000000",
            ),
        ] {
            let start = &Position::START.to_string()[..64];
            let (text, expected) = (
                text.replace("BOARD", start),
                expected.replace("BOARD", start),
            );
            assert_eq!(game(&text), expected);
        }
        assert!(game(r#"{"moves":[{"m":"f5"},{"m":"f5"}]}"#).contains("move 2: 'f5' is not legal"));
        assert!(game(r#"{"x":"y"}"#).contains("neither moves"));
    }
}
