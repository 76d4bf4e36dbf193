//! The evaluation without any training: moves along lines, corners and the squares beside them, discs.
//!
//! It is there to begin training with, and for comparison. All numbers are guesses.

use othello_core::Square;

use crate::evaluation::Evaluator;
use crate::evaluator::PatternEvaluator;
use crate::layout::{Pattern, PatternLayout};
use crate::tables::{DISC_COUNTS, PhaseTables, PlyPhases};
use crate::{UNITS_PER_DISC, Weights, WeightsFormat};

/// The first ply of each phase, a disc of mobility, a corner and a disc in 128ths of a disc.
const PHASES: [(u8, i16, i16, i16); 7] = [
    (0, 90, 900, 0),
    (20, 100, 1000, 0),
    (36, 90, 900, 8),
    (46, 60, 700, 30),
    (52, 30, 400, 70),
    (56, 10, 150, 110),
    (59, 0, 0, 128),
];

/// Corners with the squares beside them, and lines of 4 and more squares.
const PATTERNS: [&str; 10] = [
    "a1 b1 a2 b2",
    "a1 b1 c1 d1 e1 f1 g1 h1",
    "a2 b2 c2 d2 e2 f2 g2 h2",
    "a3 b3 c3 d3 e3 f3 g3 h3",
    "a4 b4 c4 d4 e4 f4 g4 h4",
    "a1 b2 c3 d4 e5 f6 g7 h8",
    "b1 c2 d3 e4 f5 g6 h7",
    "c1 d2 e3 f4 g5 h6",
    "d1 e2 f3 g4 h5",
    "d1 c2 b3 a4",
];

impl Weights {
    /// The evaluation without any training.
    pub fn untrained() -> Self {
        let squares = |names: &str| -> Vec<Square> {
            let named = names.split(' ').filter_map(|name| name.parse().ok());
            named.collect()
        };
        let patterns = PATTERNS.iter().map(|names| Pattern::new(&squares(names)));
        let layout = patterns
            .collect::<Result<Vec<_>, _>>()
            .and_then(|patterns| PatternLayout::new(patterns, 64))
            .unwrap_or_else(|error| unreachable!("{error}"));
        let plies: Vec<u8> = PHASES.iter().map(|phase| phase.0).collect();
        let phases: Vec<_> = PHASES
            .iter()
            .enumerate()
            .map(|(n, &(first, mobility, corner, disc))| {
                let last = PHASES.get(n + 1).map_or(60, |next| next.0 - 1);
                let discs_on_board = 4 + i32::from(first) + i32::from(last - first) / 2;
                PhaseTables {
                    patterns: tables(&layout, mobility, corner),
                    discs: (0..DISC_COUNTS as i32)
                        .map(|mover| ((2 * mover - discs_on_board) * i32::from(disc)) as i16)
                        .collect(),
                }
            })
            .collect();
        let patterns = PatternEvaluator::new(
            layout,
            PlyPhases::from_first(&plies),
            &phases,
            UNITS_PER_DISC,
            64,
        );
        Self::new(Evaluator::Patterns(patterns), WeightsFormat::Untrained)
    }
}

fn tables(layout: &PatternLayout, mobility: i16, corner_value: i16) -> Vec<Vec<i16>> {
    let table = |pattern: &Pattern| {
        let n = pattern.squares().len();
        if pattern.squares()[1].to_string() == "b1" && n == 4 {
            return by_digits(n, |digits| corner(digits, [0, 1, 2, 3], corner_value));
        }
        by_digits(n, |digits| {
            let (own, other) = (moves(digits, 0), moves(digits, 1));
            mobility * (own - other)
        })
    };
    layout.patterns().iter().map(table).collect()
}

/// A table of a value of the digits of each state: 0 the mover, 1 the opponent, 2 empty.
fn by_digits(n: usize, value: impl Fn(&[u8]) -> i16) -> Vec<i16> {
    let of = |number: usize| {
        let mut digits = [0; crate::layout::MAX_SQUARES];
        let mut rest = number;
        for digit in digits[..n].iter_mut().rev() {
            (*digit, rest) = ((rest % 3) as u8, rest / 3);
        }
        value(&digits[..n])
    };
    (0..3usize.pow(n as u32)).map(of).collect()
}

/// The value of a corner and, where it is empty, of the three squares beside it; `at` has their places.
fn corner(digits: &[u8], at: [usize; 4], value: i16) -> i16 {
    let sign = |place: usize| [1, -1, 0][usize::from(digits[at[place]])];
    match sign(0) {
        0 => -(sign(1) + sign(2)) * (value / 6) - sign(3) * (value / 2),
        owner => owner * value,
    }
}

/// The moves of `player` along a line: empty squares from which a disc would flip others of the line.
fn moves(line: &[u8], player: u8) -> i16 {
    let flips = |mut ahead: &mut dyn Iterator<Item = &u8>| {
        let mut others = 0;
        let end = (&mut ahead).find(|&&digit| {
            let other = digit == 1 - player;
            others += u32::from(other);
            !other
        });
        others > 0 && end == Some(&player)
    };
    let empty = (0..line.len()).filter(|&n| line[n] == 2);
    let count =
        empty.filter(|&n| flips(&mut line[n + 1..].iter()) || flips(&mut line[..n].iter().rev()));
    count.count() as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_along_a_line_outflank() {
        // Empty, opponent, opponent, mover, empty.
        assert_eq!(moves(&[2, 1, 1, 0, 2], 0), 1);
        assert_eq!(moves(&[2, 1, 1, 0, 2], 1), 1);
        assert_eq!(moves(&[2, 1, 1, 2], 0), 0);
        assert_eq!(moves(&[0, 1, 2, 1, 0], 0), 1);
        assert_eq!(moves(&[0, 2, 1, 1], 0), 0);
    }

    #[test]
    fn a_corner_is_good_and_the_square_before_it_bad() {
        let weights = Weights::untrained();
        let value = |mover: u64, opponent: u64| {
            let board = othello_core::Board::new(mover, opponent).unwrap();
            weights.main().evaluate(board)
        };
        let start = value(0x0000_0008_1000_0000, 0x0000_0010_0800_0000);
        assert_eq!(start, 0);
        assert!(value(0x0000_0008_1000_0001, 0x0000_0010_0800_0000) > 500);
        assert!(value(0x0000_0008_1000_0200, 0x0000_0010_0800_0000) < -300);
    }
}
