//! Books of which slices are read say of each position what they say as a whole.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use shogi_core::movegen::LegalAll;
use shogi_core::{Move16, Position};
use shogi_packed::PackedSfen;
use test_support::TestFolder;
use yane_book::edit::{BookBase, EntryFilter, OverlaidBook, check_order, search};
use yane_book::ybb::{MoveDepths, YbbWriter};
use yane_book::{BookMove, Job, apery};
use yane_io::{MemoryFiles, SlicedFile};

/// Positions after at most two moves, in the order of their SFENs.
fn positions() -> Vec<Position> {
    let mut all = BTreeMap::from([(Position::startpos().to_sfen(), Position::startpos())]);
    for first in Position::startpos().moves::<LegalAll>() {
        let mut position = Position::startpos();
        let _ = position.do_move_unchecked(first);
        for second in position.moves::<LegalAll>().into_iter().step_by(7) {
            let mut next = position.clone();
            let _ = next.do_move_unchecked(second);
            all.insert(next.to_sfen(), next);
        }
        all.insert(position.to_sfen(), position);
    }
    all.into_values().collect()
}

/// Some moves of a position, as a book has them.
fn moves(position: &Position, seed: usize) -> Vec<BookMove> {
    let all = position.moves::<LegalAll>().into_iter();
    let known = all.step_by(5).take(1 + seed % 4).enumerate();
    known
        .map(|(at, m)| BookMove {
            mv: Some(Move16::from(m)),
            eval: seed as i32 - 100 * at as i32,
            depth: (seed % 40) as i32,
            count: seed as u64,
            ponder: None,
        })
        .collect()
}

/// Compares the file at `path`, opened in place, with the same file in slices: at every position that `present` says is there, and at others.
#[track_caller]
fn check(path: &Path, present: &[Position]) -> BookBase {
    let whole = BookBase::open(path, &Job::default()).unwrap();
    let order = check_order(path, &Job::default()).unwrap();
    let bytes = std::fs::read(path).unwrap();
    let name = Path::new("slices").join(path.file_name().unwrap());
    MemoryFiles::put_sliced(&name, SlicedFile::new(bytes));
    let sliced = BookBase::open(&name, &Job::default()).unwrap();
    assert_eq!(sliced.format(), whole.format());
    assert_eq!(sliced.columns(), whole.columns());
    assert_eq!(sliced.positions(), whole.positions());
    assert_eq!(check_order(&name, &Job::default()).unwrap(), order);
    let mut found = 0;
    for position in present {
        let turned = position.flip();
        for position in [position, &turned] {
            let entries = whole.entries(position).unwrap();
            assert_eq!(sliced.entries(position).unwrap(), entries);
            found += usize::from(!entries.is_empty());
        }
    }
    assert!(found >= present.len(), "{found}");
    let absent = "4k4/9/9/9/9/9/9/9/4K4 b 2R 1";
    let absent = Position::from_sfen(absent).unwrap();
    assert!(sliced.entries(&absent).unwrap().is_empty());
    assert!(sliced.check_writable().is_err());
    sliced
}

#[test]
fn text_books_however_they_are_written() {
    let positions = positions();
    let folder = TestFolder::new();
    let long = format!("# {}", "long ".repeat(10_000));
    for (number, (head, end, note)) in [
        ("#YANEURAOU-DB2016 1.00\n", "\n", ""),
        (
            "\u{feff}#YANEURAOU-DB2016 1.00\r\n",
            "\r\n",
            "# sfen no\r\n\r\n",
        ),
        ("", "\r", "//sfen x\r"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut text = head.to_owned();
        for (at, position) in positions.iter().enumerate() {
            write!(text, "sfen {}{end}{note}", position.to_sfen()).unwrap();
            // Longer than what is looked at at once.
            if at % 50 == 49 {
                write!(text, "{long}{end}").unwrap();
            }
            for known in moves(position, at) {
                let mv = known.mv.and_then(Move16::decode).unwrap();
                write!(
                    text,
                    "{mv} none {} {} {}{end}",
                    known.eval, known.depth, known.count
                )
                .unwrap();
            }
        }
        for (name, text) in [("whole", text.as_str()), ("cut", text.trim_end())] {
            let path = folder.path(format!("{name}{number}.db"));
            std::fs::write(&path, text).unwrap();
            let sliced = check(&path, &positions);
            let mut hits = 0;
            let book = OverlaidBook::new(sliced.into());
            search(&book, &EntryFilter::default(), &Job::default(), |found| {
                hits += found.len();
                std::ops::ControlFlow::Continue(())
            })
            .unwrap();
            assert_eq!(hits, positions.len());
        }
    }
}

#[test]
fn entries_of_a_position_at_several_plies() {
    let folder = TestFolder::new();
    let path = folder.path("plies.db");
    let sfen = Position::startpos().to_sfen_without_ply();
    let text =
        format!("sfen {sfen} 1\n7g7f none 1\nsfen {sfen} 1\n2g2f\nsfen {sfen} 3\n5g5f\n7g7f\n");
    std::fs::write(&path, text).unwrap();
    let sliced = check(&path, &[Position::startpos()]);
    assert_eq!(sliced.entries(&Position::startpos()).unwrap().len(), 2);
}

#[test]
fn binary_books() {
    let positions = positions();
    let folder = TestFolder::new();
    let packed: BTreeMap<PackedSfen, _> = positions
        .iter()
        .enumerate()
        .map(|(at, position)| (PackedSfen::encode(position).unwrap(), (at, position)))
        .collect();
    for (name, depths) in [
        ("with.ybb", MoveDepths::Stored),
        ("without.ybb", MoveDepths::Omitted),
    ] {
        let path = folder.path(name);
        let mut writer = YbbWriter::create(&path, &folder.path(""), depths).unwrap();
        for (packed, (at, position)) in &packed {
            let ply = position.ply() as u16;
            writer.push(packed, ply, &moves(position, *at)).unwrap();
        }
        writer.commit().unwrap();
        check(&path, &positions);
    }

    let path = folder.path("book.bin");
    let keyed: BTreeMap<u64, _> = positions
        .iter()
        .enumerate()
        .map(|(at, position)| (apery::key(position), (at, position)))
        .collect();
    let mut writer = apery::AperyWriter::create(&path).unwrap();
    for (key, (at, position)) in keyed {
        writer.push(key, &moves(position, at)).unwrap();
    }
    writer.commit().unwrap();
    check(&path, &positions);
}

#[test]
fn damage_and_files_that_are_read_as_a_whole_are_told() {
    let refused = |name: &str, bytes: Vec<u8>| {
        let name = Path::new("slices").join(name);
        MemoryFiles::put_sliced(&name, SlicedFile::new(bytes));
        BookBase::open(&name, &Job::default())
            .unwrap_err()
            .to_string()
    };
    let text = "\u{feff}sfen 4k4/9/9/9/9/9/9/9/4K4 b 2R 1\n5i5h\n";
    let utf16 = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let error = refused("utf16.db", utf16);
    assert!(error.contains("UTF-16 is read as a whole"), "{error}");
    let mut ybb = b"YANE-BINBOOK-V1\0".to_vec();
    ybb.extend([9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 77]);
    let error = refused("short.ybb", ybb);
    assert!(error.contains("byte 16: 9 positions need"), "{error}");
    let error = refused("odd.bin", vec![1; 17]);
    assert!(error.contains("byte 17"), "{error}");
}
