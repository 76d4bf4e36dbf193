//! A second opinion on the rules: a slow move generator with data of its own.
//!
//! The board is nine by nine cells that are looked at one by one; nothing of the crate is used, not
//! even its notation. A move is legal when, after it has been made on a copy of the board, no enemy
//! piece could take the king; a dropped pawn mates when no reply is legal.

use std::fmt;

/// File (0 is 1筋) and rank (0 is a) of a cell.
pub(crate) type Cell = (i8, i8);

/// A piece on the board, named by its SFEN letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Man {
    black: bool,
    /// Upper case.
    letter: char,
    promoted: bool,
}

/// A position.
#[derive(Clone, Debug)]
pub(crate) struct Board {
    men: [[Option<Man>; 9]; 9],
    /// Counts in the order of [`HAND_LETTERS`], black's first.
    hands: [[u8; 7]; 2],
    black_to_move: bool,
}

/// A move of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// From a cell to another.
    Board { from: Cell, to: Cell, promote: bool },
    /// A piece of the hand to a cell.
    Drop { letter: char, to: Cell },
}

/// The order in which SFEN lists hands.
const HAND_LETTERS: [char; 7] = ['R', 'B', 'G', 'S', 'N', 'L', 'P'];

const ORTHOGONAL: [Cell; 4] = [(0, -1), (0, 1), (-1, 0), (1, 0)];
const DIAGONAL: [Cell; 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];
/// Black's; white's are turned.
const GOLD: [Cell; 6] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (0, 1)];
const SILVER: [Cell; 5] = [(-1, -1), (0, -1), (1, -1), (-1, 1), (1, 1)];

fn cells() -> impl Iterator<Item = Cell> {
    (0..9).flat_map(|file| (0..9).map(move |rank| (file, rank)))
}

fn cell_name((file, rank): Cell) -> String {
    format!("{}{}", file + 1, char::from(b'a' + rank as u8))
}

impl Man {
    /// The directions in which it steps once and in which it slides, as black sees them.
    fn reach(self) -> (Vec<Cell>, Vec<Cell>) {
        match (self.letter, self.promoted) {
            ('P', false) => (vec![(0, -1)], vec![]),
            ('L', false) => (vec![], vec![(0, -1)]),
            ('N', false) => (vec![(-1, -2), (1, -2)], vec![]),
            ('S', false) => (SILVER.to_vec(), vec![]),
            ('B', false) => (vec![], DIAGONAL.to_vec()),
            ('R', false) => (vec![], ORTHOGONAL.to_vec()),
            ('B', true) => (ORTHOGONAL.to_vec(), DIAGONAL.to_vec()),
            ('R', true) => (DIAGONAL.to_vec(), ORTHOGONAL.to_vec()),
            ('K', _) => ([ORTHOGONAL, DIAGONAL].concat(), vec![]),
            _ => (GOLD.to_vec(), vec![]),
        }
    }
}

/// The number of ranks ahead of a cell for a player.
fn ranks_ahead((_, rank): Cell, black: bool) -> i8 {
    if black { rank } else { 8 - rank }
}

/// Returns whether an unpromoted piece on `to` could never move again.
fn is_stuck(letter: char, to: Cell, black: bool) -> bool {
    let needed = match letter {
        'P' | 'L' => 1,
        'N' => 2,
        _ => 0,
    };
    ranks_ahead(to, black) < needed
}

impl Board {
    /// Reads the first three fields of a correct SFEN.
    pub(crate) fn from_sfen(sfen: &str) -> Self {
        let fields: Vec<&str> = sfen.split(' ').collect();
        let black_to_move = fields[1] == "b";
        let mut board = Self {
            men: [[None; 9]; 9],
            hands: [[0; 7]; 2],
            black_to_move,
        };
        for (rank, row) in fields[0].split('/').enumerate() {
            let (mut file, mut promoted) = (9, false);
            for c in row.chars() {
                match c {
                    '1'..='9' => file -= c as usize - '0' as usize,
                    '+' => promoted = true,
                    _ => {
                        file -= 1;
                        let (black, letter) = (c.is_ascii_uppercase(), c.to_ascii_uppercase());
                        board.men[file][rank] = Some(Man {
                            black,
                            letter,
                            promoted,
                        });
                        promoted = false;
                    }
                }
            }
        }
        let mut count = 0;
        for c in fields[2].chars().filter(|&c| c != '-') {
            if let Some(digit) = c.to_digit(10) {
                count = count * 10 + digit as u8;
            } else {
                let kind = HAND_LETTERS
                    .iter()
                    .position(|l| *l == c.to_ascii_uppercase());
                board.hands[usize::from(c.is_ascii_lowercase())][kind.unwrap()] += count.max(1);
                count = 0;
            }
        }
        board
    }

    /// The first three fields of its SFEN.
    pub(crate) fn to_sfen(&self) -> String {
        let mut text = String::new();
        for rank in 0..9 {
            let mut empty = 0;
            for file in (0..9).rev() {
                let Some(man) = self.men[file][rank] else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    text += &std::mem::take(&mut empty).to_string();
                }
                text += if man.promoted { "+" } else { "" };
                text.push(if man.black {
                    man.letter
                } else {
                    man.letter.to_ascii_lowercase()
                });
            }
            if empty > 0 {
                text += &empty.to_string();
            }
            text += if rank < 8 { "/" } else { "" };
        }
        text += if self.black_to_move { " b " } else { " w " };
        let before = text.len();
        for (hand, black) in self.hands.iter().zip([true, false]) {
            for (letter, &count) in HAND_LETTERS
                .iter()
                .zip(hand)
                .filter(|(_, count)| **count > 0)
            {
                if count > 1 {
                    text += &count.to_string();
                }
                text.push(if black {
                    *letter
                } else {
                    letter.to_ascii_lowercase()
                });
            }
        }
        if text.len() == before {
            text.push('-');
        }
        text
    }

    fn man(&self, (file, rank): Cell) -> Option<Man> {
        self.men[file as usize][rank as usize]
    }

    fn set(&mut self, (file, rank): Cell, man: Option<Man>) {
        self.men[file as usize][rank as usize] = man;
    }

    fn hand(&mut self, letter: char) -> &mut u8 {
        let kind = HAND_LETTERS
            .iter()
            .position(|l| *l == letter)
            .expect("a king is not taken");
        &mut self.hands[usize::from(!self.black_to_move)][kind]
    }

    /// The cells that the man on `from` attacks, whoever stands there.
    pub(crate) fn attacks(&self, from: Cell) -> Vec<Cell> {
        let Some(man) = self.man(from) else {
            return Vec::new();
        };
        let on_board = |(file, rank): Cell| {
            ((0..9).contains(&file) && (0..9).contains(&rank)).then_some((file, rank))
        };
        let forward = if man.black { 1 } else { -1 };
        let next = |at: Cell, d: Cell| on_board((at.0 + d.0 * forward, at.1 + d.1 * forward));
        let (steps, slides) = man.reach();
        let mut found: Vec<Cell> = steps.into_iter().filter_map(|d| next(from, d)).collect();
        for d in slides {
            let mut at = from;
            while let Some(to) = next(at, d) {
                found.push(to);
                if self.man(to).is_some() {
                    break;
                }
                at = to;
            }
        }
        found
    }

    fn king(&self, black: bool) -> Option<Cell> {
        cells().find(|&at| {
            self.man(at)
                .is_some_and(|m| m.black == black && m.letter == 'K')
        })
    }

    /// The men of a player that attack `target`.
    pub(crate) fn attackers(&self, black: bool, target: Cell) -> Vec<Cell> {
        cells()
            .filter(|&at| self.man(at).is_some_and(|man| man.black == black))
            .filter(|&at| self.attacks(at).contains(&target))
            .collect()
    }

    fn is_king_attacked(&self, black: bool) -> bool {
        self.king(black)
            .is_some_and(|king| !self.attackers(!black, king).is_empty())
    }

    /// Returns whether the side to move is in check.
    pub(crate) fn in_check(&self) -> bool {
        self.is_king_attacked(self.black_to_move)
    }

    /// Men whose disappearance would open a new line of attack on the side to move's king.
    pub(crate) fn blockers(&self) -> Vec<Cell> {
        let us = self.black_to_move;
        let Some(king) = self.king(us) else {
            return Vec::new();
        };
        let before = self.attackers(!us, king);
        let opens = |at: Cell| {
            let mut copy = self.clone();
            copy.set(at, None);
            copy.attackers(!us, king)
                .iter()
                .any(|attacker| !before.contains(attacker))
        };
        cells()
            .filter(|&at| at != king && self.man(at).is_some())
            .filter(|&at| opens(at))
            .collect()
    }

    /// The board after `step`.
    pub(crate) fn after(&self, step: Step) -> Self {
        let mut next = self.clone();
        match step {
            Step::Board { from, to, promote } => {
                let mut man = self.man(from).expect("a man moves");
                man.promoted |= promote;
                if let Some(taken) = self.man(to) {
                    *next.hand(taken.letter) += 1;
                }
                next.set(from, None);
                next.set(to, Some(man));
            }
            Step::Drop { letter, to } => {
                *next.hand(letter) -= 1;
                let man = Man {
                    black: self.black_to_move,
                    letter,
                    promoted: false,
                };
                next.set(to, Some(man));
            }
        }
        next.black_to_move = !self.black_to_move;
        next
    }

    /// Everything but the safety of the own king and the rule against mating with a dropped pawn.
    fn candidates(&self) -> Vec<Step> {
        let us = self.black_to_move;
        let mut found = Vec::new();
        for from in cells() {
            let Some(man) = self.man(from).filter(|man| man.black == us) else {
                continue;
            };
            let can_promote = !man.promoted && !matches!(man.letter, 'G' | 'K');
            for to in self.attacks(from) {
                if self.man(to).is_some_and(|other| other.black == us) {
                    continue;
                }
                if can_promote && (ranks_ahead(from, us) < 3 || ranks_ahead(to, us) < 3) {
                    found.push(Step::Board {
                        from,
                        to,
                        promote: true,
                    });
                }
                if man.promoted || !is_stuck(man.letter, to, us) {
                    found.push(Step::Board {
                        from,
                        to,
                        promote: false,
                    });
                }
            }
        }
        for (letter, _) in HAND_LETTERS
            .into_iter()
            .zip(self.hands[usize::from(!us)])
            .filter(|(_, n)| *n > 0)
        {
            for to in cells().filter(|&to| self.man(to).is_none()) {
                let pawn = Man {
                    black: us,
                    letter: 'P',
                    promoted: false,
                };
                let two_pawns =
                    letter == 'P' && (0..9).any(|rank| self.man((to.0, rank)) == Some(pawn));
                if !two_pawns && !is_stuck(letter, to, us) {
                    found.push(Step::Drop { letter, to });
                }
            }
        }
        found
    }

    fn is_legal(&self, step: Step) -> bool {
        let next = self.after(step);
        if next.is_king_attacked(self.black_to_move) {
            return false;
        }
        !(matches!(step, Step::Drop { letter: 'P', .. }) && next.is_mated())
    }

    /// Every move that obeys all rules but the safety of the mover's own king, without pawn drops that give check: they
    /// depend on the answer.
    pub(crate) fn pseudo_legal_moves(&self) -> Vec<Step> {
        let may_mate = |step: Step| {
            matches!(step, Step::Drop { letter: 'P', .. }) && self.after(step).in_check()
        };
        let mut found = self.candidates();
        found.retain(|&step| !may_mate(step));
        found
    }

    /// Every legal move.
    pub(crate) fn legal_moves(&self) -> Vec<Step> {
        self.candidates()
            .into_iter()
            .filter(|&step| self.is_legal(step))
            .collect()
    }

    /// Returns whether the side to move is in check and has no legal move.
    pub(crate) fn is_mated(&self) -> bool {
        self.in_check()
            && !self
                .candidates()
                .into_iter()
                .any(|step| self.is_legal(step))
    }
}

impl fmt::Display for Step {
    /// USI notation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Board { from, to, promote } => {
                write!(
                    f,
                    "{}{}{}",
                    cell_name(from),
                    cell_name(to),
                    if promote { "+" } else { "" }
                )
            }
            Self::Drop { letter, to } => write!(f, "{letter}*{}", cell_name(to)),
        }
    }
}

#[test]
fn the_oracle_knows_the_rules() {
    let moves = |sfen: &str| -> Vec<String> {
        let board = Board::from_sfen(sfen);
        assert_eq!(board.to_sfen(), sfen);
        board
            .legal_moves()
            .iter()
            .map(ToString::to_string)
            .collect()
    };
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";
    assert_eq!(moves(start).len(), 30);
    let most = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p";
    assert_eq!(moves(most).len(), 593);
    // The pawn on 5b would mate; the gold may.
    let mating = "4k4/9/4P4/9/9/9/9/9/9 b GP";
    assert!(moves(mating).contains(&"G*5b".to_owned()));
    assert!(!moves("3lkl3/9/4G4/9/9/9/9/9/9 b P").contains(&"P*5b".to_owned()));
    assert!(moves("3lk4/9/4G4/9/9/9/9/9/9 b P").contains(&"P*5b".to_owned()));
    // Two pawns on a file, and a knight that could never move.
    assert!(!moves("4k4/9/9/9/9/9/4P4/9/9 b P").contains(&"P*5e".to_owned()));
    assert!(!moves("4k4/9/9/9/9/9/9/9/9 b N").contains(&"N*1b".to_owned()));
    assert_eq!(moves("4k4/9/4N4/9/9/9/9/9/9 b -"), ["5c4a+", "5c6a+"]);
}
