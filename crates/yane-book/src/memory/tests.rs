use crate::BookMove;
use crate::Job;
use crate::Result;
use shogi_core::Position;
use std::path::PathBuf;
use test_support::{SplitMix64, TestFolder, fixture, fixture_bytes};

use shogi_core::{Move16, MoveText};

use super::*;
use crate::BookError;

const BOOK: &str = "\u{feff}#YANEURAOU-DB2016 1.00\r
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 3\r
7g7f 3c3d 10 5 2\r
2g2f none 20 5 2\r
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\r
// a comment\r
2g2f none -1 7 9\r
sfen 4k4/9/9/9/9/9/9/9/4K4 w - 2\r
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 3\r
5g5f\r
7g7f none 11 6 4";

fn mv(usi: &str) -> Option<Move16> {
    MoveText::from_usi(usi).map(Move16::encode)
}

fn file(text: &str) -> (TestFolder, PathBuf) {
    let folder = TestFolder::new();
    let path = folder.path("book.db");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

fn read(text: &str, ignore_ply: bool) -> Result<Book> {
    let (_folder, path) = file(text);
    Book::read(&path, ReadOptions { ignore_ply }, &Job::default())
}

fn names(moves: &[BookMove]) -> Vec<(String, u64)> {
    let name = |book_move: &BookMove| {
        let text = book_move.mv.and_then(Move16::decode).unwrap();
        (text.to_string(), book_move.count)
    };
    moves.iter().map(name).collect()
}

#[test]
fn the_same_position_again_adds_its_moves() {
    let book = read(BOOK, false).unwrap();
    assert_eq!(book.len(), 3);
    let start = Position::startpos();
    let third = book.get(&start.clone().with_ply(3)).unwrap();
    let listed: Vec<_> = third.iter().collect();
    let expected = [("7g7f", 6), ("2g2f", 2), ("5g5f", 1)];
    assert_eq!(
        names(&listed),
        expected.map(|(mv, count)| (mv.to_owned(), count))
    );
    let replaced = third.find(mv("7g7f").unwrap()).unwrap();
    assert_eq!(
        (replaced.eval, replaced.depth, replaced.ponder),
        (11, 6, None)
    );
    assert_eq!(third.first(), Some(replaced));
    assert_eq!(book.get(&start).unwrap().len(), 1);
    assert!(book.get(&start.clone().with_ply(2)).is_none());
    assert_eq!(
        book.get_ignoring_ply(&start.with_ply(2)).unwrap().len(),
        1,
        "the smallest ply"
    );
}

#[test]
fn plies_can_be_ignored() {
    let book = read(BOOK, true).unwrap();
    assert_eq!(book.len(), 2);
    let moves = book.get(&Position::startpos().with_ply(77)).unwrap();
    let listed: Vec<_> = moves.iter().collect();
    let expected = [("7g7f", 6), ("2g2f", 11), ("5g5f", 1)];
    assert_eq!(
        names(&listed),
        expected.map(|(mv, count)| (mv.to_owned(), count))
    );
    let expected = [("2g2f", 11), ("7g7f", 6), ("5g5f", 1)];
    assert_eq!(
        names(&moves.sorted()),
        expected.map(|(mv, count)| (mv.to_owned(), count))
    );
}

#[test]
fn a_position_without_moves_is_there() {
    let book = read(BOOK, false).unwrap();
    let bare = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 w - 2").unwrap();
    assert!(book.get(&bare).unwrap().is_empty());
    let keys: Vec<_> = book.iter().map(|entry| (entry.key, entry.ply)).collect();
    assert!(keys.is_sorted());
    for (at, entry) in book.iter().enumerate() {
        let first = book.index_of_key(entry.key).unwrap();
        assert!(first == at || book.entry(first).unwrap().ply < entry.ply);
    }
}

#[test]
fn a_header_alone_is_an_empty_book_and_an_empty_file_is_none() {
    let error = read("", false).unwrap_err().to_string();
    assert!(error.contains("this is an empty file"), "{error}");
    let book = read("#YANEURAOU-DB2016 1.00\n", false).unwrap();
    assert!(book.is_empty());
    assert!(book.get(&Position::startpos()).is_none());
    assert_eq!(book.iter().len(), 0);
}

#[test]
fn bad_lines_are_named() {
    for (text, line) in [
        (BOOK.replace("5g5f", "hello"), 10),
        (BOOK.replace("4k4/", "4k5/"), 8),
        (BOOK.replace("-1 7 9", "-1 7 x"), 7),
    ] {
        match read(&text, false) {
            Err(BookError::Line { line: at, .. }) => assert_eq!(at, line),
            other => panic!("{other:?}"),
        }
    }
    let missing = PathBuf::from("no such file");
    let result = Book::read(&missing, ReadOptions::default(), &Job::default());
    assert!(matches!(
        result,
        Err(BookError::Files(yane_io::Error::Io { .. }))
    ));
}

#[test]
fn a_binary_book_is_read_by_its_name() {
    let book = |name: &str| {
        let path = fixture("book/ybb").join(name);
        Book::read(&path, ReadOptions::default(), &Job::default()).unwrap()
    };
    // Output of the peer's converter for the binary book.
    let (binary, text) = (book("acyclic_nd.ybb"), book("acyclic_nd_back.db"));
    assert!(!binary.is_empty());
    assert_eq!(binary.len(), text.len());
    for (ours, theirs) in binary.iter().zip(text.iter()) {
        assert_eq!((ours.key, ours.ply), (theirs.key, theirs.ply));
        let plain = |moves: Moves<'_>| -> Vec<_> {
            moves.iter().map(|found| (found.mv, found.eval)).collect()
        };
        assert_eq!(plain(ours.moves), plain(theirs.moves));
    }
    let folder = TestFolder::new();
    let path = folder.path("bad.ybb");
    let mut bytes = fixture_bytes("book/ybb/handicap.ybb");
    bytes[32..64].fill(0);
    std::fs::write(&path, bytes).unwrap();
    let error = Book::read(&path, ReadOptions::default(), &Job::default()).unwrap_err();
    assert!(
        matches!(
            error,
            BookError::Files(yane_io::Error::Byte { offset: 32, .. })
        ),
        "{error}"
    );
}

#[test]
fn a_cancelled_job_ends() {
    let (_folder, path) = file(BOOK);
    let job = Job::default();
    job.cancel();
    let result = Book::read(&path, ReadOptions::default(), &job);
    assert!(matches!(
        result,
        Err(BookError::Files(yane_io::Error::Cancelled))
    ));
}

/// Positions of a seeded walk, many of them met again, against a plain map.
#[test]
fn agrees_with_a_map_however_many_threads_read() {
    use shogi_core::movegen::LegalAll;
    use std::collections::HashMap;
    use std::fmt::Write;

    let mut numbers = SplitMix64::new(7);
    let mut random = move |below: usize| numbers.remainder(below);
    let mut text = String::from("#YANEURAOU-DB2016 1.00\n");
    let mut expected: HashMap<(u128, u32), Vec<BookMove>> = HashMap::new();
    let mut position = Position::startpos();
    for _ in 0..30_000 {
        if position.ply() > 6 || position.is_mated() {
            position = Position::startpos();
        }
        let legal = position.moves::<LegalAll>();
        let chosen = legal[random(legal.len().min(4))];
        let line = BookMove {
            eval: random(100) as i32,
            depth: random(30) as i32,
            count: random(9) as u64,
            ..BookMove::new(Some(chosen.into()))
        };
        writeln!(
            text,
            "sfen {}\n{chosen} none {} {} {}",
            position.to_sfen(),
            line.eval,
            line.depth,
            line.count
        )
        .unwrap();
        let id = (position.key128(), position.ply());
        crate::add_move(expected.entry(id).or_default(), line);
        let _ = position.do_move_unchecked(chosen);
    }
    let (_folder, path) = file(&text);
    for threads in [1, 4] {
        let job = Job {
            threads,
            ..Job::default()
        };
        let book = Book::read(&path, ReadOptions::default(), &job).unwrap();
        assert_eq!(book.len(), expected.len());
        for entry in book.iter() {
            let moves: Vec<_> = entry.moves.iter().collect();
            assert_eq!(moves, expected[&(entry.key, entry.ply)]);
        }
        assert!(book.memory() <= book.len() * 60 + book.moves.len() * 16);
    }
}
