//! Random positions: playouts from well-known starts, and random setups; and how many of them a test takes.

use std::io::Write as _;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::Config;
use shogi_core::movegen::{All, Captures, Checks, GenKind, LegalAll, MoveList};
use shogi_core::{Color, HandKind, Move, Piece, PieceKind, Position, Setup, Square};

/// Starts of playouts: the even game, handicaps, tsume-like and crowded positions.
pub(crate) const STARTS: [&str; 12] = [
    Position::STARTPOS_SFEN,
    "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124",
    "7k1/4+P+P3/3K5/9/9/9/2+p+p+p4/9/9 b RB4G4S2NL4Prb2n3l8p 1",
];

/// One decision of a playout: what kind of move to prefer, and which of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    preference: Preference,
    pick: u16,
}

#[derive(Clone, Copy, Debug)]
enum Preference {
    Any,
    Capture,
    Check,
    BoardMove,
}

impl Choice {
    /// The chosen move; `None` when there is no legal move.
    pub(crate) fn of(self, position: &Position) -> Option<Move> {
        let preferred = match self.preference {
            Preference::Any => MoveList::new(),
            Preference::Capture => list::<All<Captures>>(position),
            Preference::Check => list::<All<Checks>>(position),
            Preference::BoardMove => list::<LegalAll>(position)
                .into_iter()
                .filter(|m| !m.is_drop())
                .collect(),
        };
        let moves = if preferred.is_empty() {
            list::<LegalAll>(position)
        } else {
            preferred
        };
        moves
            .get(usize::from(self.pick) % moves.len().max(1))
            .copied()
    }
}

fn list<G: GenKind>(position: &Position) -> MoveList {
    position.moves::<G>()
}

/// Decisions for up to `plies` plies.
pub(crate) fn choices(plies: usize) -> impl Strategy<Value = Vec<Choice>> {
    let preference = prop_oneof![
        4 => Just(Preference::Any),
        2 => Just(Preference::Capture),
        1 => Just(Preference::Check),
        2 => Just(Preference::BoardMove),
    ];
    let choice =
        (preference, any::<u16>()).prop_map(|(preference, pick)| Choice { preference, pick });
    vec(choice, 0..=plies)
}

/// A start for a playout: a known one three times out of four, else a random setup.
pub(crate) fn start() -> impl Strategy<Value = Position> {
    let known = prop::sample::select(STARTS.as_slice())
        .prop_map(|sfen| Position::from_sfen(sfen).expect("a known start is valid"));
    prop_oneof![3 => known, 1 => setup()]
}

/// The use of each of the 40 pieces of a set.
#[derive(Clone, Copy, Debug)]
enum Place {
    Box,
    Hand(Color),
    Board(Color, bool, usize),
}

/// A position of randomly placed pieces: from nearly empty to full boards, with or without either
/// king, often with pieces that can never move and several pawns on a file.
pub(crate) fn setup() -> impl Strategy<Value = Position> {
    (1u32..16, 1u32..20, 0u32..4).prop_flat_map(|(boxed, hand, kings)| {
        let color = prop::sample::select(Color::ALL.as_slice());
        let place = prop_oneof![
            boxed => Just(Place::Box),
            hand => color.clone().prop_map(Place::Hand),
            16 => (color, any::<bool>(), 0usize..81)
                .prop_map(|(color, promoted, at)| Place::Board(color, promoted, at)),
        ];
        (vec(place, 38), any::<[u8; 2]>(), any::<bool>()).prop_filter_map(
            "both kings are in check",
            move |(places, king_squares, white)| build(&places, king_squares, kings, white),
        )
    })
}

/// Kings first, then the pieces in order; a piece whose square is taken goes to the next free one.
fn build(places: &[Place], king_squares: [u8; 2], kings: u32, white: bool) -> Option<Position> {
    let mut setup = Setup::default();
    let put = |setup: &mut Setup, at: usize, piece: Piece| {
        let free = (0..81)
            .map(|i| (at + i) % 81)
            .find(|&i| setup.board[i].is_none());
        setup.board[free.expect("81 squares take 40 pieces")] = Some(piece);
    };
    for color in Color::ALL {
        // Both kings in half of the cases, else only one.
        if kings < 2 || kings as usize % 2 == color.index() {
            let at = usize::from(king_squares[color.index()]) % 81;
            put(&mut setup, at, Piece::new(color, PieceKind::King));
        }
    }
    let set = HandKind::ALL
        .into_iter()
        .flat_map(|kind| std::iter::repeat_n(kind, usize::from(kind.piece_kind().set_count())));
    for (kind, place) in set.zip(places) {
        match *place {
            Place::Box => {}
            Place::Hand(color) => setup.hands[color] = setup.hands[color].with(kind),
            Place::Board(color, promoted, at) => {
                let piece = Piece::new(color, kind.piece_kind());
                let piece = piece.promote().filter(|_| promoted).unwrap_or(piece);
                put(&mut setup, at, piece);
            }
        }
    }
    setup.side = if white { Color::White } else { Color::Black };
    Position::from_setup(&setup).ok().or_else(|| {
        setup.side = setup.side.flip();
        Position::from_setup(&setup).ok()
    })
}

/// The square of a cell of the oracle.
pub(crate) fn square((file, rank): (i8, i8)) -> Square {
    Square::from_index((file * 9 + rank) as usize).expect("a cell of the board")
}

// The quick tier runs with every `cargo test`; the slow one adds deep perft and many more random
// cases.

/// Set to 1 to run the slow tier too.
const SLOW_TESTS: &str = "SHOGI_SLOW_TESTS";

/// The factor of random cases in the slow tier.
const SLOW_FACTOR: u32 = 20;

/// Returns whether the slow tier was asked for.
pub(crate) fn is_slow() -> bool {
    std::env::var(SLOW_TESTS).as_deref() == Ok("1")
}

/// Prints that `what` belongs to the slow tier and is skipped.
pub(crate) fn tell_skipped(what: &str) {
    // Written past the test runner's capture: a skipped check should be seen.
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED: {what} (set {SLOW_TESTS}=1 to run it)"
    );
}

/// Options of a property with this many cases in the quick tier. A failing case is printed in full,
/// so nothing is kept in files.
pub(crate) fn config(cases: u32) -> Config {
    let cases = if is_slow() {
        cases * SLOW_FACTOR
    } else {
        cases
    };
    Config {
        cases,
        failure_persistence: None,
        // Random setups with both kings in check are many.
        max_local_rejects: u32::MAX,
        // Milliseconds: a long game that fails would be made smaller for minutes.
        max_shrink_time: 10_000,
        ..Config::default()
    }
}
