//! All kinds of books.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use shogi_core::{Move16, PackedSfen, Position};
use yane_book::apery::{self, AperyWriter};
use yane_book::memory::{Book, ReadOptions};
use yane_book::probe::{
    Books, Message, OpenBook, OpenOptions, ProbeOptions, book_files, probe, select,
};
use yane_book::ybb::{MoveDepths, YbbWriter};
use yane_book::{BookMove, Job};

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

    let open = |path| OpenBook::open(path, OpenOptions::default(), &Job::default()).unwrap();
    let memory = Book::from_entries(entries, ReadOptions::default());
    vec![OpenBook::from(memory), open(&ybb), open(&bin)]
}

#[test]
fn all_formats_answer() {
    let folder = tempfile::tempdir().unwrap();
    let start = Position::startpos();
    let second = game("startpos moves 7g7f").position().clone();
    for (format, book) in all_formats(folder.path()).into_iter().enumerate() {
        let books = Books::from(vec![book]);
        let names = |position: &Position, flipped| -> Vec<(String, i32, i32)> {
            let moves = books.find(position, flipped).unwrap().into_iter();
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
    let folder = tempfile::tempdir().unwrap();
    for book in all_formats(folder.path()) {
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
        let moves = books.find(position, true).unwrap();
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
            assert!(!book.find(&position, false).unwrap().is_empty(), "{sfen}");
            count += 1;
        }
        assert!(count > 20);
    }
}

#[test]
fn a_file_that_breaks_later_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.db");
    let sfen = Position::startpos().to_sfen();
    std::fs::write(&path, format!("sfen {sfen}\nhello\n")).unwrap();
    assert_eq!(book_files(&path).unwrap(), std::slice::from_ref(&path));
    let options = OpenOptions {
        on_the_fly: true,
        ..OpenOptions::default()
    };
    let books = open(&path, options);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
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
