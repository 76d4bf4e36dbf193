//! Probing all kinds of books, and how the options work together on random entries of the start position.

use proptest::prelude::*;
use shogi_core::movegen::LegalAll;
use shogi_core::{ByColor, Game, Move16, Position};
use shogi_packed::PackedSfen;
use test_support::TestFolder;
use yane_base::random::stream;
use yane_book::apery::{self, AperyWriter};
use yane_book::memory::{Book, ReadOptions};
use yane_book::probe::{
    Books, Message, OpenBook, OpenOptions, Probe, ProbeOptions, Profile, book_files, probe, select,
};
use yane_book::ybb::{MoveDepths, YbbWriter};
use yane_book::{BookMove, Job, sort_moves};

use super::util::{fixture, game, open};

const IGNORING_PLY: OpenOptions = OpenOptions {
    on_the_fly: false,
    ignore_ply: true,
};

fn book_move(position: &Position, usi: &str, eval: i32, count: u64) -> BookMove {
    let mv = position.move_from_usi(usi).unwrap();
    BookMove {
        eval,
        depth: 20,
        count,
        ..BookMove::new(Some(mv.into()))
    }
}

/// The start position and the one after 7g7f, which the other side knows turned.
fn entries() -> Vec<(Position, Vec<BookMove>)> {
    let start = Position::startpos();
    let second = game("startpos moves 7g7f").position().clone();
    let first_moves = vec![
        book_move(&start, "2g2f", 30, 1),
        book_move(&start, "7g7f", 40, 5),
    ];
    let second_moves = vec![book_move(&second, "3c3d", -7, 1)];
    vec![(start, first_moves), (second, second_moves)]
}

/// The same entries in every format.
fn all_formats(folder: &std::path::Path) -> Vec<OpenBook> {
    let entries = entries();
    let ybb = folder.join("book.ybb");
    let mut packed: Vec<_> = entries
        .iter()
        .map(|(position, moves)| (PackedSfen::encode(position).unwrap(), position, moves))
        .collect();
    packed.sort_by_key(|(packed, ..)| packed.0);
    let mut writer = YbbWriter::create(&ybb, folder, MoveDepths::Stored).unwrap();
    for (packed, position, moves) in packed {
        writer.push(&packed, position.ply() as u16, moves).unwrap();
    }
    writer.commit().unwrap();

    let bin = folder.join("book.bin");
    let mut keyed: Vec<_> = entries
        .iter()
        .map(|(position, moves)| (apery::key(position), moves))
        .collect();
    keyed.sort_by_key(|(key, _)| *key);
    let mut writer = AperyWriter::create(&bin).unwrap();
    for (key, moves) in keyed {
        writer.push(key, moves).unwrap();
    }
    writer.commit().unwrap();

    let read = |path| OpenBook::open(path, OpenOptions::default(), &Job::default()).unwrap();
    let memory = Book::from_entries(entries, ReadOptions::default());
    vec![OpenBook::from(memory), read(&ybb), read(&bin)]
}

#[test]
fn all_formats_answer() {
    let folder = TestFolder::new();
    let start = Position::startpos();
    let second = game("startpos moves 7g7f").position().clone();
    for (format, book) in all_formats(&folder.path("")).into_iter().enumerate() {
        let books = Books::from(vec![book]);
        let names = |position: &Position, flipped| -> Vec<(String, i32, i32)> {
            let moves = if flipped {
                books.find_either_way(position)
            } else {
                books.find(position)
            };
            let moves = moves.unwrap().into_iter();
            moves
                .map(|found| {
                    let text = found.mv.and_then(Move16::decode).unwrap();
                    (text.to_string(), found.eval, found.depth)
                })
                .collect()
        };
        let depth = if format == 2 { 256 } else { 20 };
        let expected = [("7g7f", 40), ("2g2f", 30)].map(|(mv, eval)| (mv.to_owned(), eval, depth));
        assert_eq!(names(&start, false), expected, "format {format}");
        let expected = [("3c3d".to_owned(), -7, depth)];
        assert_eq!(names(&second, false), expected);
        let turned = second.flip();
        assert!(names(&turned, false).is_empty());
        assert_eq!(names(&turned, true), [("7g7f".to_owned(), -7, depth)]);
        // Only Apery's keys know no plies.
        let later = start.clone().with_ply(3);
        assert_eq!(names(&later, false).is_empty(), format != 2);
    }
}

#[test]
fn ponder_comes_from_the_next_position() {
    let folder = TestFolder::new();
    for book in all_formats(&folder.path("")) {
        let books = Books::from(vec![book]);
        let selection = select(&books, &Position::startpos(), &ProbeOptions::default()).unwrap();
        let ponders: Vec<_> = selection
            .candidates
            .iter()
            .map(|candidate| candidate.ponder.map(|m| m.to_string()))
            .collect();
        assert_eq!(ponders, [Some("3c3d".to_owned()), None]);
    }
}

#[test]
fn the_first_book_with_an_answer_wins() {
    let start = Position::startpos();
    let second = game("startpos moves 7g7f").position().clone();
    let one = |position: &Position, moves: Vec<BookMove>| {
        let entries = [(position.clone(), moves)];
        OpenBook::from(Book::from_entries(entries, ReadOptions::default()))
    };
    let books = Books::from(vec![
        one(&second, vec![]),
        one(&start, vec![book_move(&start, "5g5f", 1, 1)]),
        one(&start, vec![book_move(&start, "7g7f", 99, 99)]),
        one(&second, vec![book_move(&second, "8c8d", 2, 1)]),
    ]);
    let evals = |position: &Position| -> Vec<i32> {
        let moves = books.find_either_way(position).unwrap();
        moves.iter().map(|found| found.eval).collect()
    };
    assert_eq!(evals(&start), [1]);
    assert_eq!(
        evals(&second),
        [2],
        "an entry without moves answers nothing"
    );
}

#[test]
fn ybb_goldens_agree_with_their_text() {
    for (text, binary) in [
        ("ybb/acyclic.db", "ybb/acyclic_nd.ybb"),
        ("ybb/handicap.db", "ybb/handicap.ybb"),
    ] {
        let text = std::fs::read_to_string(fixture(text)).unwrap();
        let book = open(&fixture(binary), IGNORING_PLY);
        let sfens = text.lines().filter_map(|line| line.strip_prefix("sfen "));
        let mut count = 0;
        for sfen in sfens {
            let position = Position::from_sfen(sfen).unwrap();
            assert!(!book.find(&position).unwrap().is_empty(), "{sfen}");
            count += 1;
        }
        assert!(count > 20);
    }
}

#[test]
fn a_file_that_breaks_later_is_told() {
    let folder = TestFolder::new();
    let path = folder.path("book.db");
    let sfen = Position::startpos().to_sfen();
    std::fs::write(&path, format!("sfen {sfen}\nhello\n")).unwrap();
    assert_eq!(book_files(&path).unwrap(), std::slice::from_ref(&path));
    let options = OpenOptions {
        on_the_fly: true,
        ..OpenOptions::default()
    };
    let books = open(&path, options);
    let mut rng = stream(1);
    let answer = probe(
        &books,
        &game("startpos"),
        &ProbeOptions::default(),
        &mut rng,
    );
    assert_eq!(answer.choice, None);
    let [Message::Broken(text)] = answer.messages.as_slice() else {
        panic!("{answer:?}")
    };
    assert!(text.contains("line 2") && text.contains("hello"), "{text}");
    // In memory it is told when the book is read.
    assert!(OpenBook::open(&path, OpenOptions::default(), &Job::default()).is_err());
}

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

fn books_of(moves: &[BookMove]) -> Books {
    let entries = [(Position::startpos(), moves.to_vec())];
    let book = Book::from_entries(entries, ReadOptions::default());
    Books::from(vec![OpenBook::from(book)])
}

fn answer(books: &Books, options: &ProbeOptions, seed: u64) -> Probe {
    let mut rng = stream(seed);
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
        let books = books_of(&moves);
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
        let books = books_of(&moves);
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
        let books = books_of(&moves);
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
