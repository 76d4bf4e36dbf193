//! Hints, books, analysis, random positions, worse moves, clocks and pondering.

use std::sync::Arc;
use std::time::{Duration, Instant};

use othello_book::files::{BookInput, BookReadOptions, load};
use othello_book::store::PositionLookup as _;
use othello_core::{Game, Move, Side, State};
use othello_engine::{
    BookChoice, Clock, HintSource, Judge, PlayBook, PlayLoss, Ponder, RandomRule, Session,
    analysis_sums,
};
use othello_eval::Weights;
use othello_search::{Control, PlayLevel, SearchSettings, Searcher, negamax};
use test_support::fixture;
use yane_io::Job;

fn session(level: u32) -> Session {
    let settings = SearchSettings {
        hash_bytes: 4 << 20,
        threads: 1,
    };
    let searcher = Searcher::new(settings, Arc::new(Weights::untrained()));
    Session::new(searcher, PlayLevel::Egaroucid(level))
}

/// A book of Edax that was made by deviation from the start.
fn with_book(level: u32) -> Session {
    let input = BookInput::open(&fixture("othello/books/dev_a.dat")).unwrap();
    let loaded = load(&input, BookReadOptions::default(), &Job::default()).unwrap();
    assert!(loaded.book.bound() > 100);
    let mut session = session(level);
    session.set_book(Some(PlayBook::new(loaded.book)));
    session
}

/// A game in which black can still win or lose at the end: all but its last moves are random.
fn end_game(empties: u32) -> Game {
    let session = session(1);
    let game = session.random_game(60 - empties, &RandomRule::Manual, &Control::default());
    game.unwrap()
}

#[test]
fn hints_are_of_the_book_first() {
    let mut session = with_book(3);
    let hints = session.hints(4, &Control::default(), &mut ());
    assert_eq!(hints.moves.len(), 4);
    let is_book = |n: usize| matches!(hints.moves[n].source, HintSource::Book { .. });
    assert!((0..4).any(is_book));
    assert!(hints.moves.is_sorted_by_key(|hint| -hint.score));
    assert_eq!(hints.score, hints.moves[0].score);
    let best = &hints.moves[(0..4).find(|&n| is_book(n)).unwrap()];
    assert!(best.pv.len() > 1 && best.pv[0] == best.mv, "{best:?}");
    // Without it everything is searched.
    session.uses_book = false;
    let hints = session.hints(usize::MAX, &Control::default(), &mut ());
    let depth = |source| matches!(source, HintSource::Search { depth: 3, .. });
    assert!(hints.moves.len() == 4 && hints.moves.iter().all(|hint| depth(hint.source)));
    let nodes: u64 = hints.moves.iter().map(|hint| hint.nodes).sum();
    assert_eq!(nodes, hints.nodes);
}

#[test]
fn the_book_is_played_with_variation() {
    let played = |choice, count: u64| {
        let mut session = with_book(1);
        session.set_game("f5f4".parse().unwrap()).unwrap();
        session.book_choice = choice;
        let moves = session.book_moves();
        assert!(moves.iter().any(|found| found.is_leaf));
        let mut seen = std::collections::BTreeMap::new();
        for seed in 0..count {
            session.set_seed(seed);
            let chosen = session.choose(&Control::default(), &mut ()).unwrap();
            let found = moves.iter().find(|found| found.mv == chosen.mv).unwrap();
            // No draw of the variation leaves the book.
            let varies = matches!(choice, BookChoice::Variation(_));
            assert!(!varies || !found.is_leaf, "{found:?}");
            *seen.entry(moves[0].score - found.score).or_insert(0) += 1;
        }
        seen
    };
    assert_eq!(played(BookChoice::Variation(0), 20).len(), 1);
    let varied = played(BookChoice::Variation(8), 200);
    assert!(
        varied.len() > 1 && varied.keys().all(|&loss| loss <= 16),
        "{varied:?}"
    );
    let random = played(BookChoice::Randomness(1), 100);
    assert!(random.keys().all(|&loss| loss <= 1), "{random:?}");
}

#[test]
fn games_are_analysed_from_the_end() {
    let game = end_game(8);
    let mut session = session(10);
    session.set_game(game).unwrap();
    // Play on with first legal moves, and with best ones for the other side.
    while session.position().board().state() != State::Over {
        let board = session.position().board();
        let mv = match board.legal_moves().iter().next() {
            Some(square) => Move::Place(square),
            None => Move::Pass,
        };
        session.play_unchecked(mv);
    }
    let mut told = 0;
    let analysed = session.analyse(8, &Control::default(), &mut |_| told += 1);
    assert_eq!(told, analysed.len());
    assert!(analysed.is_sorted_by_key(|mv| std::cmp::Reverse(mv.ply)));
    let mut game = session.game().clone();
    for mv in &analysed {
        while game.position().board().discs() - 3 > mv.ply {
            game.undo();
        }
        if game.position().side() != mv.side {
            game.undo();
        }
        let board = game.position().board();
        let value = |mv: Move| -negamax(board.after(mv).unwrap());
        assert_eq!(mv.played.score, value(mv.played.mv), "{mv:?}");
        let legal = board.legal_moves().iter().map(Move::Place);
        let best = legal
            .filter(|&other| other != mv.played.mv)
            .map(value)
            .max();
        assert_eq!(mv.alternative.as_ref().map(|other| other.score), best);
        assert_eq!(mv.others, board.legal_moves().len() - 1);
        let loss = best.map_or(0, |best| (best - mv.played.score).max(0));
        let judge = match loss {
            0 => None,
            1..=3 => Some(Judge::Disagree),
            _ => Some(Judge::Mistake),
        };
        assert_eq!(mv.judge(), judge);
    }
    let sums = [Side::Black, Side::White].map(|side| analysis_sums(&analysed, side));
    assert_eq!((sums[0].moves + sums[1].moves) as usize, analysed.len());
    let lost: u32 = sums
        .iter()
        .map(|sum| sum.disagree_loss + sum.mistake_loss)
        .sum::<u32>();
    assert_eq!(
        lost,
        analysed
            .iter()
            .map(othello_engine::AnalysedMove::loss)
            .sum::<u32>()
    );
}

#[test]
fn random_positions_have_the_value_that_is_asked_for() {
    let session = session(4);
    let control = Control::default();
    let rule = RandomRule::InRange(-12..=12);
    for moves in [2, 10, 21] {
        let game = session.random_game(moves, &rule, &control).unwrap();
        let placed = game.moves().iter().filter(|&&mv| mv != Move::Pass);
        assert_eq!(placed.count(), moves as usize);
        let mut there = session.clone();
        there.set_game(game.clone()).unwrap();
        // The last move was valued by a search of the position before it, one ply deeper.
        assert_eq!(there.position().board().state(), State::Moves);
    }
    let manual = |seed| {
        let mut session = session.clone();
        session.set_seed(seed);
        session
            .random_game(20, &RandomRule::Manual, &control)
            .unwrap()
    };
    assert_eq!(manual(3), manual(3));
    assert_ne!(manual(3), manual(4));
    // A value that no position has.
    assert_eq!(
        session.random_game(4, &RandomRule::InRange(70..=80), &control),
        None
    );
    control.stop();
    assert_eq!(session.random_game(4, &RandomRule::Manual, &control), None);
}

#[test]
fn worse_moves_are_played_on_purpose() {
    let game = end_game(7);
    let board = game.position().board();
    let value = |mv: Move| -negamax(board.after(mv).unwrap());
    let best = board
        .legal_moves()
        .iter()
        .map(|square| value(Move::Place(square)))
        .max();
    let losses = |loss: Option<PlayLoss>| {
        let mut session = session(10);
        session.set_game(game.clone()).unwrap();
        session.play_loss = loss;
        let choose = |_| session.choose(&Control::default(), &mut ()).unwrap().mv;
        let moves = (0..40).map(choose);
        let losses: Vec<_> = moves.map(|mv| best.unwrap() - value(mv)).collect();
        losses
    };
    assert!(losses(None).iter().all(|&loss| loss == 0));
    let all = PlayLoss {
        percent: 100,
        most: 128,
    };
    let values = board
        .legal_moves()
        .iter()
        .map(|square| value(Move::Place(square)));
    let is_same = values.clone().min() == values.clone().max();
    assert!(is_same || losses(Some(all)).iter().any(|&loss| loss > 0));
    let small = PlayLoss {
        percent: 50,
        most: 4,
    };
    assert!(losses(Some(small)).iter().all(|&loss| loss <= 4));
}

#[test]
fn fixed_times_and_clocks_are_kept() {
    let mut session = session(60);
    session.move_time = Some(Duration::from_millis(300));
    let start = Instant::now();
    let chosen = session.choose(&Control::default(), &mut ()).unwrap();
    assert!(chosen.hint.is_some() && start.elapsed() < Duration::from_secs(5));
    session.move_time = None;
    let clock = Clock::for_game(Duration::from_secs(2));
    session.set_clock(Side::Black, Some(clock));
    let start = Instant::now();
    assert!(session.choose(&Control::default(), &mut ()).is_some());
    assert!(start.elapsed() < Duration::from_secs(5));
    session.spend(Side::Black, Duration::from_secs(1));
    assert_eq!(
        session.clock(Side::Black).unwrap().time,
        Duration::from_secs(1)
    );
    assert_eq!(session.clock(Side::White), None);
}

#[test]
fn pondering_stops_at_once() {
    let mut session = session(60);
    assert!(Ponder::start(&session).is_none());
    session.ponders = true;
    let ponder = Ponder::start(&session).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    let start = Instant::now();
    drop(ponder);
    assert!(start.elapsed() < Duration::from_secs(3));
    // Near the end it comes to an end by itself.
    session.set_game(end_game(6)).unwrap();
    Ponder::start(&session).unwrap().wait();
}
