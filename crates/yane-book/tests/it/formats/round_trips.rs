//! What is written is read again, whatever it is.

use std::collections::BTreeMap;

use proptest::prelude::*;
use shogi_core::movegen::LegalAll;
use shogi_core::{AperyMove16, Move16, PackedSfen, Position};
use yane_book::BookMove;
use yane_book::apery::{self, Apery, AperyWriter};
use yane_book::ybb::{MoveDepths, Ybb, YbbWriter};

use super::support::Folder;

/// A move as numbers to choose from: which of the legal moves, eval, depth, count.
type Choice = (prop::sample::Index, i32, u16, u16);

/// Positions of a random game with some of their moves.
fn books() -> impl Strategy<Value = BTreeMap<PackedSfen, (u16, Vec<BookMove>)>> {
    let choice = (
        any::<prop::sample::Index>(),
        any::<i32>(),
        any::<u16>(),
        any::<u16>(),
    );
    let moves = prop::collection::vec(choice, 0..6);
    prop::collection::vec((any::<prop::sample::Index>(), moves), 0..60).prop_map(play)
}

fn play(
    game: Vec<(prop::sample::Index, Vec<Choice>)>,
) -> BTreeMap<PackedSfen, (u16, Vec<BookMove>)> {
    let mut position = Position::startpos();
    let mut book = BTreeMap::new();
    for (next, choices) in game {
        let legal = position.moves::<LegalAll>();
        if legal.is_empty() {
            break;
        }
        let moves = choices
            .into_iter()
            .map(|(which, eval, depth, count)| BookMove {
                mv: Some(Move16::from(legal[which.index(legal.len())])),
                ponder: None,
                eval: eval >> 16,
                depth: depth.into(),
                count: count.into(),
            });
        let packed = PackedSfen::encode(&position).unwrap();
        book.insert(packed, (position.ply() as u16, moves.collect()));
        let _ = position.do_move(legal[next.index(legal.len())]);
    }
    book
}

proptest! {
    #[test]
    fn ybb(book in books(), depths in prop_oneof![Just(MoveDepths::Stored), Just(MoveDepths::Omitted)]) {
        let folder = Folder::new();
        let path = folder.path("book.ybb");
        let mut writer = YbbWriter::create(&path, &folder.path(""), depths).unwrap();
        for (packed, (ply, moves)) in &book {
            writer.push(packed, *ply, moves).unwrap();
        }
        prop_assert_eq!(writer.len(), book.len() as u64);
        writer.commit().unwrap();

        let read = Ybb::open(&path).unwrap();
        read.verify().unwrap();
        prop_assert_eq!(read.depths(), depths);
        prop_assert_eq!(read.len(), book.len() as u64);
        for (entry, (packed, (ply, moves))) in read.entries().zip(&book) {
            let entry = entry.unwrap();
            prop_assert_eq!((entry.packed, entry.ply), (*packed, *ply));
            prop_assert_eq!(entry.position().unwrap().ply(), u32::from(*ply));
            let expected: Vec<_> = moves.iter().map(|known| BookMove {
                depth: if depths == MoveDepths::Stored { known.depth } else { 0 },
                count: 0,
                ..*known
            }).collect();
            prop_assert_eq!(entry.moves().collect::<Vec<_>>(), expected);
            prop_assert_eq!(read.find(packed).unwrap().unwrap().index, entry.index);
            let mut other = *packed;
            other.0[31] ^= 0x80;
            prop_assert_eq!(read.find(&other).unwrap().is_some(), book.contains_key(&other));
        }
        prop_assert!(read.get(read.len()).unwrap().is_none());
        prop_assert!(read.find(&PackedSfen([0; 32])).unwrap().is_none());
        prop_assert!(read.find(&PackedSfen([255; 32])).unwrap().is_none());
    }

    #[test]
    fn apery(book in books()) {
        prop_assume!(book.values().any(|(_, moves)| !moves.is_empty()));
        let book: BTreeMap<u64, Vec<BookMove>> = book
            .into_iter()
            .map(|(packed, (_, moves))| (apery::key(&packed.decode().unwrap()), moves))
            .collect();
        let folder = Folder::new();
        let path = folder.path("book.bin");
        let mut writer = AperyWriter::create(&path).unwrap();
        for (&key, moves) in &book {
            writer.push(key, moves).unwrap();
        }
        writer.commit().unwrap();

        let read = Apery::open(&path).unwrap();
        read.verify().unwrap();
        let records = book.values().map(Vec::len).sum::<usize>();
        prop_assert_eq!(read.len(), records as u64);
        prop_assert_eq!(read.entries().len(), records);
        for (&key, moves) in &book {
            let found: Vec<_> = read.find(key).collect();
            prop_assert_eq!(found.len(), moves.len());
            prop_assert_eq!(read.contains(key), !moves.is_empty());
            for (entry, known) in found.iter().zip(moves) {
                prop_assert_eq!(entry.key, key);
                let mv = known.mv.unwrap().decode().unwrap();
                prop_assert_eq!(entry.mv, AperyMove16::encode(mv));
                prop_assert_eq!(u64::from(entry.count), known.count);
                prop_assert_eq!(entry.score, known.eval);
            }
            prop_assert_eq!(read.contains(key ^ 1), book.get(&(key ^ 1)).is_some_and(|moves| !moves.is_empty()));
        }
    }
}

#[test]
fn writers_refuse_what_readers_would() {
    let folder = Folder::new();
    let packed = PackedSfen::encode(&Position::startpos()).unwrap();
    let line = |eval, depth| BookMove {
        eval,
        depth,
        ..BookMove::new(None)
    };
    let path = folder.path("book.ybb");
    let mut ybb = YbbWriter::create(&path, &folder.path(""), MoveDepths::Stored).unwrap();
    for (eval, depth) in [(32_768, 0), (-32_769, 0), (0, -1), (0, 65_536)] {
        assert!(ybb.push(&packed, 1, &[line(eval, depth)]).is_err());
    }
    assert!(ybb.push(&packed, 1, &vec![line(0, 0); 65_536]).is_err());
    ybb.push(&packed, 1, &[line(0, 0)]).unwrap();
    let error = ybb.push(&packed, 2, &[line(0, 0)]).unwrap_err().to_string();
    assert!(
        error.contains("ascending") && error.contains("lnsgkgsnl"),
        "{error}"
    );
    drop(ybb);
    assert!(!path.exists());

    let path = folder.path("book.bin");
    let mut apery = AperyWriter::create(&path).unwrap();
    let many = BookMove {
        count: 70_000,
        ..BookMove::new(None)
    };
    apery.push(7, &[many]).unwrap();
    assert!(apery.push(6, &[many]).is_err());
    let garbage = BookMove::new(Some(Move16(0xffff)));
    assert!(apery.push(8, &[garbage]).is_err());
    apery.commit().unwrap();
    let book = Apery::open(&path).unwrap();
    let entry = book.entries().next().unwrap();
    assert_eq!((entry.mv.0, entry.count), (0, 65_535));
}
