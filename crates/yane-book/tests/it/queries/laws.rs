//! What must hold for any book.

use proptest::prelude::*;
use yane_book::check::{FindingKind, check};
use yane_book::diff::{DiffOptions, diff};
use yane_book::filter::{Filter, filter};
use yane_book::merge::{MergeInput, MergeOptions, merge};
use yane_book::unique::{Sameness, UniqueOptions, unique};
use yane_book::{BookError, Job};

use super::util::{Folder, HEADER};

/// Positions with two of their moves. The second is the first turned, the fourth the third.
const POSITIONS: [(&str, [&str; 2]); 5] = [
    ("4k4/9/9/9/9/9/9/4G4/4K4 b S", ["5h5g", "S*5e"]),
    ("4k4/4g4/9/9/9/9/9/9/4K4 w s", ["5b5c", "S*5e"]),
    ("4k4/9/9/9/9/9/9/9/4K4 w Gs", ["5a5b", "S*5e"]),
    ("4k4/9/9/9/9/9/9/9/4K4 b Sg", ["5i5h", "S*5e"]),
    ("4k4/9/9/9/9/9/9/9/4K4 b R2P2p", ["5i5h", "P*5e"]),
];

fn record() -> impl Strategy<Value = String> {
    let line = (0usize..2, -9i32..10, 0i32..3, 0u64..3);
    let lines = prop::collection::vec(line, 0..4);
    (0..POSITIONS.len(), 8u32..12, lines).prop_map(|(position, ply, lines)| {
        let (sfen, moves) = POSITIONS[position];
        let lines = lines.into_iter().map(|(mv, eval, depth, count)| {
            format!("{} none {eval} {depth} {count}\r\n", moves[mv])
        });
        format!("sfen {sfen} {ply}\r\n{}", lines.collect::<String>())
    })
}

fn book() -> impl Strategy<Value = String> {
    let records = prop::collection::vec(record(), 0..30);
    records.prop_map(|records| HEADER.to_owned() + &records.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_unique_book_is_clean_and_stays(text in book(), memory in 1u64..10_000, turned: bool) {
        let folder = Folder::new();
        let path = folder.file("book.db", &text);
        let (once, twice) = (folder.path("once.db"), folder.path("twice.db"));
        let job = Job { memory, threads: 2, ..Job::default() };
        let sameness = if turned { Sameness::Flipped } else { Sameness::Plain };
        let options = UniqueOptions { sameness, ..UniqueOptions::default() };
        let made = unique(&path, &once, options, &job);
        prop_assert_eq!(made.is_ok(), once.exists());
        prop_assume!(!matches!(made, Err(BookError::NothingToWrite { .. })));
        made.unwrap();
        unique(&once, &twice, options, &job).unwrap();
        prop_assert_eq!(std::fs::read(&once).unwrap(), std::fs::read(&twice).unwrap());
        let report = check(&once, 10, &job).unwrap();
        let allowed = |kind: &FindingKind| *kind == FindingKind::Flipped && !turned;
        prop_assert!(report.counts.keys().all(allowed), "{:?}", report.findings);
    }

    #[test]
    fn a_filter_without_conditions_changes_nothing(text in book(), memory in 1u64..10_000) {
        let folder = Folder::new();
        let path = folder.file("book.db", &text);
        let (sorted, kept) = (folder.path("sorted.db"), folder.path("kept.db"));
        let job = Job { memory, threads: 2, ..Job::default() };
        let made = merge(&[MergeInput::new(&path)], &sorted, MergeOptions::default(), &job);
        prop_assume!(!matches!(made, Err(BookError::NothingToWrite { .. })));
        made.unwrap();
        filter(&sorted, &kept, &Filter::default(), &job).unwrap();
        prop_assert_eq!(std::fs::read(&sorted).unwrap(), std::fs::read(&kept).unwrap());
    }

    #[test]
    fn a_difference_is_one_from_both_sides(a in book(), b in book(), ignore_ply: bool) {
        let folder = Folder::new();
        let (a, b) = (folder.file("a.db", &a), folder.file("b.db", &b));
        let job = Job { threads: 2, ..Job::default() };
        let options = DiffOptions { ignore_ply, ..DiffOptions::default() };
        let compare = |a, b| diff(a, b, options, &job, |_| Ok(())).unwrap();
        let (forth, back) = (compare(&a, &b), compare(&b, &a));
        prop_assert_eq!(forth.same, back.same);
        prop_assert_eq!(forth.different, back.different);
        prop_assert_eq!((forth.only_first, forth.added), (back.only_second, back.removed));
        prop_assert_eq!((forth.only_second, forth.removed), (back.only_first, back.added));
        prop_assert_eq!(forth.eval_changed, back.eval_changed);
        prop_assert_eq!(forth.rest_changed, back.rest_changed);
        prop_assert!(compare(&a, &a).is_same());
    }
}
