//! Positions to search next.

use std::collections::BTreeSet;
use std::fs;

use shogi_core::Color;
use yane_book::peta_next::{PetaNext, peta_next};

use super::common::{files, fixture, golden, jobs, names};

const LISTS: [&str; 6] = [
    "think_sfens-black-sfen.txt",
    "think_sfens-black.txt",
    "think_sfens-sfen.txt",
    "think_sfens-white-sfen.txt",
    "think_sfens-white.txt",
    "think_sfens.txt",
];

fn lines(text: &str) -> BTreeSet<&str> {
    text.lines().collect()
}

#[test]
fn lists_are_those_of_the_reference() {
    let options = |eval_diff, max_ply| PetaNext {
        eval_diff,
        max_ply,
        ..PetaNext::default()
    };
    for (book, options, expected) in [
        ("acyclic_ps.db", PetaNext::default(), "pn_diff10"),
        ("acyclic_ps.db", options(60, 200), "pn_diff60"),
        ("cyclic_ps.db", options(40, 30), "pn_cyc"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let book = fixture(&format!("peta_next/{book}"));
        let report = peta_next(&book, None, folder.path(), &options, &jobs()[0]).unwrap();
        assert_eq!(names(folder.path()), LISTS);
        assert_eq!(report.files.len(), 6);
        for name in LISTS {
            let text = fs::read_to_string(folder.path().join(name)).unwrap();
            let expected = golden(&format!("peta_next/{expected}_{name}"));
            assert_eq!(lines(&text), lines(&expected), "{name}");
            assert_eq!(text.lines().count(), expected.lines().count());
        }
        let both = golden(&format!("peta_next/{expected}_think_sfens.txt"));
        let count = report.black.unwrap() + report.white.unwrap();
        assert_eq!(count, both.lines().count() as u64);
    }
}

#[test]
fn one_side_alone_has_two_lists() {
    let folder = tempfile::tempdir().unwrap();
    let book = fixture("peta_next/acyclic_ps.db");
    let options = PetaNext {
        side: Some(Color::White),
        ..PetaNext::default()
    };
    let report = peta_next(&book, None, folder.path(), &options, &jobs()[0]).unwrap();
    assert_eq!((report.black, report.white), (None, Some(1)));
    assert_eq!(names(folder.path()), LISTS[3..5]);
}

#[test]
fn flips_ties_and_roots_outside_the_book() {
    // 7g7f and 2g2f tie, 7g7e cannot be played. The book knows the position after 7g7f only as seen
    // by white: there 2g2f is 8c8d, and 3g3f is too bad for a margin of 10.
    let seen = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 2";
    let book = "#YANEURAOU-DB2016 1.00\n\
        sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n\
        7g7f none 30 0\n2g2f none 30 0\n1g1f none 29 0\n7g7e none 99 0\nnone none 99 0\n";
    let book = format!("{book}sfen {seen}\n2g2f none -30 0\n3g3f none -41 0\n");
    let (folder, input, roots) = files(&book);
    fs::write(
        &roots,
        "startpos\nstartpos moves 9g9f\nstartpos moves 9g9f\n",
    )
    .unwrap();
    let out = folder.path().join("new");
    let options = PetaNext::default();
    let report = peta_next(&input, Some(&roots), &out, &options, &jobs()[0]).unwrap();
    let counts = (report.black, report.white, report.illegal_moves);
    assert_eq!((counts, report.roots), ((Some(3), Some(4), 2), 3));
    let lines = |name| {
        let text = fs::read_to_string(out.join(name)).unwrap();
        let line = |line: &str| line.replace("startpos moves ", "");
        text.lines().map(line).collect::<Vec<_>>()
    };
    let black = ["9g9f", "2g2f", "7g7f 8c8d"];
    let white = ["9g9f", "2g2f", "1g1f", "7g7f 8c8d"];
    assert_eq!(lines("think_sfens-black.txt"), black);
    assert_eq!(lines("think_sfens-white.txt"), white);
    let both = lines("think_sfens.txt");
    let in_turn = [
        black[0], white[0], black[1], white[1], black[2], white[2], white[3],
    ];
    assert_eq!(both, in_turn);
}

#[test]
fn lines_end_at_the_greatest_move_number() {
    let folder = tempfile::tempdir().unwrap();
    let book = fixture("peta_next/acyclic_ps.db");
    let options = PetaNext {
        max_ply: 1,
        ..PetaNext::default()
    };
    // The even start has the move number 1, and is in the book.
    let error = peta_next(&book, None, folder.path(), &options, &jobs()[0]).unwrap_err();
    assert!(error.to_string().contains("not written"), "{error}");
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}
