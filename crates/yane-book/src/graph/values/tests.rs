//! The solver against the definitions, on small random graphs, and what becomes of single positions.

use std::sync::Arc;

use PlainMove::{Out, To};
use book_graph::NO_NODE;
use proptest::prelude::*;
use shogi_core::{Color, EnteringKingRule, Move16};
use test_support::TestFolder;

use super::graph_moves::{Facts, GraphMoves, Judge, MoveKind};
use super::solution::{PERPETUAL, Worth};
use super::*;
use crate::Job;
use crate::db::BadLines;
use crate::graph::{DbSource, Identity, Index};

/// A graph as plain lists: by node, who moves and whether in check, and the moves.
#[derive(Clone, Debug)]
struct Plain {
    nodes: Vec<(Color, bool)>,
    moves: Vec<Vec<PlainMove>>,
}

/// A move: to a node, or out of the book with a value for the mover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlainMove {
    To(usize),
    Out(i32),
}

const DRAW: i32 = 7;

fn rules() -> Rules {
    Rules {
        draw: DRAW,
        mate: MateStep::Shorten,
        win_depth: 0,
    }
}

/// Graphs of `pairs` nodes of each colour, whose moves lead to the other colour. With `forward`, only to
/// later nodes.
fn graphs(pairs: usize, links: usize, forward: bool) -> impl Strategy<Value = Plain> {
    let count = pairs * 2;
    let links = proptest::collection::vec((0..count, 0..pairs), 0..links);
    let outs = proptest::collection::vec((0..count, -20..20i32), 1..count * 2);
    let checks = proptest::collection::vec(proptest::bool::weighted(0.7), count);
    (links, outs, checks).prop_map(move |(links, outs, checks)| {
        let color = |node: usize| {
            if node.is_multiple_of(2) {
                Color::Black
            } else {
                Color::White
            }
        };
        let nodes = (0..count).map(|node| (color(node), checks[node])).collect();
        let mut moves = vec![Vec::new(); count];
        for (from, pair) in links {
            let to = pair * 2 + (from + 1) % 2;
            if !forward || to > from {
                moves[from].push(To(to));
            }
        }
        for (from, value) in outs {
            moves[from].push(Out(value));
        }
        Plain { nodes, moves }
    })
}

impl Plain {
    fn rows(&self) -> GraphMoves {
        let mut rows = GraphMoves::default();
        for ((color, check), moves) in self.nodes.iter().zip(&self.moves) {
            for (number, &m) in moves.iter().enumerate() {
                let (target, kind, eval) = match m {
                    To(node) => (node as u32, MoveKind::Joined, 0),
                    Out(value) => (NO_NODE, MoveKind::Leaf, value),
                };
                rows.push_plain(Move16(number as u16), target, kind, eval);
            }
            rows.end_node(Facts::plain(*color, *check));
        }
        rows
    }

    fn targets(&self, node: usize) -> impl Iterator<Item = usize> {
        self.moves[node].iter().filter_map(|m| match *m {
            To(target) => Some(target),
            Out(_) => None,
        })
    }

    /// Nodes that can be reached from `from` without entering `closed`.
    fn reach(&self, from: &[usize], closed: Option<usize>) -> Vec<bool> {
        let mut seen = vec![false; self.nodes.len()];
        let mut todo = from.to_vec();
        while let Some(node) = todo.pop() {
            if Some(node) != closed && !std::mem::replace(&mut seen[node], true) {
                todo.extend(self.targets(node));
            }
        }
        seen
    }

    /// Moves back to nodes that every line has passed, replaced by what they are worth.
    fn end_repetitions(&self, root: usize) -> Self {
        let reached = self.reach(&[root], None);
        let mut ended = self.clone();
        for last in (0..self.nodes.len()).filter(|&node| reached[node]) {
            for (number, &m) in self.moves[last].iter().enumerate() {
                if let To(head) = m
                    && !self.reach(&[root], Some(head))[last]
                {
                    ended.moves[last][number] = Out(self.loop_value(&reached, head, last));
                }
            }
        }
        ended
    }

    /// Returns what the move from `last` back to `head` is worth to the mover.
    fn loop_value(&self, reached: &[bool], head: usize, last: usize) -> i32 {
        let in_loop =
            |node: usize| node == head || (reached[node] && self.reach(&[node], Some(head))[last]);
        let nodes = (0..self.nodes.len()).filter(|&node| in_loop(node));
        let for_black = self.endless(&nodes.collect::<Vec<_>>());
        match self.nodes[last].0 {
            Color::Black => for_black,
            Color::White => -for_black,
        }
    }

    /// Value for black of staying among `nodes` for ever.
    fn endless(&self, nodes: &[usize]) -> i32 {
        let checked = |color: Color| {
            nodes
                .iter()
                .all(|&node| self.nodes[node].0 != color || self.nodes[node].1)
        };
        match (checked(Color::Black), checked(Color::White)) {
            (true, false) => PERPETUAL,
            (false, true) => -PERPETUAL,
            _ => DRAW,
        }
    }

    /// Values for black, by definition: for every threshold, who can force an end at least as good.
    fn values(&self, root: usize) -> Vec<Option<i32>> {
        let reached = self.reach(&[root], None);
        let from: Vec<_> = (0..self.nodes.len())
            .map(|node| self.reach(&[node], None))
            .collect();
        let mut values = vec![None; self.nodes.len()];
        let mut done: Vec<bool> = reached.iter().map(|reached| !reached).collect();
        while let Some(first) = (0..self.nodes.len()).find(|&node| {
            let open = |other: usize| !done[other] && from[node][other] && !from[other][node];
            !done[node] && !(0..self.nodes.len()).any(open)
        }) {
            let component: Vec<_> = (0..self.nodes.len())
                .filter(|&node| from[first][node] && from[node][first] && reached[node])
                .collect();
            self.solve_component(&component, &mut values);
            for &node in &component {
                done[node] = true;
            }
        }
        values
    }

    fn solve_component(&self, nodes: &[usize], values: &mut [Option<i32>]) {
        let sign = |node: usize| {
            if self.nodes[node].0 == Color::Black {
                1
            } else {
                -1
            }
        };
        let endless = self.endless(nodes);
        // Ends for black, by node.
        let ends = |node: usize| -> Vec<i32> {
            let end = |m: &PlainMove| match *m {
                Out(value) => Some(value * sign(node)),
                To(target) => values[target],
            };
            self.moves[node].iter().filter_map(end).collect()
        };
        let ends: Vec<Vec<i32>> = nodes.iter().map(|&node| ends(node)).collect();
        let inside: Vec<Vec<usize>> = nodes
            .iter()
            .map(|&node| {
                let place = |target| nodes.iter().position(|&other| other == target);
                self.targets(node).filter_map(place).collect()
            })
            .collect();
        let cyclic = inside.iter().any(|targets| !targets.is_empty());
        let mut thresholds: Vec<i32> = ends.iter().flatten().copied().collect();
        thresholds.extend(cyclic.then_some(endless));
        thresholds.sort_unstable();
        for threshold in thresholds {
            // Computes the side that gets at least the threshold. A play that never ends counts as
            // `endless`: if that is enough, black only has to avoid worse ends, else black has to
            // reach a good one.
            let mut good = vec![endless >= threshold; nodes.len()];
            loop {
                let next: Vec<bool> = (0..nodes.len())
                    .map(|at| {
                        let mut options = ends[at]
                            .iter()
                            .map(|&end| end >= threshold)
                            .chain(inside[at].iter().map(|&to| good[to]));
                        match self.nodes[nodes[at]].0 {
                            Color::Black => options.any(|good| good),
                            Color::White => options.all(|good| good),
                        }
                    })
                    .collect();
                if next == good {
                    break;
                }
                good = next;
            }
            for (at, &node) in nodes.iter().enumerate() {
                if good[at] && !(ends[at].is_empty() && inside[at].is_empty()) {
                    values[node] = Some(threshold);
                }
            }
        }
    }
}

/// The solver's values for black.
fn solved(rows: &GraphMoves, solution: &Solution, node: usize) -> Option<i32> {
    let worth = rows
        .range(node as u32)
        .filter_map(|at| solution.worth(rows, node as u32, at))
        .map(|worth| worth.value)
        .max()?;
    Some(match rows.facts[node].color() {
        Color::Black => worth,
        Color::White => -worth,
    })
}

/// Follows best moves; the value must be found at the end of the line, after as many plies as said.
fn check_line(rows: &GraphMoves, solution: &Solution, start: usize) {
    let mut node = start as u32;
    let Some(Worth { value, .. }) = best(rows, solution, node) else {
        return;
    };
    let depth = solution.depth(node);
    for ply in 0..=depth {
        let Some(at) = solution.best_row(rows, node) else {
            panic!("a node with a value has a best move");
        };
        let worth = solution.worth(rows, node, at).unwrap();
        let sign = if ply % 2 == 0 { 1 } else { -1 };
        assert_eq!(worth.value * sign, value);
        let Some(next) = rows.target(at) else {
            assert_eq!(ply + worth.depth, depth);
            return;
        };
        node = next;
    }
    // The line has come round.
    let endless = [DRAW, PERPETUAL, -PERPETUAL];
    let sign = if rows.facts[start].color() == Color::Black {
        1
    } else {
        -1
    };
    assert!(
        endless.contains(&(value * sign)),
        "{value} after {depth} plies"
    );
}

fn best(rows: &GraphMoves, solution: &Solution, node: u32) -> Option<Worth> {
    solution.worth(rows, node, solution.best_row(rows, node)?)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn cycles_are_solved_by_the_definition(plain in graphs(5, 24, false)) {
        let values = Values::new(plain.rows(), &[0], &[rules()]);
        let expected = plain.end_repetitions(0).values(0);
        let reached = plain.reach(&[0], None);
        for node in 0..plain.nodes.len() {
            prop_assert_eq!(reached[node], values.distance[node] > 0);
            if reached[node] {
                prop_assert_eq!(
                    solved(&values.moves, &values.solutions[0], node),
                    expected[node],
                    "node {}", node
                );
                check_line(&values.moves, &values.solutions[0], node);
            }
        }
    }

    #[test]
    fn without_cycles_it_is_negamax(plain in graphs(6, 30, true)) {
        let values = Values::new(plain.rows(), &[0], &[rules()]);
        prop_assert_eq!((values.cyclic, values.repetitions), (0, 0));
        // For the mover: value, number of the move, depth. Later nodes come first.
        let mut known: Vec<Option<(i32, usize, u32)>> = vec![None; plain.nodes.len()];
        for node in (0..plain.nodes.len()).rev() {
            for (number, m) in plain.moves[node].iter().enumerate() {
                let worth = match *m {
                    Out(value) => Some((value, 0)),
                    To(target) => known[target].map(|(value, _, depth)| (-value, depth + 1)),
                };
                if let Some((value, depth)) = worth
                    && known[node].is_none_or(|(best, ..)| best < value)
                {
                    known[node] = Some((value, number, depth));
                }
            }
            if values.distance[node] > 0 {
                let (rows, solution) = (&values.moves, &values.solutions[0]);
                let found = solution.best_row(rows, node as u32).map(|at| {
                    let worth = solution.worth(rows, node as u32, at).unwrap();
                    let number = at - rows.range(node as u32).start;
                    (worth.value, number, solution.depth(node as u32))
                });
                prop_assert_eq!(found, known[node], "node {}", node);
            }
        }
    }

    #[test]
    fn every_order_of_moves_gives_the_same_values(
        plain in graphs(5, 24, false),
        turn in 0..100usize,
    ) {
        let mut other = plain.clone();
        for moves in &mut other.moves {
            let len = moves.len().max(1);
            moves.rotate_left(turn % len);
        }
        let one = Values::new(plain.rows(), &[0], &[rules()]);
        let two = Values::new(other.rows(), &[0], &[rules()]);
        for node in (0..plain.nodes.len()).filter(|&node| one.distance[node] > 0) {
            prop_assert_eq!(
                solved(&one.moves, &one.solutions[0], node),
                solved(&two.moves, &two.solutions[0], node)
            );
        }
    }
}

/// Positions on one large net of cycles with several entries, all of them in check: the work is linear
/// all the same, and nothing recurses.
#[test]
fn large_cycles_take_no_longer() {
    const PAIRS: usize = 50_000;
    let color = |node: usize| [Color::Black, Color::White][node % 2];
    let mut numbers = test_support::SplitMix64::new(1);
    let mut random = |limit: usize| numbers.remainder(limit);
    let moves = (0..PAIRS * 2).map(|node| {
        let next = (node + 1) % (PAIRS * 2);
        let chord = random(PAIRS) * 2 + (node + 1) % 2;
        vec![To(next), To(chord), Out(random(100) as i32 - 50)]
    });
    let plain = Plain {
        moves: moves.collect(),
        nodes: (0..PAIRS * 2).map(|node| (color(node), true)).collect(),
    };
    let values = Values::new(plain.rows(), &[0, 7777], &[rules()]);
    assert_eq!(values.reached, PAIRS as u64 * 2);
    assert!(values.cyclic > PAIRS as u64);
    for node in (0..PAIRS * 2).step_by(997) {
        check_line(&values.moves, &values.solutions[0], node);
    }
}

// Judgement of single positions.

const RULE: EnteringKingRule = EnteringKingRule::CsaRule27;

/// The rows of the book with this text.
fn rows(text: &str, judge: Judge) -> GraphMoves {
    let folder = TestFolder::new();
    let path = folder.path("book.db");
    std::fs::write(&path, text).unwrap();
    let source = DbSource::new(&path).unwrap();
    let job = Job::default();
    let index = Index::build(&job, &source, Identity::Position, BadLines::Fail).unwrap();
    judge.link(&Arc::new(index), &job, &source).unwrap().0
}

/// The moves of the first node: text, kind and value.
fn first_moves(rows: &GraphMoves) -> Vec<(String, MoveKind, i32)> {
    let text = |at: usize| rows.mv[at].decode().unwrap().to_string();
    rows.range(0)
        .map(|at| (text(at), rows.kind[at], rows.eval[at]))
        .collect()
}

/// Black mates with G*5b (and other golds do not).
const MATE: &str = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1\n";
/// White has entered and needs no more points: whatever black plays, white declares.
const ENTERED: &str = "sfen 4K4/9/9/9/9/9/r1b1b1r2/ggg1kgs2/s1+p1+p4 b - 1\n";

#[test]
fn a_mate_counts_whatever_the_book_says() {
    let judge = Judge::SomeMoves(RULE);
    let found = rows(
        &format!("{MATE}G*4b none 5\nG*6b none 9\nG*5b none -7\n"),
        judge,
    );
    let expected = [
        ("G*5b", MoveKind::Terminal, 31999),
        ("G*6b", MoveKind::Leaf, 9),
    ];
    assert_eq!(
        first_moves(&found),
        expected.map(|(mv, kind, eval)| (mv.to_owned(), kind, eval))
    );
    // It need not be registered.
    let found = rows(MATE, judge);
    assert_eq!(
        first_moves(&found),
        [("G*5b".to_owned(), MoveKind::Terminal, 31999)]
    );
}

#[test]
fn a_move_that_allows_a_declaration_loses() {
    let found = rows(&format!("{ENTERED}5a5b none 100\n"), Judge::SomeMoves(RULE));
    let moves = first_moves(&found);
    assert!(moves.len() > 1);
    for (mv, kind, eval) in moves {
        assert_eq!((kind, eval), (MoveKind::Terminal, -31999), "{mv}");
    }
    let nothing = Judge::SomeMoves(EnteringKingRule::NoEnteringKing);
    let found = rows(&format!("{ENTERED}5a5b none 100\n"), nothing);
    assert_eq!(
        first_moves(&found),
        [("5a5b".to_owned(), MoveKind::Leaf, 100)]
    );
}

#[test]
fn finished_positions_have_no_moves() {
    let declares = ENTERED.replace(" b ", " w ");
    let mated = "sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1\n";
    for (text, judge, fact) in [
        (&*declares, Judge::SomeMoves(RULE), Facts::WINS),
        (mated, Judge::SomeMoves(RULE), Facts::MATED),
        (mated, Judge::AllMoves(RULE), Facts::MATED),
    ] {
        let found = rows(text, judge);
        assert!(
            found.facts[0].has(fact) && found.range(0).is_empty(),
            "{text}"
        );
    }
}

#[test]
fn books_of_all_moves_must_have_all() {
    let judge = Judge::AllMoves(RULE);
    let corner = "sfen K7k/9/9/9/9/9/9/9/9 b - 1\n";
    let all = rows(&format!("{corner}9a8a\n9a8b\n9a9b none 3\n"), judge);
    assert!(!all.facts[0].has(Facts::ABSENT));
    assert_eq!(first_moves(&all), [("9a9b".to_owned(), MoveKind::Leaf, 3)]);
    let some = rows(&format!("{corner}9a8a\n9a9b none 3\n"), judge);
    assert!(some.facts[0].has(Facts::ABSENT));
    // Mate in one ends it, but only in a book with all moves.
    let position = shogi_core::Position::from_sfen(&MATE[5..MATE.len() - 1]).unwrap();
    let moves = position.moves::<shogi_core::movegen::LegalAll>();
    let lines: Vec<_> = moves.iter().map(|m| format!("{m} none 1")).collect();
    let won = rows(&format!("{MATE}{}", lines.join("\n")), judge);
    assert!(won.facts[0].has(Facts::WINS) && won.range(0).is_empty());
}
