//! Games: taking moves back, and repetition judged by a naive look at the whole history.

use proptest::collection::vec;
use proptest::prelude::*;
use shogi_core::movegen::LegalAll;
use shogi_core::{
    Color, Game, HandKind, IllegalMove, Move, Piece, Position, Repetition, RepetitionState, Square,
    parse_position_line,
};

use crate::positions::{STARTS, choices, config, start};

/// One position of the history, as text and plain numbers.
struct Seen {
    board: String,
    side: Color,
    /// Counts in the side to move's hand.
    hand: Vec<u8>,
    in_check: bool,
    /// The position came about by a pass.
    passed: bool,
    state: RepetitionState,
}

/// A history that knows nothing of keys or counters.
#[derive(Default)]
struct History(Vec<Seen>);

impl History {
    fn push(&mut self, position: &Position, passed: bool, look_back: usize) -> RepetitionState {
        let side = position.side_to_move();
        let board = position
            .to_sfen()
            .split(' ')
            .next()
            .expect("a board")
            .to_owned();
        let hand = HandKind::ALL
            .map(|kind| position.hand(side).count(kind))
            .to_vec();
        let in_check = position.in_check();
        self.0.push(Seen {
            board,
            side,
            hand,
            in_check,
            passed,
            state: RepetitionState::default(),
        });
        let state = self.classify(look_back);
        self.0.last_mut().expect("just pushed").state = state;
        state
    }

    /// Plies since the last pass or the start.
    fn reach(&self) -> usize {
        let last = self.0.len() - 1;
        (0..last)
            .take_while(|back| !self.0[last - back].passed)
            .count()
    }

    /// Returns whether each of `color`'s moves within the last `plies` plies gave check.
    fn only_checked(&self, color: Color, plies: usize) -> bool {
        let recent = &self.0[self.0.len() - plies..];
        recent
            .iter()
            .filter(|seen| seen.side == color.flip())
            .all(|seen| seen.in_check)
    }

    fn classify(&self, look_back: usize) -> RepetitionState {
        let now = self.0.last().expect("a position");
        for distance in (4..=self.reach().min(look_back)).step_by(2) {
            let earlier = &self.0[self.0.len() - 1 - distance];
            if earlier.board != now.board {
                continue;
            }
            let pairs = || now.hand.iter().zip(&earlier.hand);
            let kind = if pairs().all(|(a, b)| a == b) {
                return self.same(earlier, now.side, distance);
            } else if pairs().all(|(a, b)| a >= b) {
                Repetition::Superior
            } else if pairs().all(|(a, b)| a <= b) {
                Repetition::Inferior
            } else {
                continue;
            };
            return RepetitionState {
                kind,
                distance: distance as u32,
                times: 0,
            };
        }
        RepetitionState::default()
    }

    fn same(&self, earlier: &Seen, us: Color, distance: usize) -> RepetitionState {
        let mut kind = if self.only_checked(us, distance) {
            Repetition::Lose
        } else if self.only_checked(us.flip(), distance) {
            Repetition::Win
        } else {
            Repetition::Draw
        };
        if earlier.state.times > 0 && earlier.state.kind != kind {
            kind = Repetition::Draw;
        }
        RepetitionState {
            kind,
            distance: distance as u32,
            times: earlier.state.times + 1,
        }
    }
}

/// A decision of a game that wants to repeat itself.
#[derive(Clone, Copy, Debug)]
enum Ply {
    /// Go back to where the piece that moved two plies ago came from, else pick.
    Return(u16),
    Pick(u16),
    Pass,
}

fn plies() -> impl Strategy<Value = Vec<Ply>> {
    let ply = prop_oneof![
        30 => any::<u16>().prop_map(Ply::Return),
        8 => any::<u16>().prop_map(Ply::Pick),
        1 => Just(Ply::Pass),
    ];
    vec(ply, 0..60)
}

/// Plays `ply`; false when the game is over.
fn play(game: &mut Game, ply: Ply) -> bool {
    let moves = game.position().moves::<LegalAll>();
    let (pick, back) = match ply {
        Ply::Return(pick) => (pick, game.moves().nth_back(1)),
        Ply::Pick(pick) => (pick, None),
        Ply::Pass if !game.position().in_check() => {
            game.play_null();
            return true;
        }
        Ply::Pass => (0, None),
    };
    let back = back.filter(|_| pick % 8 != 0).and_then(|m| {
        moves
            .iter()
            .find(|other| other.from() == Some(m.to()) && Some(other.to()) == m.from())
    });
    let Some(&m) = back.or_else(|| moves.get(usize::from(pick) % moves.len().max(1))) else {
        return false;
    };
    game.play_unchecked(m);
    true
}

/// Few pieces and open boards: checks and returns are frequent.
const SPARSE: [&str; 4] = [
    "4k4/9/9/9/4R4/9/9/9/4K4 w r 1",
    "3gkg3/9/9/9/9/9/9/9/3GKG3 b Rr 1",
    "k8/9/9/9/4+R4/9/9/9/8K w 2Pb2p 1",
    "8k/9/7+B1/9/9/9/1+b7/9/K8 w RPrp 1",
];

proptest! {
    #![proptest_config(config(4000))]

    #[test]
    fn repetition_agrees_with_the_history(
        start in prop::sample::select([STARTS.as_slice(), &SPARSE, &SPARSE].concat()),
        plies in plies(),
        look_back in prop::sample::select(vec![Game::DEFAULT_LOOK_BACK, 8, u32::MAX]),
    ) {
        let start = crate::golden::position(start);
        let mut game = Game::new(start.clone()).with_look_back(look_back);
        let mut history = History::default();
        let mut states = vec![history.push(&start, false, look_back as usize)];
        for ply in plies {
            let before = game.len();
            if !play(&mut game, ply) {
                break;
            }
            let passed = game.last_move().is_none();
            let expected = history.push(game.position(), passed, look_back as usize);
            prop_assert_eq!(game.repetition(), expected, "after {} plies", before + 1);
            for ply in [0, 1, 4, 5, 16, 40] {
                let counts = expected.times >= 3 || expected.distance < ply;
                let in_search = if counts { expected.kind } else { Repetition::None };
                prop_assert_eq!(game.repetition_in_search(ply), in_search);
            }
            states.push(expected);
        }
        while !game.is_empty() {
            prop_assert_eq!(game.repetition(), states[game.len()]);
            game.undo();
        }
        prop_assert_eq!(game.position(), &start);
        prop_assert_eq!(game.undo(), None);
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn games_are_taken_back(start in start(), choices in choices(150)) {
        let mut game = Game::new(start.clone());
        let mut positions = Vec::new();
        for choice in choices {
            let Some(m) = choice.of(game.position()) else { break };
            positions.push((m, game.position().clone(), game.repetition()));
            let captured = game.position().piece_on(m.to());
            game.play_unchecked(m);
            prop_assert_eq!((game.last_move(), game.last_captured()), (Some(m), captured));
        }
        prop_assert_eq!(game.len(), positions.len());
        prop_assert!(game.moves().eq(positions.iter().map(|(m, ..)| *m)));
        while let Some((m, position, repetition)) = positions.pop() {
            prop_assert_eq!(game.undo(), Some(m));
            prop_assert_eq!(game.position(), &position);
            prop_assert_eq!(game.repetition(), repetition);
        }
        prop_assert_eq!(game.position(), &start);
    }
}

#[test]
fn a_line_is_known_by_a_number() {
    let key = |line: &str| {
        let game = parse_position_line(line).unwrap();
        game.line_key(game.len()).unwrap()
    };
    // The same position in another order, after a pass, at another move number, and with other pieces taken.
    let lines = [
        "startpos",
        "startpos moves 7g7f 3c3d 2g2f",
        "startpos moves 2g2f 3c3d 7g7f",
        "startpos moves 7g7f 3c3d 2g2f 8c8d",
        "4k4/9/9/9/9/9/7p1/9/4K2R1 b L 1 moves 2i2g",
        "4k4/9/9/9/9/9/7l1/9/4K2R1 b P 1 moves 2i2g",
        "4k4/9/9/9/9/9/7l1/9/4K2R1 b P 3 moves 2i2g",
    ];
    let keys: std::collections::HashSet<u64> = lines.map(key).into();
    assert_eq!(keys.len(), lines.len());

    let mut game = parse_position_line(lines[3]).unwrap();
    let parts: Vec<_> = (0..=game.len()).map(|plies| game.line_key(plies)).collect();
    assert_eq!(parts[0], Some(key(lines[0])));
    assert_eq!(parts[3], Some(key(lines[1])));
    assert_eq!(game.line_key(5), None);
    game.undo();
    game.play_null();
    assert_ne!(game.line_key(4), parts[4]);
    game.undo();
    assert_eq!(game.line_key(4), None);
    assert!(game.moves_from(2).eq([game.last_move()]));
}

#[test]
fn moves_that_are_not_legal_are_refused_and_change_nothing() {
    for sfen in STARTS {
        let mut game = Game::new(Position::from_sfen(sfen).expect("a position"));
        let before = game.position().clone();
        let legal = before.moves::<LegalAll>();
        let on_board = Square::ALL.into_iter().flat_map(|from| {
            let tos = Square::ALL.into_iter();
            tos.flat_map(move |to| Piece::ALL.map(|piece| Move::normal(from, to, piece)))
        });
        let drops = Square::ALL.into_iter().flat_map(|to| {
            let of = move |color| HandKind::ALL.map(|kind| Move::drop(color, kind, to));
            Color::ALL.into_iter().flat_map(of)
        });
        for m in on_board.chain(drops) {
            let played = game.try_play(m);
            assert_eq!(played.is_ok(), legal.contains(&m), "{m} in {sfen}");
            match played {
                Ok(()) => assert_eq!(game.undo(), Some(m)),
                Err(error) => assert_eq!(error, IllegalMove(m)),
            }
            assert!(
                game.is_empty() && game.position() == &before,
                "{m} in {sfen}"
            );
            let mut position = before.clone();
            assert_eq!(position.try_do_move(m).is_ok(), legal.contains(&m));
        }
    }
}
