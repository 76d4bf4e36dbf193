//! Books with edits above their files.

mod looks;
mod saving;
mod slices;

use std::sync::Arc;

use shogi_core::{Move16, MoveText, Position};
use yane_book::Job;
use yane_book::edit::{
    BookBase, EditableEntry, EntryChange, EntryMatching, Field, MoveEdit, OverlaidBook,
};

pub(super) fn usi(text: &str) -> Move16 {
    Move16::encode(MoveText::from_usi(text).unwrap())
}

pub(super) fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap()
}

pub(super) fn open(path: &std::path::Path) -> OverlaidBook {
    let base = BookBase::open(path, &Job::default()).unwrap();
    OverlaidBook::new(Arc::new(base))
}

pub(super) fn set(mv: &str, score: i32, depth: i32, count: u64) -> EntryChange {
    EntryChange::Set(MoveEdit {
        score: Field::Is(score),
        depth: Field::Is(depth),
        count: Field::Is(count),
        ..MoveEdit::new(usi(mv))
    })
}

pub(super) fn comment(mv: &str, comment: &str) -> EntryChange {
    EntryChange::Set(MoveEdit {
        comment: Field::Is(comment.to_owned()),
        ..MoveEdit::new(usi(mv))
    })
}

/// The SFENs of a book, in its order.
pub(super) fn sfens_of(path: &std::path::Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let sfens = text.lines().filter_map(|line| line.strip_prefix("sfen "));
    sfens.map(|sfen| sfen.trim().to_owned()).collect()
}

#[track_caller]
pub(super) fn change(book: &mut OverlaidBook, sfen: &str, changes: &[EntryChange]) {
    let edit = book
        .edit_of(&position(sfen), EntryMatching::default(), changes)
        .unwrap();
    book.edit(&edit).unwrap();
}

pub(super) fn refused(book: &mut OverlaidBook, sfen: &str, changes: &[EntryChange]) -> String {
    let edit = book
        .edit_of(&position(sfen), EntryMatching::default(), changes)
        .unwrap();
    book.edit(&edit).unwrap_err().to_string()
}

/// Moves with what is known of them.
pub(super) fn shown(entry: &EditableEntry) -> Vec<String> {
    let number = |n: Option<i64>| n.map_or_else(|| "-".to_owned(), |n| n.to_string());
    let moves = entry.moves().iter().map(|known| {
        let mv = known.mv.and_then(Move16::decode).unwrap();
        let [score, depth] = [known.score, known.depth].map(|n| number(n.map(i64::from)));
        let count = number(known.count.map(|n| n as i64));
        format!("{mv} {score} {depth} {count} {}", known.comment)
            .trim_end()
            .to_owned()
    });
    moves.collect()
}

#[track_caller]
pub(super) fn at(book: &OverlaidBook, sfen: &str) -> EditableEntry {
    book.find(&position(sfen), EntryMatching::default())
        .unwrap()
        .unwrap()
        .entry
}

/// Columns that are missing, comments, a byte order mark, line ends of all kinds, a line without an end.
pub(super) const ODD: &str = "\u{feff}#YANEURAOU-DB2016 1.00\n# about\n\n\
    sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2\n8c8d none none none\n3c3d\n\
    sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n#start\n7g7f 3c3d 34 none 5 # good\n//see\n\n2g2f none 30 32 9";
