//! The merge against its definition, written down with maps.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use proptest::prelude::*;
use yane_book::db::{MoveLine, push_move_line};
use yane_book::merge::{MergeInput, MergeOptions, merge};
use yane_book::{BookError, BookMove, Job, add_move, sort_moves};

/// Positions to choose from, in all of which the moves below can be played; the last two are one
/// position written in two ways.
const POSITIONS: [&str; 6] = [
    "k8/9/9/9/9/9/9/9/4K4 b GS",
    "9/9/9/9/9/9/9/9/4k4 w GSgs",
    "k8/9/9/9/9/9/9/9/4K4 b G",
    "9/9/9/9/9/9/9/9/4K4 b G2p",
    "k8/9/9/9/9/9/9/9/4K4 b RG2P2p",
    "k8/9/9/9/9/9/9/9/4K4 b 2pPG1RP",
];

/// A position with its ply and lines.
type Entry = (usize, u32, Vec<BookMove>);

fn book_move() -> impl Strategy<Value = BookMove> {
    (0usize..4, -3i32..4, 0i32..4, 0u64..4).prop_map(|(mv, eval, depth, count)| {
        let usi = ["none", "5i4h", "5i5h", "G*5b"][mv];
        let line = format!("{usi} none {eval} {depth} {count}");
        MoveLine::parse(line.as_bytes()).unwrap().book_move
    })
}

fn book() -> impl Strategy<Value = Vec<Entry>> {
    let moves = prop::collection::vec(book_move(), 0..5);
    prop::collection::vec((0..POSITIONS.len(), 8u32..13, moves), 0..40)
}

fn text(book: &[Entry]) -> String {
    let mut text = String::from("#YANEURAOU-DB2016 1.00\n");
    for (position, ply, moves) in book {
        writeln!(text, "sfen {} {ply}", POSITIONS[*position]).unwrap();
        for known in moves {
            let mut line = Vec::new();
            push_move_line(&mut line, known);
            writeln!(text, "{}", String::from_utf8(line).unwrap()).unwrap();
        }
    }
    text
}

/// What the module documentation of `yane_book::merge` says, word for word.
fn defined(books: &[Vec<Entry>], ignore_ply: bool) -> String {
    let mut merged: BTreeMap<(usize, u32), (u32, Vec<BookMove>)> = BTreeMap::new();
    for book in books {
        let mut own: BTreeMap<(usize, u32), (u32, Vec<BookMove>)> = BTreeMap::new();
        for (position, ply, moves) in book {
            let position = (*position).min(4);
            let entry = own
                .entry((position, if ignore_ply { 0 } else { *ply }))
                .or_insert((*ply, Vec::new()));
            entry.0 = entry.0.min(*ply);
            for known in moves {
                add_move(&mut entry.1, *known);
            }
        }
        for (key, (ply, moves)) in own {
            let Some(earlier) = merged.get_mut(&key) else {
                merged.insert(key, (ply, moves));
                continue;
            };
            earlier.0 = earlier.0.min(ply);
            let rank = |moves: &[BookMove]| (moves[0].depth, moves.len());
            if earlier.1.is_empty() || (!moves.is_empty() && rank(&moves) > rank(&earlier.1)) {
                earlier.1 = moves;
            }
        }
    }
    let mut smallest: BTreeMap<usize, (u32, Vec<BookMove>)> = BTreeMap::new();
    for ((position, _), (ply, moves)) in merged {
        if !moves.is_empty() {
            smallest.entry(position).or_insert((ply, moves));
        }
    }
    let mut entries: Vec<Entry> = smallest
        .into_iter()
        .map(|(position, (ply, mut moves))| {
            sort_moves(&mut moves);
            (position, ply, moves)
        })
        .collect();
    entries.sort_by_key(|(position, ply, _)| format!("{} {ply}", POSITIONS[*position]));
    text(&entries)
}

fn run(texts: &[String], ignore_ply: bool, job: &Job) -> String {
    let folder = tempfile::tempdir().unwrap();
    let inputs: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(number, text)| {
            let path = folder.path().join(format!("{number}.db"));
            std::fs::write(&path, text).unwrap();
            MergeInput::new(path)
        })
        .collect();
    let options = MergeOptions {
        ignore_ply,
        line_end: yane_book::db::LineEnd::Lf,
        ..MergeOptions::default()
    };
    let output = folder.path().join("out.db");
    match merge(&inputs, &output, options, job) {
        // Nothing but the header is not written.
        Err(BookError::NothingToWrite { .. }) if !output.exists() => {
            "#YANEURAOU-DB2016 1.00\n".to_owned()
        }
        result => {
            result.unwrap();
            std::fs::read_to_string(output).unwrap()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn agrees_with_the_definition_for_any_memory(
        books in prop::collection::vec(book(), 1..4),
        ignore_ply: bool,
        memory in 1u64..20_000,
        threads in 1usize..4,
    ) {
        let texts: Vec<_> = books.iter().map(|book| text(book)).collect();
        let job = Job { memory, threads, ..Job::default() };
        let expected = defined(&books, ignore_ply);
        let written = run(&texts, ignore_ply, &job);
        prop_assert_eq!(&written, &expected);
        // A canonical book is not changed by reading and writing it, nor by merging it with itself.
        prop_assert_eq!(&run(std::slice::from_ref(&written), ignore_ply, &job), &written);
        prop_assert_eq!(&run(&[written.clone(), written.clone()], ignore_ply, &job), &written);
    }
}
