//! The files of saved books.

use std::sync::Arc;

use proptest::prelude::*;
use shogi_core::movegen::LegalAll;
use shogi_core::{Move16, Position};
use test_support::TestFolder;
use yane_book::Job;
use yane_book::edit::{
    BookBase, EditError, EntryChange, EntryMatching, Field, MoveEdit, OverlaidBook, check_order,
};
use yane_book::merge::{MergeInput, MergeOptions, merge};

use super::{ODD, at, change, comment, open, position, refused, set, sfens_of, shown, usi};
use crate::util::{AFTER_7G7F, BookFolder, FLIPPED_7G7F, HEADER, START, fixture, golden, text};

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
                .find(&place, EntryMatching::default())
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
            lines += &["sfen ", sfen, "\r\n"].concat();
            for known in at(&book, sfen).moves() {
                let known = known.to_book_move(yane_book::Format::Db);
                let mut line = Vec::new();
                yane_book::db::push_move_line(&mut line, &known);
                lines += &String::from_utf8(line).unwrap();
                lines += "\r\n";
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
    let mut book = OverlaidBook::new(Arc::new(base));
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
            EntryChange::Set(MoveEdit {
                score: Field::Is(score),
                ..MoveEdit::new(usi(mv))
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
                0..=3 => EntryChange::Set(MoveEdit {
                    score: if kind == 0 { Field::Nothing } else { Field::Is(score) },
                    depth: if kind == 1 { Field::Keep } else { Field::Is(score.abs()) },
                    count: Field::Is(which as u64),
                    comment: if kind == 2 { Field::Is(format!("c{score}")) } else { Field::Keep },
                    ..MoveEdit::new(mv)
                }),
                4 => EntryChange::Remove(mv),
                5 => EntryChange::First(mv),
                6 => EntryChange::Comment(format!("p{score}")),
                _ => EntryChange::RemovePosition,
            };
            let edit = book.edit_of(place, EntryMatching::default(), &[change]).unwrap();
            // What is not there is refused, and changes nothing.
            let _refused = book.edit(&edit);
            touched.insert(edit.position);
        }
        book.save(&Job::default()).unwrap();
        let saved = open(&path);
        for place in &positions {
            let of = |book: &OverlaidBook| {
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
