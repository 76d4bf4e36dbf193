//! Books with edits above their files: what they say, and what saving writes.

use std::sync::Arc;

use proptest::prelude::*;
use shogi_core::movegen::LegalAll;
use shogi_core::{Move16, MoveText, Position};
use test_support::TestFolder;
use yane_book::Job;
use yane_book::edit::{
    BookBase, EditError, EditableEntry, EditedBook, EntryChange, EntryFilter, Field, Finding,
    MoveChange, check_order, search, search_behind,
};
use yane_book::lookup::Match;
use yane_book::merge::{MergeInput, MergeOptions, merge};

use crate::util::{AFTER_7G7F, BookFolder, FLIPPED_7G7F, HEADER, START, fixture, golden, text};

fn usi(text: &str) -> Move16 {
    Move16::encode(MoveText::from_usi(text).unwrap())
}

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap()
}

fn open(path: &std::path::Path) -> EditedBook {
    let base = BookBase::open(path, &Job::default()).unwrap();
    EditedBook::new(Arc::new(base))
}

fn set(mv: &str, score: i32, depth: i32, count: u64) -> EntryChange {
    EntryChange::Set(MoveChange {
        score: Field::Is(score),
        depth: Field::Is(depth),
        count: Field::Is(count),
        ..MoveChange::new(usi(mv))
    })
}

fn comment(mv: &str, comment: &str) -> EntryChange {
    EntryChange::Set(MoveChange {
        comment: Field::Is(comment.to_owned()),
        ..MoveChange::new(usi(mv))
    })
}

/// The SFENs of a book, in its order.
fn sfens_of(path: &std::path::Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let sfens = text.lines().filter_map(|line| line.strip_prefix("sfen "));
    sfens.map(|sfen| sfen.trim().to_owned()).collect()
}

#[track_caller]
fn change(book: &mut EditedBook, sfen: &str, changes: &[EntryChange]) {
    let edit = book
        .edit_of(&position(sfen), Finding::default(), changes)
        .unwrap();
    book.edit(&edit).unwrap();
}

fn refused(book: &mut EditedBook, sfen: &str, changes: &[EntryChange]) -> String {
    let edit = book
        .edit_of(&position(sfen), Finding::default(), changes)
        .unwrap();
    book.edit(&edit).unwrap_err().to_string()
}

/// Moves with what is known of them.
fn shown(entry: &EditableEntry) -> Vec<String> {
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
fn at(book: &EditedBook, sfen: &str) -> EditableEntry {
    book.find(&position(sfen), Finding::default())
        .unwrap()
        .unwrap()
        .entry
}

/// Columns that are missing, comments, a byte order mark, line ends of all kinds, a line without an end.
const ODD: &str = "\u{feff}#YANEURAOU-DB2016 1.00\n# about\n\n\
    sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2\n8c8d none none none\n3c3d\n\
    sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n#start\n7g7f 3c3d 34 none 5 # good\n//see\n\n2g2f none 30 32 9";

#[test]
fn what_a_book_does_not_say_is_nothing() {
    let folder = TestFolder::new();
    let path = folder.file("a.db", ODD);
    let book = open(&path);
    let start = at(&book, START);
    assert_eq!(shown(&start), ["7g7f 34 - 5 good\nsee", "2g2f 30 32 9"]);
    assert_eq!((start.comment(), start.ply()), ("start", Some(1)));
    assert_eq!(shown(&at(&book, AFTER_7G7F)), ["8c8d - - -", "3c3d - - -"]);
    let turned = book
        .find(&position(FLIPPED_7G7F), Finding::default())
        .unwrap()
        .unwrap();
    assert_eq!(turned.matched, Match::FlippedOtherPly);
    assert_eq!(turned.into_moves()[0].mv, Some(usi("2g2f")));
}

#[test]
fn saving_keeps_all_that_was_not_changed() {
    let folder = TestFolder::new();
    let path = folder.file("a.db", ODD);
    let mut book = open(&path);
    // Seen turned, edited as it stands.
    change(
        &mut book,
        FLIPPED_7G7F,
        &[
            set("2g2f", -5, 20, 3),
            EntryChange::Comment("説明\nof it".to_owned()),
        ],
    );
    assert_eq!(
        shown(&at(&book, AFTER_7G7F)),
        ["8c8d -5 20 3", "3c3d - - -"]
    );
    book.save(&Job::default()).unwrap();
    let expected = ODD.replace(
        "8c8d none none none\n",
        "#説明\n#of it\n8c8d none -5 20 3\n",
    );
    assert_eq!(folder.text("a.db"), expected);
    // A move of another entry, whose comments stay behind and below it, and a new last entry.
    let mut book = open(&path);
    change(&mut book, START, &[set("7g7f", 40, 33, 6)]);
    let later = "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B7/LNSGKGSNL b Rr 1";
    change(&mut book, later, &[comment("R*5e", "rook")]);
    book.save(&Job::default()).unwrap();
    let expected = expected
        .replace("2g2f none 30 32 9", "2g2f none 30 32 9\n")
        .replace(
            "7g7f 3c3d 34 none 5 # good\n//see\n\n",
            "7g7f 3c3d 40 33 6 # good\n//see\n\n",
        );
    let new = format!("sfen {later}\nR*5e none\n#rook\n");
    let place = expected
        .find("sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6")
        .unwrap();
    // Its place is between those that are smaller and greater.
    let (before, after) = expected.split_at(place);
    let expected = [before, after, &new].concat();
    assert_eq!(folder.text("a.db"), expected);
    assert!(check_order(&path, &Job::default()).unwrap().is_sorted);
}

#[test]
fn entries_come_and_go() {
    let folder = TestFolder::new();
    let path = folder.book("a.db", &[(START, &["7g7f none 1 2 3"])]);
    let mut book = open(&path);
    change(&mut book, AFTER_7G7F, &[set("3c3d", 1, 1, 1)]);
    assert_eq!(book.more(), 1);
    change(&mut book, AFTER_7G7F, &[EntryChange::Remove(usi("3c3d"))]);
    assert!(book.is_unchanged() && book.more() == 0);
    change(&mut book, AFTER_7G7F, &[set("3c3d", 1, 1, 1)]);
    change(&mut book, START, &[EntryChange::RemovePosition]);
    assert!(
        book.find(&position(START), Finding::default())
            .unwrap()
            .is_none()
    );
    book.save(&Job::default()).unwrap();
    assert_eq!(
        folder.text("a.db"),
        text(&[(AFTER_7G7F, &["3c3d none 1 1 1"])])
    );
    // All entries may go.
    let mut book = open(&path);
    change(&mut book, AFTER_7G7F, &[EntryChange::RemovePosition]);
    book.save(&Job::default()).unwrap();
    assert_eq!(folder.text("a.db"), HEADER);
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = TestFolder::new();
    let path = folder.book(
        "a.db",
        &[(AFTER_7G7F, &["hello"]), (START, &["7g7f none 1 2 3"])],
    );
    let mut book = open(&path);
    let reply = EntryChange::Set(MoveChange {
        reply: Field::Is(usi("7g7f")),
        ..MoveChange::new(usi("2g2f"))
    });
    for (changes, told) in [
        (vec![set("7g7e", 1, 1, 1)], "7g7e is not legal"),
        (vec![set("P*5e", 1, 1, 1)], "P*5e is not legal"),
        (vec![reply], "reply 7g7f is not legal after 2g2f"),
        (
            vec![EntryChange::Remove(usi("2g2f"))],
            "does not have the move 2g2f",
        ),
        (
            vec![EntryChange::First(usi("2g2f"))],
            "does not have the move 2g2f",
        ),
        (vec![comment("7g7f", "a\u{7}")], "comment: at most"),
        (
            vec![comment("7g7f", &"a".repeat(10_001))],
            "comment: at most",
        ),
        (
            vec![EntryChange::RemovePosition, EntryChange::RemovePosition],
            "does not have the position",
        ),
    ] {
        let error = refused(&mut book, START, &changes);
        assert!(error.contains(told), "{error}");
    }
    let error = refused(&mut book, AFTER_7G7F, &[set("3c3d", 1, 1, 1)]);
    assert!(error.contains("hello"), "{error}");
    let other = "4k4/9/9/9/9/9/9/9/4K4 b G 1";
    let error = refused(&mut book, other, &[EntryChange::Comment("x".to_owned())]);
    assert!(error.contains("does not have the position"), "{error}");
    assert!(book.is_unchanged());
}

#[test]
fn moves_stay_in_their_order() {
    let folder = TestFolder::new();
    let lines = ["7g7f none 10 2 9", "2g2f none 30 2 3", "5g5f none 20 2 3"];
    let path = folder.book("a.db", &[(START, &lines)]);
    let mut book = open(&path);
    change(&mut book, START, &[set("9g9f", 25, 2, 3)]);
    let order = |book: &EditedBook| {
        let moves = shown(&at(book, START));
        moves
            .iter()
            .map(|text| text[..4].to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(order(&book), ["7g7f", "2g2f", "9g9f", "5g5f"]);
    change(&mut book, START, &[EntryChange::First(usi("5g5f"))]);
    // In another order a new move comes last.
    change(&mut book, START, &[set("1g1f", 99, 2, 99)]);
    assert_eq!(order(&book), ["5g5f", "7g7f", "2g2f", "9g9f", "1g1f"]);
}

#[test]
fn saving_is_what_merging_gives() {
    let folder = TestFolder::new();
    for name in [
        "from_sfen/fs16.db",
        "sort/messy_sorted.db",
        "build_tree/acyclic_bt.db",
    ] {
        // In the usual form, which merging gives.
        let form = folder.path("form.db");
        let usual = MergeOptions {
            overwrite: yane_io::Overwrite::Allow,
            ..MergeOptions::default()
        };
        merge(
            &[MergeInput::new(fixture(name))],
            &form,
            usual,
            &Job::default(),
        )
        .unwrap();
        let mut book = open(&form);
        let mut overlay = Vec::new();
        let all = sfens_of(&form);
        for (at, sfen) in all.iter().enumerate().filter(|(at, _)| at % 3 == 0) {
            let place = position(sfen);
            let now = book
                .find(&place, Finding::default())
                .unwrap()
                .unwrap()
                .entry;
            let mut moves: Vec<_> = now.moves().iter().filter_map(|known| known.mv).collect();
            if at % 2 == 0 {
                moves.extend(
                    place
                        .moves::<LegalAll>()
                        .into_iter()
                        .take(2)
                        .map(Move16::from),
                );
            }
            moves.dedup();
            let changes: Vec<_> = moves
                .iter()
                .enumerate()
                .map(|(n, mv)| {
                    set(
                        &mv.decode().unwrap().to_string(),
                        n as i32 * 7 - 3,
                        1000,
                        n as u64 % 3,
                    )
                })
                .collect();
            change(&mut book, sfen, &changes);
            overlay.push(sfen.clone());
        }
        // A position that is new.
        let new = "lnsg1gsnl/4k2b1/ppppppppp/9/9/9/PPPPPPPPP/1B2K4/LNSG1GSNL b Rr 3";
        change(&mut book, new, &[set("R*2h", 3, 1000, 2)]);
        overlay.push(new.to_owned());
        let mut lines = HEADER.to_owned();
        for sfen in &overlay {
            lines += &format!("sfen {sfen}\r\n");
            for known in at(&book, sfen).moves() {
                let known = known.to_book_move(yane_book::Format::Db);
                let mut line = Vec::new();
                yane_book::db::push_move_line(&mut line, &known);
                lines += &format!("{}\r\n", String::from_utf8(line).unwrap());
            }
        }
        let overlay = folder.file("overlay.db", lines);
        let merged = folder.path("merged.db");
        let inputs = [MergeInput::new(&form), MergeInput::new(overlay)];
        merge(&inputs, &merged, usual, &Job::default()).unwrap();
        book.save(&Job::default()).unwrap();
        assert!(folder.read("form.db") == folder.read("merged.db"), "{name}");
    }
}

#[test]
fn books_that_are_not_sorted_are_indexed() {
    let folder = TestFolder::new();
    let path = folder.book(
        "a.db",
        &[
            (AFTER_7G7F, &["3c3d"]),
            (START, &["7g7f"]),
            (FLIPPED_7G7F, &["2g2f"]),
        ],
    );
    let order = check_order(&path, &Job::default()).unwrap();
    assert_eq!(
        (order.positions, order.is_sorted, order.unsorted_line),
        (3, false, Some(6))
    );
    let base = BookBase::open(&path, &Job::default())
        .unwrap()
        .indexed()
        .unwrap();
    assert_eq!(base.positions(), Some(3));
    let mut book = EditedBook::new(Arc::new(base));
    for (sfen, mv) in [
        (AFTER_7G7F, "3c3d - - -"),
        (START, "7g7f - - -"),
        (FLIPPED_7G7F, "2g2f - - -"),
    ] {
        assert_eq!(shown(&at(&book, sfen)), [mv]);
    }
    change(&mut book, START, &[set("7g7f", 1, 2, 3)]);
    let new = "4k4/9/9/9/9/9/9/9/4K4 b G 1";
    change(&mut book, new, &[set("G*5e", 1, 2, 3)]);
    let before = folder.text("a.db");
    book.save(&Job::default()).unwrap();
    let expected = before.replace("\r\n7g7f\r\n", "\r\n7g7f none 1 2 3\r\n")
        + &format!("sfen {new}\r\nG*5e none 1 2 3\r\n");
    assert_eq!(folder.text("a.db"), expected, "a new entry comes last");
}

#[test]
fn entries_that_are_there_twice_become_one() {
    let folder = TestFolder::new();
    let lines: &[(&str, &[&str])] = &[
        (AFTER_7G7F, &["8c8d none 1 1 1", "#a"]),
        (AFTER_7G7F, &["3c3d none 2 2 2", "8c8d none 3 3 3 b"]),
    ];
    let path = folder.book("a.db", lines);
    let mut book = open(&path);
    assert_eq!(
        shown(&at(&book, AFTER_7G7F)),
        ["8c8d 3 3 4 a\nb", "3c3d 2 2 2"]
    );
    change(&mut book, AFTER_7G7F, &[set("3c3d", 5, 5, 5)]);
    book.save(&Job::default()).unwrap();
    let expected = text(&[(
        AFTER_7G7F,
        &["3c3d none 5 5 5", "8c8d none 3 3 4", "#a", "#b"],
    )]);
    assert_eq!(folder.text("a.db"), expected);
}

#[test]
fn binary_books_are_saved_in_their_formats() {
    let folder = TestFolder::new();
    let ybb = folder.file(
        "a.ybb",
        std::fs::read(fixture("ybb/acyclic_ps.ybb")).unwrap(),
    );
    let apery = folder.file("a.bin", std::fs::read(fixture("apery/ap.bin")).unwrap());
    for path in [ybb, apery] {
        let mut book = open(&path);
        let is_ybb = path.extension().is_some_and(|end| end == "ybb");
        let before = shown(&at(&book, START));
        let score = |mv: &str, score| {
            EntryChange::Set(MoveChange {
                score: Field::Is(score),
                ..MoveChange::new(usi(mv))
            })
        };
        change(&mut book, START, &[score("9i9h", -7)]);
        let other = "lnsg1gsnl/4k2b1/ppppppppp/9/9/9/PPPPPPPPP/1B2K4/LNSG1GSNL b Rr 3";
        change(&mut book, other, &[score("R*2h", 3)]);
        for (refused_change, told) in [
            (comment("9i9h", "x"), "keeps no comments"),
            (EntryChange::Comment("x".to_owned()), "keeps no comments"),
            (set("9i9h", 40_000, 1, 1), "keeps no"),
        ] {
            let error = refused(&mut book, START, &[refused_change]);
            assert!(error.contains(told), "{error}");
        }
        let orders = (
            check_order(&path, &Job::default()).unwrap(),
            shown(&at(&book, START)),
            shown(&at(&book, other)),
        );
        book.save(&Job::default()).unwrap();
        let saved = open(&path);
        assert_eq!(shown(&at(&saved, START)), orders.1);
        assert_eq!(shown(&at(&saved, other)), orders.2);
        assert_eq!(shown(&at(&saved, START)).len(), before.len() + 1);
        let order = check_order(&path, &Job::default()).unwrap();
        assert_eq!(
            (order.positions, order.is_sorted),
            (orders.0.positions + 1, true)
        );
        // Without the edits it is the file that it was.
        let mut back = open(&path);
        change(&mut back, START, &[EntryChange::Remove(usi("9i9h"))]);
        change(&mut back, other, &[EntryChange::RemovePosition]);
        back.save(&Job::default()).unwrap();
        let origin = fixture(if is_ybb {
            "ybb/acyclic_ps.ybb"
        } else {
            "apery/ap.bin"
        });
        assert!(
            std::fs::read(&path).unwrap() == std::fs::read(origin).unwrap(),
            "{}",
            path.display()
        );
    }
}

#[test]
fn positions_are_found_by_their_values() {
    let folder = TestFolder::new();
    let path = folder.file("a.db", ODD);
    let mut book = open(&path);
    let found = |book: &EditedBook, filter: EntryFilter| {
        let mut all = Vec::new();
        search(book, &filter, &Job::default(), |more| {
            all.extend(more.into_iter().map(|one| one.sfen));
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
        all
    };
    let score = |range| EntryFilter {
        score: Some(range),
        ..EntryFilter::default()
    };
    let text = |text: &str| EntryFilter {
        comment: Some(text.to_owned()),
        ..EntryFilter::default()
    };
    assert_eq!(found(&book, EntryFilter::default()), [AFTER_7G7F, START]);
    assert_eq!(found(&book, score(34..=40)), [START]);
    assert!(
        found(&book, score(0..=30)).is_empty(),
        "the best move has 34"
    );
    assert_eq!(found(&book, text("GOOD")), [START]);
    assert_eq!(
        found(
            &book,
            EntryFilter {
                ply: Some(2..=9),
                ..EntryFilter::default()
            }
        ),
        [AFTER_7G7F]
    );
    change(
        &mut book,
        AFTER_7G7F,
        &[set("3c3d", 7, 1, 1), comment("3c3d", "矢倉")],
    );
    assert_eq!(found(&book, score(0..=30)), [AFTER_7G7F]);
    assert_eq!(found(&book, text("矢倉")), [AFTER_7G7F]);
    let mut behind = Vec::new();
    let start = position(START);
    search_behind(
        &book,
        &start,
        Finding::default(),
        &EntryFilter::default(),
        &Job::default(),
        |more| {
            behind.extend(more.into_iter().map(|one| one.sfen));
            std::ops::ControlFlow::Continue(())
        },
    )
    .unwrap();
    assert_eq!(behind, [START, AFTER_7G7F]);
}

#[test]
fn a_disk_that_refuses_leaves_the_old_file() {
    let folder = TestFolder::new();
    let path = folder.file("a.db", ODD);
    let mut book = open(&path);
    change(&mut book, START, &[set("7g7f", 1, 2, 3)]);
    let job = Job::default();
    job.cancel();
    assert!(matches!(book.save(&job), Err(EditError::Book(_))));
    assert_eq!(
        (folder.text("a.db").as_str(), folder.names().len()),
        (ODD, 1)
    );
}

fn edits() -> impl Strategy<Value = Vec<(usize, usize, u8, i32)>> {
    prop::collection::vec((0..40_usize, 0..40_usize, 0..8_u8, -100..100_i32), 1..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Any edits, saved and opened again, are the same book as before it was saved; entries without edits keep their bytes.
    #[test]
    fn saved_books_are_those_with_edits(edits in edits(), crlf in any::<bool>()) {
        let folder = TestFolder::new();
        let original = golden("from_sfen/fs16.db");
        let original = if crlf { original } else { original.replace("\r\n", "\n") };
        let path = folder.file("a.db", &original);
        let mut book = open(&path);
        let mut positions: Vec<Position> = sfens_of(&path).iter().take(30).map(|sfen| position(sfen)).collect();
        // Some that are not in the book.
        for n in 0..10 {
            let mut next = position(START);
            let m = next.moves::<LegalAll>().into_iter().nth(n).unwrap();
            let _ = next.do_move_unchecked(m);
            positions.push(next);
        }
        let mut touched = std::collections::HashSet::new();
        for (place, which, kind, score) in edits {
            let place = &positions[place];
            let moves: Vec<_> = place.moves::<LegalAll>().into_iter().map(Move16::from).collect();
            let mv = moves[which % moves.len()];
            let change = match kind {
                0..=3 => EntryChange::Set(MoveChange {
                    score: if kind == 0 { Field::Nothing } else { Field::Is(score) },
                    depth: if kind == 1 { Field::Keep } else { Field::Is(score.abs()) },
                    count: Field::Is(which as u64),
                    comment: if kind == 2 { Field::Is(format!("c{score}")) } else { Field::Keep },
                    ..MoveChange::new(mv)
                }),
                4 => EntryChange::Remove(mv),
                5 => EntryChange::First(mv),
                6 => EntryChange::Comment(format!("p{score}")),
                _ => EntryChange::RemovePosition,
            };
            let edit = book.edit_of(place, Finding::default(), &[change]).unwrap();
            // What is not there is refused, and changes nothing.
            let _refused = book.edit(&edit);
            touched.insert(edit.position);
        }
        book.save(&Job::default()).unwrap();
        let saved = open(&path);
        for place in &positions {
            let of = |book: &EditedBook| {
                let entries = book.entries(place).unwrap();
                entries.iter().map(|entry| (entry.comment().to_owned(), shown(entry))).collect::<Vec<_>>()
            };
            prop_assert_eq!(of(&book), of(&saved));
        }
        let order = check_order(&path, &Job::default()).unwrap();
        prop_assert!(order.is_sorted);
        prop_assert_eq!(folder.text("a.db").contains("\r\n"), crlf);
        let text = folder.text("a.db");
        for record in original.split("sfen ").skip(1) {
            let sfen = record.lines().next().unwrap().trim_end();
            if !touched.contains(sfen.rsplit_once(' ').unwrap().0) {
                prop_assert!(text.contains(&["sfen ", record].concat()), "{}", sfen);
            }
        }
    }
}
