//! Positions to search next: from books after peta-shock, and from books before it against the plain definition on books without cycles.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;

use shogi_core::movegen::LegalAll;
use shogi_core::{Color, Move, Position, parse_position_line};
use test_support::TestFolder;
use yane_book::peta_next::{
    PetaNext, PetaShockNext, PetaShockNext2, ShockOutput, peta_next, peta_shock_next,
    peta_shock_next2,
};

use super::util::{files, fixture, golden, jobs, output};

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
        let folder = TestFolder::new();
        let book = fixture(&format!("peta_next/{book}"));
        let report = peta_next(&book, None, &folder.path(""), &options, &jobs()[0]).unwrap();
        assert_eq!(folder.names(), LISTS);
        assert_eq!(report.files.len(), 6);
        for name in LISTS {
            let text = fs::read_to_string(folder.path(name)).unwrap();
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
    let folder = TestFolder::new();
    let book = fixture("peta_next/acyclic_ps.db");
    let options = PetaNext {
        side: Some(Color::White),
        ..PetaNext::default()
    };
    let report = peta_next(&book, None, &folder.path(""), &options, &jobs()[0]).unwrap();
    assert_eq!((report.black, report.white), (None, Some(1)));
    assert_eq!(folder.names(), LISTS[3..5]);
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
    let out = folder.path("new");
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
    let folder = TestFolder::new();
    let book = fixture("peta_next/acyclic_ps.db");
    let options = PetaNext {
        max_ply: 1,
        ..PetaNext::default()
    };
    // The even start has the move number 1, and is in the book.
    let error = peta_next(&book, None, &folder.path(""), &options, &jobs()[0]).unwrap_err();
    assert!(error.to_string().contains("not written"), "{error}");
    assert_eq!(folder.names().len(), 0);
}

/// A value and the number of plies to the end of the book.
type PlainWorth = (i32, i32);

/// Target of a move of a position.
enum To {
    Leaf(i32),
    Inside,
}

/// A book as a map from positions, black to move, to moves with values.
struct PlainBook {
    moves: HashMap<String, HashMap<String, i32>>,
    removed: HashSet<(String, Move)>,
}

fn seen_by_mover(position: &Position) -> Position {
    match position.side_to_move() {
        Color::Black => position.clone(),
        Color::White => position.flip(),
    }
}

fn name(position: &Position) -> String {
    seen_by_mover(position).to_sfen_without_ply()
}

fn after(position: &Position, m: Move) -> Position {
    let mut next = position.clone();
    let _ = next.do_move_unchecked(m);
    next
}

impl PlainBook {
    fn read(text: &str) -> Self {
        let mut moves: HashMap<String, HashMap<String, i32>> = HashMap::new();
        let mut current = None;
        for line in text.lines().skip(1) {
            if let Some(sfen) = line.strip_prefix("sfen ") {
                let position = Position::from_sfen(sfen).unwrap();
                assert!(moves.insert(name(&position), HashMap::new()).is_none());
                current = Some(position);
                continue;
            }
            let position = current.as_ref().unwrap();
            let words: Vec<_> = line.split(' ').collect();
            let m = position.move_from_usi(words[0]).unwrap();
            let m = match position.side_to_move() {
                Color::Black => m,
                Color::White => m.rotate(),
            };
            let known = moves.get_mut(&name(position)).unwrap();
            known.insert(m.to_string(), words[2].parse().unwrap());
        }
        Self {
            moves,
            removed: HashSet::new(),
        }
    }

    /// The moves that matter in a position with black to move.
    fn children(&self, position: &Position) -> Vec<(Move, To)> {
        let known = &self.moves[&name(position)];
        let mut children = Vec::new();
        for m in position.moves::<LegalAll>() {
            if self.removed.contains(&(name(position), m)) {
                continue;
            }
            if self.moves.contains_key(&name(&after(position, m))) {
                children.push((m, To::Inside));
            } else if let Some(&eval) = known.get(&m.to_string()) {
                children.push((m, To::Leaf(eval)));
            }
        }
        children
    }

    /// Returns the value of a move for the side that makes it.
    fn of_move(
        &self,
        position: &Position,
        m: Move,
        to: &To,
        memo: &mut Memo,
    ) -> Option<PlainWorth> {
        match to {
            To::Leaf(eval) => Some((*eval, 0)),
            To::Inside => {
                let next = seen_by_mover(&after(position, m));
                let (value, depth) = self.worth(&next, memo)?;
                Some((-value, depth + 1))
            }
        }
    }

    /// Returns the value of the best move of a position.
    fn worth(&self, position: &Position, memo: &mut Memo) -> Option<PlainWorth> {
        if let Some(known) = memo.get(&name(position)) {
            return *known;
        }
        let rank = |&(value, depth): &PlainWorth| (value, if value >= 0 { -depth } else { depth });
        let worths: Vec<_> = self
            .children(position)
            .iter()
            .filter_map(|(m, to)| self.of_move(position, *m, to, memo))
            .collect();
        let best = worths.into_iter().max_by_key(rank);
        memo.insert(name(position), best);
        best
    }

    /// Positions outside the book that are reached when `side` plays only best moves.
    fn reached(&self, side: Option<Color>, limit: i32) -> BTreeSet<String> {
        let mut leaves = BTreeSet::new();
        let mut known = HashSet::new();
        let mut open = vec![(Position::startpos(), Color::Black)];
        let mut memo = Memo::new();
        while let Some((position, mover)) = open.pop() {
            if !known.insert(name(&position)) {
                continue;
            }
            let best = self.worth(&position, &mut memo).unwrap().0;
            for (m, to) in self.children(&position) {
                let (value, _) = self.of_move(&position, m, &to, &mut memo).unwrap();
                if value.abs() > limit || (Some(mover) == side && value != best) {
                    continue;
                }
                let next = seen_by_mover(&after(&position, m));
                match to {
                    To::Leaf(_) => {
                        leaves.insert(name(&next));
                    }
                    To::Inside => open.push((next, mover.flip())),
                }
            }
        }
        leaves
    }
}

type Memo = HashMap<String, Option<PlainWorth>>;

fn from_startpos() -> ShockOutput {
    ShockOutput {
        from_startpos: true,
        ..ShockOutput::default()
    }
}

#[test]
fn every_line_is_the_best_that_is_left() {
    let text = golden("extend_tree/acyclic.db");
    let mut plain = PlainBook::read(&text);
    let (_folder, path) = output();
    let options = PetaShockNext {
        output: from_startpos(),
        ..PetaShockNext::new(40)
    };
    let book = fixture("extend_tree/acyclic.db");
    let report = peta_shock_next(&book, None, &path, &options, &jobs()[1]).unwrap();
    assert_eq!((report.positions, report.roots), (177, 1));
    let lines = fs::read_to_string(&path).unwrap();
    let mut listed = HashSet::new();
    for line in lines.lines() {
        // Lines to positions that were listed already are not listed again.
        loop {
            let best = plain
                .worth(&Position::startpos(), &mut Memo::new())
                .unwrap();
            let (leaf, worth) = play(&plain, line);
            if worth == best && !listed.contains(&leaf) {
                break;
            }
            let repeated = best_line(&plain);
            assert!(listed.contains(&repeated.0), "{line} is not the best");
            plain.removed.insert(repeated.1);
        }
        let (leaf, _) = play(&plain, line);
        assert!(listed.insert(leaf), "{line} leads to a known position");
        plain.removed.insert(last_move(line));
    }
    assert_eq!((report.written, listed.len()), (40, 40));
}

#[test]
fn all_that_is_reached_is_listed_in_the_end() {
    let expected = PlainBook::read(&golden("extend_tree/acyclic.db")).reached(None, 40_000);
    let (_folder, path) = output();
    let book = fixture("extend_tree/acyclic.db");
    let options = PetaShockNext::new(usize::MAX);
    peta_shock_next(&book, None, &path, &options, &jobs()[0]).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let found: Vec<_> = text
        .lines()
        .map(|sfen| name(&Position::from_sfen(sfen).unwrap()))
        .collect();
    assert_eq!(found.len(), expected.len());
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
}

/// Returns the position that a line leads to, and its value for the side that plays the first move.
fn play(plain: &PlainBook, line: &str) -> (String, PlainWorth) {
    let game = parse_position_line(line).unwrap();
    let mut position = Position::startpos();
    let mut worth = (0, 0);
    for (ply, m) in game.moves().enumerate() {
        let seen = seen_by_mover(&position);
        let own = if position.side_to_move() == Color::White {
            m.rotate()
        } else {
            m
        };
        let children = plain.children(&seen);
        let (_, to) = children.iter().find(|(known, _)| *known == own).unwrap();
        if let To::Leaf(eval) = to {
            worth = (if ply % 2 == 0 { *eval } else { -eval }, ply as i32);
            assert_eq!(ply + 1, game.len());
        }
        position = after(&position, m);
    }
    (name(&position), worth)
}

/// The position of the last move of a line, and that move, both as black sees them.
fn last_move(line: &str) -> (String, Move) {
    let mut game = parse_position_line(line).unwrap();
    let m = game.undo().unwrap();
    let position = game.position();
    let own = match position.side_to_move() {
        Color::Black => m,
        Color::White => m.rotate(),
    };
    (name(position), own)
}

/// A best line: where it leads, and its last move.
fn best_line(plain: &PlainBook) -> (String, (String, Move)) {
    let mut position = Position::startpos();
    let mut memo = Memo::new();
    loop {
        let best = plain.worth(&position, &mut memo).unwrap();
        let children = plain.children(&position);
        let (m, to) = children
            .iter()
            .find(|(m, to)| plain.of_move(&position, *m, to, &mut memo) == Some(best))
            .unwrap();
        let next = seen_by_mover(&after(&position, *m));
        match to {
            To::Leaf(_) => return (name(&next), (name(&position), *m)),
            To::Inside => position = next,
        }
    }
}

#[test]
fn one_side_plays_its_best_moves() {
    let plain = PlainBook::read(&golden("extend_tree/acyclic.db"));
    for limit in [0, 60, 400] {
        let mut expected = plain.reached(Some(Color::Black), limit);
        expected.extend(plain.reached(Some(Color::White), limit));
        let options = PetaShockNext2 {
            eval_limit: limit as u16,
            ..PetaShockNext2::new(100_000)
        };
        let (_folder, path) = output();
        let book = fixture("extend_tree/acyclic.db");
        let report = peta_shock_next2(&book, None, &path, &options, &jobs()[0]);
        if expected.is_empty() {
            assert!(report.is_err() && !path.exists());
            continue;
        }
        let report = report.unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let found: BTreeSet<_> = text
            .lines()
            .map(|sfen| name(&Position::from_sfen(sfen).unwrap()))
            .collect();
        assert_eq!(found, expected);
        assert_eq!(report.written, found.len() as u64);
    }
}

#[test]
fn cycles_end_and_counts_and_noise_are_obeyed() {
    let book = fixture("extend_tree/cyclic.db");
    let list = |options: &PetaShockNext| {
        let (_folder, path) = output();
        peta_shock_next(&book, None, &path, options, &jobs()[0]).unwrap();
        fs::read_to_string(&path).unwrap()
    };
    let all = list(&PetaShockNext::new(usize::MAX));
    assert!(all.lines().count() > 10);
    let three = list(&PetaShockNext::new(3));
    assert_eq!(three.lines().count(), 3);
    assert!(all.starts_with(&three));
    let noisy = |seed| PetaShockNext {
        eval_noise: 200.0,
        seed,
        ..PetaShockNext::new(10)
    };
    assert_eq!(list(&noisy(1)), list(&noisy(1)));
    assert!((2..10).any(|seed| list(&noisy(seed)) != list(&noisy(1))));
}

#[test]
fn roots_outside_the_book_and_flipped_ones() {
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
    let book =
        format!("#YANEURAOU-DB2016 1.00\nsfen {start} b - 1\n7g7f none 10 0\n2g2f none 5 0\n");
    let (_folder, input, path) = files(&book);
    let roots = input.with_file_name("roots");
    // The even start with white to move is the book's position seen from the other side.
    fs::write(&roots, format!("startpos moves 1g1f\nsfen {start} w - 2\n")).unwrap();
    let options = PetaShockNext {
        output: from_startpos(),
        ..PetaShockNext::new(10)
    };
    let report = peta_shock_next(&input, Some(&roots), &path, &options, &jobs()[0]).unwrap();
    let expected = format!(
        "startpos moves 1g1f\r\nsfen {start} w - 2 moves 3c3d\r\n\
         sfen {start} w - 2 moves 8c8d\r\n"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    assert_eq!((report.roots, report.written), (2, 3));
}
