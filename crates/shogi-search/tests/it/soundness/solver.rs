//! Proves mates by trying everything. Slow, simple, and independent of the search: it uses legal moves
//! and nothing else.

use shogi_core::Position;
use shogi_core::movegen::LegalAll;

/// What is known about an announced mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// It exists.
    Proved,
    /// All moves were tried: it does not.
    Refuted,
    /// It is too long to try everything, and checks alone do not prove it.
    Open,
}

/// Longest mate for which every move of the attacker is tried, in plies.
const FULL_WIDTH: u32 = 4;

/// Longest mate that is tried with checks alone, in plies.
const CHECKS_ONLY: u32 = 9;

/// Positions after which the solver gives up.
const PATIENCE: u64 = 3_000_000;

/// Which moves the attacker tries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    Checks,
    All,
}

struct Solver {
    width: Width,
    left: u64,
}

/// Returns whether the side to move mates within `plies`, or is mated within `-plies` when that is not positive.
pub(crate) fn prove(position: &Position, plies: i32) -> Proof {
    let mates = plies > 0;
    let length = plies.unsigned_abs();
    assert_eq!(mates, length % 2 == 1, "a mate in {plies} plies");
    let attempt = |width| {
        let mut solver = Solver {
            width,
            left: PATIENCE,
        };
        let mut position = position.clone();
        let found = if mates {
            solver.mates(&mut position, length)
        } else {
            solver.is_mated(&mut position, length)
        };
        (found, solver.left > 0)
    };
    if length <= CHECKS_ONLY && attempt(Width::Checks).0 {
        return Proof::Proved;
    }
    if length > FULL_WIDTH {
        return Proof::Open;
    }
    match attempt(Width::All) {
        (true, _) => Proof::Proved,
        (false, true) => Proof::Refuted,
        (false, false) => Proof::Open,
    }
}

impl Solver {
    /// Returns whether the side to move mates within `plies`, an odd number.
    fn mates(&mut self, position: &mut Position, plies: u32) -> bool {
        let mut moves = position.moves::<LegalAll>().to_vec();
        let checks = position.check_squares();
        moves.sort_by_key(|&m| !position.gives_check(m, &checks));
        for m in moves {
            if self.width == Width::Checks && !position.gives_check(m, &checks) {
                return false;
            }
            let undo = position.do_move(m);
            let mated = self.is_mated(position, plies - 1);
            position.undo_move(m, &undo);
            if mated {
                return true;
            }
        }
        false
    }

    /// Returns whether the side to move is mated within `plies`, an even number, whatever it does.
    fn is_mated(&mut self, position: &mut Position, plies: u32) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        if plies == 0 {
            return position.has_no_legal_move();
        }
        for m in position.moves::<LegalAll>() {
            let undo = position.do_move(m);
            let mated = self.mates(position, plies - 1);
            position.undo_move(m, &undo);
            if !mated {
                return false;
            }
        }
        true
    }
}

#[test]
fn known_mates_are_proved_and_others_refuted() {
    let prove = |sfen: &str, plies| prove(&Position::from_sfen(sfen).expect(sfen), plies);
    let gold = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    assert_eq!(prove(gold, 1), Proof::Proved);
    assert_eq!(prove(gold, 3), Proof::Proved);
    let without = "4k4/9/9/9/9/9/9/9/4K4 b G 1";
    assert_eq!(prove(without, 1), Proof::Refuted);
    assert_eq!(prove(without, 3), Proof::Refuted);
    assert_eq!(prove(without, 11), Proof::Open);
    // White is to move, in check, and mated after its only moves.
    let mated = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
    assert_eq!(prove(mated, 0), Proof::Proved);
    assert_eq!(prove(Position::STARTPOS_SFEN, 0), Proof::Refuted);
    assert_eq!(prove(Position::STARTPOS_SFEN, -2), Proof::Refuted);
    // A threat without a check: the rook goes to where it mates next, whatever white does.
    assert_eq!(prove("8k/9/8P/9/9/9/9/9/K8 b 2G 1", 3), Proof::Proved);
}
