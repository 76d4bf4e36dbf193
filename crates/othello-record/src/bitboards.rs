//! Bitboards: two hexadecimal numbers, in both orders of bits and of players.

use othello_core::{Board, Position, PositionError, Side};

use crate::{boards, side};

/// The square that is bit 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitOrder {
    /// a1, as in Edax and in `othello-core`.
    A1,
    /// h8, as in Egaroucid.
    H8,
}

/// Two bitboards at the beginning of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bitboards {
    /// The likeliest interpretation first.
    pub(crate) positions: Vec<Position>,
    pub(crate) order: BitOrder,
    /// True if the text has more lines after the numbers.
    pub(crate) has_more_lines: bool,
    /// True if the second number was taken for the player to move, though the text does not say so.
    pub(crate) is_swapped: bool,
}

/// The owner of the first bitboard; the second is the other player's.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    Mover,
    Opponent,
    Black,
    White,
}

/// Returns whether a text looks like two bitboards: two hexadecimal words, or 32 digits in one.
pub(crate) fn is_bitboards(text: &str) -> bool {
    has_hex_sign(text) || split(text).is_some()
}

/// Returns whether a text begins with `0x`, perhaps behind a label.
fn has_hex_sign(text: &str) -> bool {
    let begin = text.trim_start_matches(|c: char| c.is_alphabetic() || " \t_:=([{".contains(c));
    begin
        .get(..2)
        .is_some_and(|sign| sign.eq_ignore_ascii_case("0x"))
}

/// Parses two bitboards; labels before them name the owner, words behind them the side to move or the bit order.
///
/// # Errors
///
/// A square with discs of both players, or a text that is not two numbers.
pub(crate) fn parse(text: &str) -> Result<Bitboards, PositionError> {
    let wrong = || PositionError::Bitboards(text.chars().take(80).collect());
    let (whose, [first, second], rest) = split(text).ok_or_else(wrong)?;
    let order = order_of(rest);
    // Behind a bar are the fields of a dump.
    let behind = Some(rest).filter(|rest| !rest.trim_start().starts_with('|'));
    let side = behind.and_then(side::leading).map(|(side, _)| side);
    let [first, second] = match order {
        BitOrder::A1 => [first, second],
        BitOrder::H8 => [first.reverse_bits(), second.reverse_bits()],
    };
    if behind.is_some_and(begins_with_number) {
        return Err(wrong());
    }
    let has_more_lines = rest.lines().skip(1).any(|line| !line.trim().is_empty());
    let [mover, opponent] = match whose {
        First::Mover | First::Black => [first, second],
        First::Opponent | First::White => [second, first],
    };
    let board = Board::new(mover, opponent)?;
    if matches!(whose, First::Black | First::White) {
        return Ok(Bitboards {
            positions: boards::positions(mover, opponent, side),
            order,
            has_more_lines,
            is_swapped: false,
        });
    }
    let (can_be, swapped_can_be) = (could_arise(board), could_arise(board.passed()));
    let boards = match (can_be, swapped_can_be) {
        (true, true) => vec![board, board.passed()],
        (false, true) => vec![board.passed(), board],
        (_, false) => vec![board],
    };
    let of = |board| Position::new(board, side_of(board, side));
    Ok(Bitboards {
        positions: boards.into_iter().map(of).collect(),
        order,
        has_more_lines,
        is_swapped: !can_be && swapped_can_be,
    })
}

/// Returns whether a third number follows.
fn begins_with_number(rest: &str) -> bool {
    let rest = rest.lines().next().unwrap_or_default();
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || ",;)]}".contains(c));
    let word = rest.split(|c: char| !c.is_alphanumeric()).next();
    let names_bit = ["a1", "h8"];
    // A letter alone is a side.
    let is_letter = |word: &str| word.len() == 1 && word.starts_with(char::is_alphabetic);
    word.is_some_and(|word| {
        !is_letter(word) && !names_bit.contains(&word) && number(word).is_some()
    })
}

/// The side to move: the given one, else the one that would move if nobody has passed.
fn side_of(board: Board, side: Option<Side>) -> Side {
    match side {
        Some(side) => side,
        None if board.discs().is_multiple_of(2) => Side::Black,
        None => Side::White,
    }
}

/// Returns whether a game can lead to this board: the opponent placed the last disc, or the mover did and the opponent
/// passed. A placed disc is the end of three of its colour, as those between it and another were flipped.
pub(crate) fn could_arise(board: Board) -> bool {
    const CENTRE: u64 = 0x0000_0018_1800_0000;
    if board.empty().0 & CENTRE != 0 {
        return false;
    }
    if board.discs() <= 4 {
        return true;
    }
    let placed = |discs: u64| -> bool {
        let edge = |file: u64| 0x0101_0101_0101_0101u64 << file;
        // One step in each direction; discs that leave the board vanish.
        let steps: [&dyn Fn(u64) -> u64; 8] = [
            &|d| (d & !edge(7)) << 1,
            &|d| (d & !edge(0)) >> 1,
            &|d| d << 8,
            &|d| d >> 8,
            &|d| (d & !edge(7)) << 9,
            &|d| (d & !edge(0)) >> 9,
            &|d| (d & !edge(0)) << 7,
            &|d| (d & !edge(7)) >> 7,
        ];
        let ends = steps
            .iter()
            .fold(0, |ends, step| ends | step(step(discs) & discs) & discs);
        ends & !CENTRE != 0
    };
    placed(board.opponent()) || (placed(board.mover()) && board.passed().legal_moves().is_empty())
}

/// The bit order by the text behind the numbers: a1 in dumps of Edax books, which have six parts, and after `a1 = bit 0`.
fn order_of(rest: &str) -> BitOrder {
    let plain: String = rest
        .to_lowercase()
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect();
    let says_a1 = ["a1=0", "a1=bit0", "a1first", "a1lsb", "bit0=a1"];
    let is_edax_dump = rest.trim_start().starts_with('|') && rest.matches('|').count() == 5;
    if is_edax_dump || says_a1.iter().any(|word| plain.contains(word)) {
        BitOrder::A1
    } else {
        BitOrder::H8
    }
}

/// Splits off the owner and the two numbers.
fn split(text: &str) -> Option<(First, [u64; 2], &str)> {
    let separators = |c: char| c.is_whitespace() || ",:;=|/()[]{}\"'&".contains(c);
    let mut rest = text;
    let mut found: Vec<u64> = Vec::new();
    let mut labels = Vec::new();
    let mut has_digits = false;
    let has_sign = has_hex_sign(text);
    while found.len() < 2 {
        // A dash separates numbers with `0x`.
        let between = |c: char| separators(c) || has_sign && c == '-';
        rest = rest.trim_start_matches(between);
        let end = rest.find(between).unwrap_or(rest.len());
        let word = &rest[..end];
        let is_label = rest[end..].starts_with([':', '=']);
        if word.is_empty() {
            return None;
        }
        if let Some(whose) = label(word).filter(|_| is_label || word.len() > 1) {
            labels.push(whose);
        } else if let Some(both) = joined(word).filter(|_| found.is_empty()) {
            found = both.to_vec();
        } else if let Some(number) = number(word) {
            found.push(number);
        } else if !(has_sign && found.is_empty() && word.chars().all(char::is_alphabetic)) {
            return None;
        }
        has_digits |= word.bytes().any(|b| b.is_ascii_digit());
        rest = &rest[end..];
    }
    let whose = labels.first().copied().unwrap_or(First::Mover);
    // Words such as `bad` and `face` are not numbers.
    has_digits.then_some((whose, [found[0], found[1]], rest))
}

fn label(word: &str) -> Option<First> {
    Some(match word.to_lowercase().as_str() {
        "my" | "me" | "mine" | "mover" | "player" | "p" | "my_stones" | "my_position" | "self" => {
            First::Mover
        }
        "opponent" | "opp" | "op" | "opponent_stones" | "opponent_position" => First::Opponent,
        "black" | "x" | "b" => First::Black,
        "white" | "o" | "w" => First::White,
        _ => return None,
    })
}

/// A hexadecimal number of at most 64 bits: with `0x` or without, with the endings of C or without.
fn number(word: &str) -> Option<u64> {
    let word = word.to_ascii_lowercase();
    let word = word.strip_prefix("0x").unwrap_or(&word);
    let word = word.trim_end_matches(['u', 'l']).replace('_', "");
    let good = !word.is_empty() && word.bytes().all(|b| b.is_ascii_hexdigit());
    // Any number of leading zeros is allowed, a 17th digit is not.
    good.then(|| u64::from_str_radix(&word, 16).ok()).flatten()
}

/// Parses two numbers of 16 digits without a separator.
fn joined(word: &str) -> Option<[u64; 2]> {
    let digits = word
        .strip_prefix("0x")
        .or_else(|| word.strip_prefix("0X"))
        .unwrap_or(word);
    if digits.len() != 32 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let number = |text| u64::from_str_radix(text, 16).ok();
    Some([number(&digits[..16])?, number(&digits[16..])?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use othello_core::Game;

    fn tiger() -> Position {
        "f5d6c3d3c4".parse::<Game>().unwrap().position()
    }

    #[test]
    fn numbers_are_read_in_every_spelling() {
        for text in [
            "0x0000100010100000\t0x000020380c000000",
            "100010100000 20380C000000",
            "0x100010100000,0X20380c000000",
            "0x0000100010100000ULL, 0x000020380c000000ULL",
            "0000100010100000000020380c000000",
            "player: 0x0000100010100000, opponent: 0x000020380c000000",
            "my_stones: 0x0000100010100000, opponent_stones: 0x000020380c000000, eval_value: 3",
            "black 20380c000000 white 100010100000 O",
            "white: 100010100000, black: 20380c000000, white to move",
            "opponent 20380c000000 player 100010100000",
            "0x0000100010100000 0x000020380c000000: value +1, links none, leaf none",
            "0x0000100010100000-0x000020380c000000",
            "0x0000_1000_1010_0000 0x0000_2038_0c00_0000",
            "{0x0000100010100000, 0x000020380c000000}",
            "Position(0x0000100010100000ULL,0x000020380c000000ULL)",
            "0x0000100010100000\n0x000020380c000000",
            "P: 0x0000100010100000\nop: 0x000020380c000000",
            "B:0x000020380c000000 W:0x0000100010100000 turn:W",
        ] {
            assert!(is_bitboards(text), "{text}");
            let parsed = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(parsed.positions[0], tiger(), "{text}");
            assert_eq!(parsed.order, BitOrder::H8);
        }
        let board = tiger().board();
        let a1 = format!("{:016x} {:016x}", board.mover(), board.opponent());
        for text in [
            format!("{a1} | 0 0 0 1 | 3 1 5 | 21 | 3:19 | 1:26"),
            format!("{a1} (a1 = bit 0)"),
        ] {
            let parsed = parse(&text).unwrap();
            assert_eq!(
                (parsed.order, parsed.positions[0]),
                (BitOrder::A1, tiger()),
                "{text}"
            );
        }
    }

    #[test]
    fn impossible_boards_are_exchanged() {
        // After f5 white has one disc, which cannot have been placed last.
        let after: Position = "f5".parse::<Game>().unwrap().position();
        let black_white = after.to_bitboards_black_white();
        let parsed = parse(&black_white).unwrap();
        assert!(parsed.is_swapped);
        let other = Position::new(after.board().passed(), Side::White);
        assert_eq!(parsed.positions, [after, other]);
        let parsed = parse(&after.to_bitboards()).unwrap();
        assert!(!parsed.is_swapped);
        assert_eq!(parsed.positions, [after]);
    }

    #[test]
    fn invalid_numbers_are_reported() {
        for text in [
            "",
            "1",
            "zz 11",
            "bad face",
            "f5d6c3",
            "10000000000000000 0",
        ] {
            assert!(!is_bitboards(text), "{text}");
            assert!(matches!(parse(text), Err(PositionError::Bitboards(_))));
        }
        assert!(matches!(parse("3 1"), Err(PositionError::Board(_))));
        for text in ["0x 1", "0x3 0xz", "0x1 2 3 4", "0x3 0x10 0x40", "0x3"] {
            assert!(is_bitboards(text), "{text}");
            assert!(
                matches!(parse(text), Err(PositionError::Bitboards(_))),
                "{text}"
            );
        }
    }
}
