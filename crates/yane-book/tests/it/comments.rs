//! Comments of books: kept with their positions and moves, or counted.

use proptest::prelude::*;
use test_support::TestFolder;
use yane_book::Job;
use yane_book::db::{CommentCounts, CommentPolicy, LineEnd};
use yane_book::filter::{Filter, filter};
use yane_book::merge::{MergeInput, MergeOptions, Preference, merge};
use yane_book::unique::{Sameness, UniqueOptions, unique};

use super::util::{AFTER_7G7F, BookFolder as _, FLIPPED_7G7F, HEADER, START};

/// The book of the tests, as a person may write it: moves in any order.
fn commented() -> String {
    format!(
        "{HEADER}# NOE:2\r\n// made by hand\r\n\
         sfen {AFTER_7G7F}\r\n# white thinks\r\n8c8d none -30 8 1 # a wait\r\n3c3d 2g2f -20 8 5\r\n//the usual\r\n\
         sfen {START}\r\n// the start\r\n2g2f none 10 8 1\r\n7g7f 3c3d 20 8 9\r\n#first\r\n// second\r\n"
    )
}

/// The same in order, with every comment in its place.
fn in_order() -> String {
    format!(
        "{HEADER}// made by hand\r\n\
         sfen {AFTER_7G7F}\r\n# white thinks\r\n3c3d 2g2f -20 8 5\r\n//the usual\r\n8c8d none -30 8 1 # a wait\r\n\
         sfen {START}\r\n// the start\r\n7g7f 3c3d 20 8 9\r\n#first\r\n// second\r\n2g2f none 10 8 1\r\n"
    )
}

fn sorted(folder: &TestFolder, options: MergeOptions) -> (String, CommentCounts) {
    let input = [MergeInput::new(folder.path("book.db"))];
    let report = merge(&input, &folder.path("out.db"), options, &Job::default()).unwrap();
    (folder.text("out.db"), report.comments)
}

const fn counts(kept: u64, left_out: u64) -> CommentCounts {
    CommentCounts { kept, left_out }
}

#[test]
fn sorting_keeps_comments_or_counts_them() {
    let folder = TestFolder::new();
    for text in [commented(), in_order()] {
        folder.file("book.db", text);
        assert_eq!(
            sorted(&folder, MergeOptions::default()),
            (in_order(), counts(7, 0))
        );
    }
    let drop = MergeOptions {
        comments: CommentPolicy::LeaveOut,
        ..MergeOptions::default()
    };
    let (text, dropped) = sorted(&folder, drop);
    assert_eq!(dropped, counts(0, 7));
    let is_comment = |line: &&str| line.starts_with(['#', '/']) || line.contains(" #");
    assert_eq!(text.lines().skip(1).filter(is_comment).count(), 0);
}

#[test]
fn merging_keeps_the_comments_of_both() {
    let folder = TestFolder::new();
    folder.file("a.db", commented());
    folder.book(
        "b.db",
        &[(
            START,
            &[
                "# deeper",
                "7g7f 3c3d 25 9 1",
                "#first",
                "6i7h none 0 9 1",
                "#odd",
            ],
        )],
    );
    let inputs = ["a.db", "b.db"].map(|name| MergeInput::new(folder.path(name)));
    let merged = |options| {
        let report = merge(&inputs, &folder.path("out.db"), options, &Job::default()).unwrap();
        (folder.text("out.db"), report.comments)
    };
    let (text, found) = merged(MergeOptions::default());
    // The start is b's: comments of a's position and of the move that both have are there, none twice.
    let start = format!(
        "sfen {START}\r\n// the start\r\n# deeper\r\n7g7f 3c3d 25 9 1\r\n#first\r\n// second\r\n6i7h none 0 9 1\r\n#odd\r\n"
    );
    assert!(text.contains(&start), "{text}");
    assert_eq!(found, counts(9, 0));
    // When a's moves are taken, b's comment has no move left to stand by.
    let earlier = MergeOptions {
        preference: Preference::Earlier,
        ..MergeOptions::default()
    };
    let (text, found) = merged(earlier);
    assert!(
        !text.contains("#odd") && text.contains("# deeper"),
        "{text}"
    );
    assert_eq!(found, counts(8, 1));
}

#[test]
fn a_part_keeps_the_comments_of_what_it_keeps() {
    let folder = TestFolder::new();
    let input = folder.file("book.db", commented());
    let output = folder.path("out.db");
    let some = Filter {
        min_count: 5,
        ..Filter::default()
    };
    let report = filter(&input, &output, &some, &Job::default()).unwrap();
    assert_eq!(report.comments, counts(6, 1));
    assert_eq!(
        folder.text("out.db"),
        format!(
            "{HEADER}// made by hand\r\n\
             sfen {AFTER_7G7F}\r\n# white thinks\r\n3c3d 2g2f -20 8 5\r\n//the usual\r\n\
             sfen {START}\r\n// the start\r\n7g7f 3c3d 20 8 9\r\n#first\r\n// second\r\n"
        )
    );
    let early = Filter {
        plies: Some(1..=1),
        comments: CommentPolicy::LeaveOut,
        ..Filter::default()
    };
    let report = filter(&input, &output, &early, &Job::default()).unwrap();
    assert_eq!(report.comments, counts(0, 7));
}

#[test]
fn comments_turn_with_their_moves() {
    let folder = TestFolder::new();
    let input = folder.book(
        "book.db",
        &[
            (
                AFTER_7G7F,
                &["#white's", "3c3d 2g2f 5 9 1", "# best", "8c8d"],
            ),
            (FLIPPED_7G7F, &["#black's", "7g7f none 0 3 1", "#same move"]),
        ],
    );
    let options = UniqueOptions {
        sameness: Sameness::Flipped,
        line_end: LineEnd::Lf,
        ..UniqueOptions::default()
    };
    let report = unique(&input, &folder.path("out.db"), options, &Job::default()).unwrap();
    assert_eq!((report.flipped, report.comments), (1, counts(4, 0)));
    let text = folder.text("out.db");
    let (_, entry) = text.split_once('\n').unwrap();
    assert_eq!(
        entry,
        format!(
            "sfen {FLIPPED_7G7F}\n#black's\n#white's\n7g7f 8c8d 5 9 1\n#same move\n# best\n2g2f none 0 0 1\n",
        )
    );
}

proptest! {
    /// Whatever is written where: every comment is in the output, or counted.
    #[test]
    fn no_comment_is_lost_in_silence(
        lines in prop::collection::vec((0usize..4, 0usize..3, "[#/a-z 0-9]{0,12}"), 0..12),
        unsorted in any::<bool>(),
    ) {
        let folder = TestFolder::new();
        let mut places = vec![String::new(); 4];
        let mut all = 0;
        for (place, kind, text) in lines {
            let text = format!("{}{text}", ["#", "//", "# "][kind]);
            places[place].push_str(text.trim_end());
            places[place].push_str("\r\n");
            all += 1;
        }
        let [head, start, best, other] = &places[..] else { unreachable!() };
        let first = format!("sfen {START}\r\n{start}7g7f none 1 1 2\r\n{best}2g2f none 0 1 1\r\n{other}");
        let second = format!("sfen {AFTER_7G7F}\r\n3c3d none 0 0 1\r\n");
        let body = if unsorted { first.clone() + &second } else { second.clone() + &first };
        folder.file("book.db", format!("{HEADER}{head}{body}"));
        let (text, found) = sorted(&folder, MergeOptions::default());
        prop_assert_eq!(found.left_out, 0);
        // Only comments about the book that are there twice are written once.
        prop_assert!(found.kept <= all);
        prop_assert!(text.ends_with(&(second + &first)), "{}", text);
    }
}
