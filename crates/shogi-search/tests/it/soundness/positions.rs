//! Random positions, of three kinds: out of random games, out of handicap games, and pieces thrown on
//! the board.

use shogi_core::Position;
use shogi_core::movegen::{Captures, LegalAll};
use test_support::SplitMix64;

/// Random numbers that depend on a seed and a number.
pub(crate) fn random_numbers(seed: u64, number: u64) -> SplitMix64 {
    let mut random = SplitMix64::new(seed.wrapping_mul(0xd134_2543_de82_ef95) ^ number);
    random.next_u64();
    random
}

/// Where games start: even, handicaps, and nearly empty boards.
const STARTS: [&str; 5] = [
    Position::STARTPOS_SFEN,
    "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/9/9/9/9/9/9/4K4 b RBGSNLPrbgsnlp 1",
];

/// A position of any kind.
pub(crate) fn random_position(random: &mut SplitMix64) -> Position {
    if random.below(3) == 0 {
        thrown(random)
    } else {
        played(random)
    }
}

/// The end of a game of random moves, more captures than chance alone would make.
fn played(random: &mut SplitMix64) -> Position {
    let start = random.choose(&STARTS);
    let mut position = Position::from_sfen(start).expect("a valid SFEN");
    for _ in 0..random.below(160) {
        let captures = position.moves::<Captures>();
        let captures: Vec<_> = captures
            .into_iter()
            .filter(|&m| position.is_legal(m))
            .collect();
        let moves = position.moves::<LegalAll>();
        if moves.is_empty() {
            break;
        }
        let m = if !captures.is_empty() && random.below(3) == 0 {
            *random.choose(&captures)
        } else {
            *random.choose(&moves)
        };
        let _ = position.do_move(m);
    }
    position
}

/// Two kings and random pieces anywhere, the others in the hands.
fn thrown(random: &mut SplitMix64) -> Position {
    loop {
        if let Ok(position) = Position::from_sfen(&thrown_sfen(random)) {
            return position;
        }
    }
}

/// An SFEN that may break rules: the parser decides.
fn thrown_sfen(random: &mut SplitMix64) -> String {
    let mut board = vec![String::new(); 81];
    for king in ["K", "k"] {
        let square = free_square(&board, random);
        board[square].push_str(king);
    }
    let mut hands = String::new();
    for (kind, count) in [
        ('R', 2),
        ('B', 2),
        ('G', 4),
        ('S', 4),
        ('N', 4),
        ('L', 4),
        ('P', 18),
    ] {
        for _ in 0..count {
            let piece = if random.below(2) == 0 {
                kind
            } else {
                kind.to_ascii_lowercase()
            };
            match random.below(3) {
                0 => {
                    let promoted = kind != 'G' && random.below(4) == 0;
                    let square = free_square(&board, random);
                    let prefix = if promoted { "+" } else { "" };
                    board[square] = format!("{prefix}{piece}");
                }
                1 => hands.push(piece),
                // Left in the box.
                _ => {}
            }
        }
    }
    let ranks: Vec<String> = board.chunks(9).map(rank_text).collect();
    let hands = if hands.is_empty() { "-" } else { &hands };
    let side = random.choose(&["b", "w"]);
    format!("{} {side} {hands} 1", ranks.join("/"))
}

fn free_square(board: &[String], random: &mut SplitMix64) -> usize {
    loop {
        let square = random.below(81) as usize;
        if board[square].is_empty() {
            return square;
        }
    }
}

fn rank_text(squares: &[String]) -> String {
    let mut text = String::new();
    let mut empty = 0;
    for square in squares {
        if square.is_empty() {
            empty += 1;
            continue;
        }
        if empty > 0 {
            text += &empty.to_string();
            empty = 0;
        }
        text += square;
    }
    if empty > 0 {
        text += &empty.to_string();
    }
    text
}

#[test]
fn positions_are_of_all_kinds() {
    let position = |number| random_position(&mut random_numbers(7, number));
    let sfens: Vec<String> = (0..60).map(|number| position(number).to_sfen()).collect();
    assert_eq!(sfens[9], position(9).to_sfen());
    let count = |holds: fn(&Position) -> bool| (0..60).filter(|&n| holds(&position(n))).count();
    assert!(count(Position::in_check) > 0);
    assert!(count(|position| position.occupied().len() < 20) > 5);
    assert!(count(|position| position.occupied().len() > 30) > 5);
}
