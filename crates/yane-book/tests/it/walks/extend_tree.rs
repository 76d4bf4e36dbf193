//! Lines by which a book can grow.

use std::collections::BTreeSet;
use std::fs;

use shogi_core::ByColor;
use yane_book::extend_tree::{ExtendTree, ExtendTreeReport, extend_tree};

use super::common::{fixture, golden, jobs, output};

fn run(book: &str, roots: &str, options: &ExtendTree) -> (String, ExtendTreeReport) {
    let (_folder, output) = output();
    let [book, roots] = [book, roots].map(|name| fixture(&format!("extend_tree/{name}")));
    let report = extend_tree(&book, &roots, &output, options, &jobs()[1]).unwrap();
    (fs::read_to_string(&output).unwrap(), report)
}

fn lines(text: &str) -> BTreeSet<&str> {
    text.lines().collect()
}

#[test]
fn lines_are_those_of_the_reference() {
    let limits = |black, white| ExtendTree {
        eval_limit: ByColor([black, white]),
        ..ExtendTree::default()
    };
    let range = ExtendTree {
        extend_range: Some((-20, 30)),
        ..limits(-200, -200)
    };
    let max_ply = ExtendTree {
        max_game_ply: 4,
        ..limits(-200, -200)
    };
    let start = "ex_startpos.txt";
    let default = ExtendTree::default();
    for (book, roots, options, expected) in [
        ("acyclic_bt.db", start, &default, "ex_default.out"),
        ("acyclic.db", start, &default, "ex_raw.out"),
        ("acyclic.db", start, &limits(-200, -300), "ex_limits.out"),
        ("acyclic.db", start, &limits(20, 20), "ex_tight.out"),
        ("acyclic.db", start, &range, "ex_range.out"),
        ("acyclic.db", "ex_multi.txt", &default, "ex_multi.out"),
        ("acyclic.db", start, &max_ply, "ex_maxply.out"),
        ("cyclic.db", start, &limits(-999, -999), "ex_cyclic.out"),
    ] {
        let (text, report) = run(book, roots, options);
        let expected = golden(&format!("extend_tree/{expected}"));
        let (found, wanted) = (lines(&text), lines(&expected));
        let more: Vec<_> = found.difference(&wanted).collect();
        let less: Vec<_> = wanted.difference(&found).collect();
        assert!(
            more.is_empty() && less.is_empty(),
            "{book} {roots}: unexpected {more:#?}, missing {less:#?}"
        );
        assert_eq!(report.lines, expected.lines().count() as u64);
    }
}

#[test]
fn leaves_met_by_unknown_moves_are_kept_on_demand() {
    let all = ExtendTree {
        all_leaves: true,
        ..ExtendTree::default()
    };
    let (text, report) = run("acyclic_bt.db", "ex_startpos.txt", &all);
    let golden = golden("extend_tree/ex_default.out");
    let (text, reference) = (lines(&text), lines(&golden));
    assert!(text.is_superset(&reference));
    assert_eq!((text.len(), reference.len()), (88, 85));
    assert_eq!(report.lines, 88);
}
