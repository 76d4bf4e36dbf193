//! How the options work together, on random entries of the start position.

use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use shogi_core::movegen::LegalAll;
use shogi_core::{ByColor, Game, Move16, Position};
use yane_book::memory::{Book, ReadOptions};
use yane_book::probe::{Books, Message, OpenBook, Probe, ProbeOptions, Profile, probe, select};
use yane_book::{BookMove, sort_moves};

/// Moves of a position: the index of a legal move (beyond the last: an illegal one), value, depth,
/// count. Small numbers, so that ties and limits are hit.
fn book_moves() -> impl Strategy<Value = Vec<BookMove>> {
    let line = (0usize..12, -40i32..40, 0i32..20, 0u64..12);
    prop::collection::vec(line, 0..8).prop_map(|lines| {
        let legal = Position::startpos().moves::<LegalAll>();
        let mut moves: Vec<BookMove> = Vec::new();
        for (index, eval, depth, count) in lines {
            let mv = if index < 10 {
                Move16::from(legal[index])
            } else {
                Move16(0x4200 + index as u16)
            };
            let new = BookMove {
                eval,
                depth,
                count,
                ..BookMove::new(Some(mv))
            };
            yane_book::add_move(&mut moves, new);
        }
        moves
    })
}

fn options() -> impl Strategy<Value = ProbeOptions> {
    let numbers = (0i32..60, -40i32..40, 0i32..20, 0u32..3, 0u32..2);
    let checks = (any::<bool>(), any::<bool>(), any::<bool>(), 0u32..10);
    (numbers, checks).prop_map(
        |((diff, limit, depth, max_ply, v2), (narrow, counts, flipped, own))| {
            let profile = [Profile::Classic, Profile::V2][v2 as usize];
            ProbeOptions {
                own_book: own > 0,
                narrow,
                max_ply,
                eval_diff: ByColor([diff, 0]),
                eval_limit: ByColor([limit, 1000]),
                depth_limit: ByColor([depth, 1000]),
                consider_count: counts,
                pv_moves: 1,
                flipped,
                ..ProbeOptions::new(profile)
            }
        },
    )
}

fn books(moves: &[BookMove]) -> Books {
    let entries = [(Position::startpos(), moves.to_vec())];
    let book = Book::from_entries(entries, ReadOptions::default());
    Books::from(vec![OpenBook::from(book)])
}

fn answer(books: &Books, options: &ProbeOptions, seed: u64) -> Probe {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    probe(books, &Game::new(Position::startpos()), options, &mut rng)
}

/// The moves that may be played and their weights, said move by move.
fn expected(moves: &[BookMove], options: &ProbeOptions) -> Vec<(Move16, u64)> {
    let start = Position::startpos();
    let mut legal: Vec<_> = moves
        .iter()
        .filter(|m| {
            m.mv.is_some_and(|mv| start.move_from_16(mv).is_some_and(|m| start.is_legal(m)))
        })
        .copied()
        .collect();
    sort_moves(&mut legal);
    let total: u64 = legal.iter().map(|m| m.count).sum();
    let rare = |m: &BookMove| options.narrow && (m.count as f64 / total as f64) < 0.1;
    let frequent: Vec<_> = legal.into_iter().filter(|m| !rare(m)).collect();
    let Some(first) = frequent.first() else {
        return Vec::new();
    };
    let used = options.own_book
        && options.max_ply >= 1
        && (options.depth_limit.0[0] == 0 || first.depth >= options.depth_limit.0[0]);
    let good = |m: &&BookMove| {
        m.eval >= first.eval - options.eval_diff.0[0] && m.eval >= options.eval_limit.0[0]
    };
    let kept: Vec<_> = frequent.iter().filter(|m| used && good(m)).collect();
    let counted = options.consider_count && kept.iter().any(|m| m.count > 0);
    kept.into_iter()
        .map(|m| (m.mv.unwrap(), if counted { m.count } else { 1 }))
        .filter(|&(_, weight)| weight > 0)
        .collect()
}

proptest! {
    #[test]
    fn what_may_be_played(moves in book_moves(), options in options(), seed in any::<u64>()) {
        let books = books(&moves);
        let selection = select(&books, &Position::startpos(), &options).unwrap();
        let found: Vec<_> = selection
            .candidates
            .iter()
            .map(|candidate| (Move16::from(candidate.mv), candidate.weight))
            .collect();
        let expected = expected(&moves, &options);
        prop_assert_eq!(&found, &expected);

        let probe = answer(&books, &options, seed);
        prop_assert_eq!(probe.choice.is_some(), !expected.is_empty());
        if let Some(choice) = probe.choice {
            prop_assert!(expected.iter().any(|&(mv, _)| mv == choice.mv.into()));
        }
        prop_assert_eq!(&probe, &answer(&books, &options, seed), "the seed decides");
        let lines = probe.messages.iter().filter(|m| matches!(m, Message::Line(_)));
        prop_assert_eq!(lines.count(), selection.listed.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_book_is_ignored_as_often_as_wanted(rate in 0u32..=100) {
        let start = Position::startpos();
        let moves = [BookMove { depth: 99, ..BookMove::new(Some(start.moves::<LegalAll>()[0].into())) }];
        let books = books(&moves);
        let options = ProbeOptions { ignore_rate: rate, ..ProbeOptions::default() };
        let ignored = (0..1000).filter(|&seed| answer(&books, &options, seed).choice.is_none());
        // Six standard deviations of the binomial distribution.
        let share = f64::from(rate) / 100.0;
        let slack = 6.0 * (share * (1.0 - share) * 1000.0).sqrt();
        prop_assert!((ignored.count() as f64 - share * 1000.0).abs() <= slack);
    }

    #[test]
    fn counts_are_frequencies(weights in prop::collection::vec(0u64..5, 1..5)) {
        let start = Position::startpos();
        let legal = start.moves::<LegalAll>();
        let moves: Vec<_> = weights
            .iter()
            .enumerate()
            .map(|(at, &count)| BookMove {
                depth: 99,
                count,
                ..BookMove::new(Some(legal[at].into()))
            })
            .collect();
        let books = books(&moves);
        let options = ProbeOptions { consider_count: true, ..ProbeOptions::default() };
        let total: u64 = weights.iter().sum();
        for (at, &weight) in weights.iter().enumerate() {
            let hits = (0..1000).filter(|&seed| {
                answer(&books, &options, seed).choice.is_some_and(|choice| choice.mv == legal[at])
            });
            let share = if total == 0 {
                1.0 / weights.len() as f64
            } else {
                weight as f64 / total as f64
            };
            let slack = 6.0 * (share * (1.0 - share) * 1000.0).sqrt();
            prop_assert!((hits.count() as f64 - share * 1000.0).abs() <= slack);
        }
    }
}
