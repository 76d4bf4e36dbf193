//! Peta-shock: against the outputs of another program byte for byte, and on small random books with many cycles and checks, solved by the
//! definition written down plainly: full sweeps over all positions, no matter what changed.

use std::collections::HashMap;
use std::fmt::Write as _;

use proptest::prelude::*;
use shogi_core::movegen::LegalAll;
use shogi_core::{Color, Move, PieceKind, Position};
use test_support::TestFolder;
use yane_book::Job;
use yane_book::db::BadLines;
use yane_book::peta_shock::{PetaShockOptions, PetaShockReport, PetaValue, peta_shock};

use super::util::{fixture, golden};

fn check_golden(name: &str, expected: &str, shrink: bool) -> PetaShockReport {
    let folder = TestFolder::new();
    let output = folder.path("out.db");
    let options = PetaShockOptions {
        shrink,
        bad_lines: BadLines::Skip,
        ..PetaShockOptions::default()
    };
    let report = peta_shock(
        &fixture(&format!("peta_shock/{name}")),
        &output,
        options,
        &Job::default(),
    )
    .unwrap();
    let written = std::fs::read_to_string(&output).unwrap();
    let expected_text = golden(&format!("peta_shock/{expected}"));
    assert_eq!(written, expected_text, "{expected}");
    report
}

#[test]
fn without_cycles() {
    let report = check_golden("acyclic.db", "acyclic_ps.db", false);
    assert_eq!((report.positions, report.constant), (177, 177));
    assert_eq!(report.joined, 89);
    check_golden("ties.db", "ties_ps.db", false);
    check_golden("handicap.db", "handicap_ps.db", false);
    check_golden("messy.db", "messy_ps.db", false);
}

#[test]
fn with_cycles() {
    let report = check_golden("mini_cycle.db", "mini_cycle_ps.db", false);
    assert_eq!((report.positions, report.constant), (4, 0));
    check_golden("cyclic.db", "cyclic_ps.db", false);
}

#[test]
fn with_perpetual_check() {
    let report = check_golden("perpetual.db", "perpetual_ps.db", false);
    assert_eq!(
        (report.in_check, report.loops_in_check, report.loops),
        (2, 2, 4)
    );
}

#[test]
fn shrunk() {
    check_golden("acyclic.db", "acyclic_pss.db", true);
    check_golden("ties.db", "ties_psf.db", true);
}

#[test]
fn in_binary() {
    let folder = TestFolder::new();
    let output = folder.path("out.ybb");
    let ybb = |name: &str| fixture("ybb").join(name);
    let options = PetaShockOptions::default();
    let input = ybb("acyclic_nd.ybb");
    let report = peta_shock(&input, &output, options, &Job::default()).unwrap();
    assert_eq!(report.positions, 177);
    let written = std::fs::read(&output).unwrap();
    assert!(written == std::fs::read(ybb("acyclic_nd_ps.ybb")).unwrap());
}

#[test]
fn formats_are_not_mixed() {
    let folder = TestFolder::new();
    let output = folder.path("out.ybb");
    let options = PetaShockOptions::default();
    let error = peta_shock(
        &fixture("peta_shock/acyclic.db"),
        &output,
        options,
        &Job::default(),
    )
    .unwrap_err();
    assert!(error.to_string().contains(".ybb of .ybb"), "{error}");
    assert!(!output.exists());
}

/// A position as black to move, and the text it has in the book.
struct PlainNode {
    text: String,
    position: Position,
    turned: bool,
    /// Registered moves as generated, with values.
    registered: Vec<(Move, i16)>,
}

#[derive(Clone, Copy)]
enum PlainTarget {
    Leaf(i16),
    Node(usize),
}

/// A random walk among few pieces: it meets itself again and again. `choices` pick moves and values.
fn walk(choices: &[(u16, i16, bool)]) -> Vec<PlainNode> {
    let starts = [
        "4k4/9/9/9/9/9/9/9/4K2R1 b - 1",
        "8k/7R1/9/9/9/9/9/7r1/K8 w - 1",
    ];
    let mut nodes: Vec<PlainNode> = Vec::new();
    let mut seen: HashMap<u128, usize> = HashMap::new();
    let mut position = Position::from_sfen(starts[choices.len() % 2]).unwrap();
    for &(choice, value, register_only) in choices {
        let legal = position.moves::<LegalAll>();
        if legal.is_empty() {
            break;
        }
        // Few moves to choose from, so that walks cross.
        let m = legal[usize::from(choice) % legal.len().min(4)];
        let turned = position.side_to_move() == Color::White;
        let place = *seen.entry(position.key128()).or_insert_with(|| {
            nodes.push(PlainNode {
                text: position.to_sfen(),
                position: if turned {
                    position.flip()
                } else {
                    position.clone()
                },
                turned,
                registered: Vec::new(),
            });
            nodes.len() - 1
        });
        let as_generated = if turned { m.rotate() } else { m };
        let registered = &mut nodes[place].registered;
        if registered.iter().all(|(known, _)| *known != as_generated) {
            registered.push((as_generated, value));
        }
        if !register_only {
            let _ = position.do_move_unchecked(m);
        }
    }
    nodes
}

fn book(nodes: &[PlainNode]) -> String {
    let mut text = String::from("#YANEURAOU-DB2016 1.00\n");
    for node in nodes {
        writeln!(text, "sfen {}", node.text).unwrap();
        for (m, value) in &node.registered {
            let written = if node.turned { m.rotate() } else { *m };
            writeln!(text, "{written} none {value} 1 1").unwrap();
        }
    }
    text
}

/// Returns true if `a` is chosen over `b`.
fn better(a: PetaValue, b: PetaValue) -> bool {
    if a.value != b.value {
        a.value > b.value
    } else if a.depth == 9997 || b.depth == 9997 {
        a.depth != 9997
    } else if a.value >= 0 {
        a.depth < b.depth
    } else {
        a.depth > b.depth
    }
}

const fn outcome(value: i16, depth: u16) -> PetaValue {
    PetaValue { value, depth }
}

fn for_parent(best: PetaValue) -> PetaValue {
    outcome(-best.value, (best.depth + 1).min(9999))
}

struct Solver {
    moves: Vec<Vec<(Move, PlainTarget)>>,
    in_check: Vec<bool>,
    values: Vec<PetaValue>,
    looping: Vec<bool>,
}

impl Solver {
    fn new(nodes: &[PlainNode]) -> Self {
        let mut by_key = HashMap::new();
        for (number, node) in nodes.iter().enumerate() {
            by_key.insert(node.position.flip().key128(), number);
        }
        let moves = nodes
            .iter()
            .map(|node| {
                let (mut moves, mut leaving) = (Vec::new(), Vec::new());
                for &m in &node.position.moves::<LegalAll>() {
                    let mut child = node.position.clone();
                    let _ = child.do_move_unchecked(m);
                    let registered = node.registered.iter().find(|(known, _)| *known == m);
                    match (by_key.get(&child.key128()), registered) {
                        (Some(&child), _) => moves.push((m, PlainTarget::Node(child))),
                        (None, Some(_)) => leaving.push(m),
                        (None, None) => {}
                    }
                }
                // Moves that leave the book come first, as they are registered; then pieces of a
                // kind together by their squares, drops last, but in check the king first.
                moves.sort_by_key(|&(m, _): &(Move, PlainTarget)| {
                    let us = m.color();
                    let group = match m.piece_before().kind() {
                        _ if m.is_drop() => 3,
                        PieceKind::King if node.position.in_check() => 0,
                        PieceKind::Rook => 1,
                        _ => 2,
                    };
                    // If a rook may promote, the promotion goes first.
                    let in_zone = |square: shogi_core::Square| square.is_promotion_zone(us);
                    let far = group == 1 && !m.from().is_some_and(in_zone) && !in_zone(m.to());
                    (group, m.from(), far, m.to(), !m.is_promotion())
                });
                let leaves = node.registered.iter().filter(|(m, _)| leaving.contains(m));
                leaves
                    .map(|&(m, value)| (m, PlainTarget::Leaf(value)))
                    .chain(moves)
                    .collect()
            })
            .collect();
        Self {
            moves,
            in_check: nodes.iter().map(|node| node.position.in_check()).collect(),
            values: vec![outcome(0, 9999); nodes.len()],
            looping: vec![false; nodes.len()],
        }
    }

    fn children(&self, node: usize) -> Vec<usize> {
        let targets = self.moves[node].iter();
        targets
            .filter_map(|(_, target)| match target {
                PlainTarget::Node(child) => Some(*child),
                PlainTarget::Leaf(_) => None,
            })
            .collect()
    }

    fn of(&self, target: PlainTarget) -> PetaValue {
        match target {
            PlainTarget::Leaf(value) => outcome(value, 0),
            PlainTarget::Node(child) => self.values[child],
        }
    }

    fn best(&self, node: usize) -> PetaValue {
        let mut best = outcome(-32767, 9999);
        for &(_, target) in &self.moves[node] {
            if better(self.of(target), best) {
                best = self.of(target);
            }
        }
        best
    }

    fn around(&self, node: usize, path: &mut Vec<usize>) -> PetaValue {
        path.push(node);
        let mut best = outcome(-32767, 0);
        for &(_, target) in &self.moves[node] {
            let value = match target {
                PlainTarget::Node(child) if path.contains(&child) && self.in_check[child] => {
                    outcome(-32000, 9997)
                }
                PlainTarget::Node(child) if path.contains(&child) => outcome(32000, 9998),
                PlainTarget::Node(child) if self.looping[child] => self.around(child, path),
                other => self.of(other),
            };
            if better(value, best) {
                best = value;
            }
        }
        path.pop();
        for_parent(best)
    }

    // The numbers of positions index several lists.
    #[allow(clippy::needless_range_loop)]
    fn solve(&mut self) {
        let count = self.moves.len();
        let mut constant = vec![false; count];
        for _ in 0..=count {
            for node in 0..count {
                let children = self.children(node);
                if !constant[node] && children.iter().all(|&child| constant[child]) {
                    constant[node] = true;
                    self.values[node] = for_parent(self.best(node));
                }
            }
        }
        let mut left = self.in_check.clone();
        for _ in 0..=count {
            for node in 0..count {
                left[node] &= self
                    .children(node)
                    .iter()
                    .any(|&child| self.children(child).iter().any(|&next| left[next]));
            }
        }
        self.looping.clone_from(&left);
        for node in (0..count).filter(|&node| left[node]) {
            for child in self.children(node) {
                if self.children(child).iter().any(|&next| left[next]) {
                    self.looping[child] = true;
                }
            }
        }
        for node in (0..count).filter(|&node| !constant[node]) {
            self.values[node] = match (self.looping[node], self.in_check[node]) {
                (false, _) => outcome(0, 9999),
                (true, true) => outcome(-32000, 9999),
                (true, false) => outcome(32000, 9999),
            };
        }
        for _ in 0..356 {
            let mut changed = false;
            for node in 0..count {
                if constant[node] || self.looping[node] {
                    continue;
                }
                let mut new = for_parent(self.best(node));
                if new.depth > 256 {
                    new.depth = 9999;
                }
                changed |= new != self.values[node];
                self.values[node] = new;
            }
            for node in 0..count {
                if self.looping[node] {
                    self.values[node] = self.around(node, &mut Vec::new());
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn text(&self, nodes: &[PlainNode], shrink: bool) -> String {
        let count = nodes.len();
        let mut text = format!("#YANEURAOU-DB2016 1.00\r\n# NOE:{count}\r\n");
        for (number, node) in nodes.iter().enumerate() {
            write!(text, "sfen {}\r\n", node.text).unwrap();
            let mut moves: Vec<(Move, PetaValue)> = self.moves[number]
                .iter()
                .map(|&(m, target)| {
                    let mut value = self.of(target);
                    if let PlainTarget::Node(child) = target
                        && self.looping[child]
                        && self.in_check[child]
                    {
                        value.depth = 9997;
                    }
                    (m, value)
                })
                .collect();
            // Insertion sort: stable, with nothing but `better`.
            for end in 1..moves.len() {
                let mut at = end;
                while at > 0 && better(moves[at].1, moves[at - 1].1) {
                    moves.swap(at, at - 1);
                    at -= 1;
                }
            }
            let Some(&(_, best)) = moves.first() else {
                continue;
            };
            for (m, value) in moves {
                if shrink && value.value != best.value {
                    continue;
                }
                let other_depth = value.value == best.value && value.depth != best.depth;
                let shown = value.value - i16::from(other_depth);
                let written = if node.turned { m.rotate() } else { m };
                write!(text, "{written} none {shown} {}\r\n", value.depth).unwrap();
            }
        }
        text
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn agrees_with_the_definition(
        choices in prop::collection::vec((0u16..8, -2i16..3, prop::bool::weighted(0.3)), 1..70),
        shrink: bool,
        threads in 1usize..3,
    ) {
        let nodes = walk(&choices);
        let mut solver = Solver::new(&nodes);
        solver.solve();
        let expected = solver.text(&nodes, shrink);

        let folder = TestFolder::new();
        let (input, output) = (folder.path("in.db"), folder.path("out.db"));
        std::fs::write(&input, book(&nodes)).unwrap();
        let options = PetaShockOptions { shrink, ..PetaShockOptions::default() };
        let job = Job { threads, ..Job::default() };
        peta_shock(&input, &output, options, &job).unwrap();
        prop_assert_eq!(std::fs::read_to_string(&output).unwrap(), expected);
    }
}
