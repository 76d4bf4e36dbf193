//! What holds for a whole tree.

use shogi_core::Position;
use test_support::SplitMix64;

use super::*;
use crate::{PolicyLabel, PolicyValue};

/// Values and logits by the hash of the position.
struct Hashed(Vec<PolicyValue>);

impl PolicyValueEvaluator for Hashed {
    fn max_batch(&self) -> usize {
        self.0.len()
    }

    fn put(&mut self, place: usize, position: &Position) {
        let mut random = SplitMix64::new(position.key());
        let output = &mut self.0[place];
        output.value = random.below(1000) as f32 / 1000.0;
        // A few logits are enough to make all moves differ.
        for label in (0..PolicyLabel::COUNT).step_by(7) {
            output.logits[label] = random.below(4000) as f32 / 1000.0 - 2.0;
        }
    }

    fn evaluate(&mut self, _count: usize) {}

    fn output(&self, place: usize) -> &PolicyValue {
        &self.0[place]
    }
}

/// A middle game with many moves, an end game with mates near, and one with draws by repetition in reach.
const SFENS: [&str; 3] = [
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    "4k4/9/4P4/9/9/9/9/9/4K4 b G 1",
    "4k4/9/9/9/9/9/9/9/4K4 b R 1",
];

#[test]
fn all_visits_of_a_tree_add_up() {
    for threads in [1, 2, 8] {
        for places in [1, 8, 32] {
            for sfen in SFENS {
                let name = format!("{threads} {places} {sfen}");
                let evaluator = || Hashed(vec![PolicyValue::default(); places]);
                let mut evaluators: Vec<_> = (0..threads).map(|_| evaluator()).collect();
                let game = Game::new(Position::from_sfen(sfen).unwrap());
                let params = PuctParams {
                    leaf_mate_nodes: 10,
                    ..PuctParams::default()
                };
                let mut search = PuctSearch::new(game, params, &mut evaluators[0]);
                let never = AtomicBool::new(false);
                search.run_threads(&mut evaluators, 700, &never);
                assert_eq!(search.visits(), 700, "{name}");
                // Where a mate is near, all playouts may go to it.
                let least = if sfen == SFENS[0] { 100 } else { 2 };
                let nodes = check(&search.tree, search.root, &name);
                assert!(nodes >= least, "{name}: {nodes}");
            }
        }
    }
}

/// Checks the sums of all nodes from `root` on; returns their number.
fn check(tree: &Tree, root: NodeId, name: &str) -> usize {
    let mut nodes = vec![root];
    let mut count = 0;
    while let Some(node) = nodes.pop() {
        count += 1;
        let edges: Vec<Edge> = tree.edges(node).collect();
        let sum: u32 = edges.iter().map(|edge| edge.visits).sum();
        assert_eq!(tree.counts(node).visits, sum, "{name}");
        let wins: f32 = edges.iter().map(|edge| edge.wins).sum();
        assert!((tree.counts(node).wins - wins).abs() < 0.01, "{name}");
        for edge in edges {
            assert_ne!(edge.child, Child::BeingMade, "{name}");
            let Child::Node(child) = edge.child else {
                assert_eq!(edge.visits, 0, "{name}");
                continue;
            };
            let below = tree.counts(child).visits;
            if edge.flags.has(Flags::ALL) {
                // Once something is proved nobody goes on to it.
                assert!(below < edge.visits, "{name}");
            } else {
                // All but the first, which made it.
                assert!(tree.is_evaluated(child), "{name}");
                assert_eq!(below + 1, edge.visits, "{name}");
            }
            nodes.push(child);
        }
    }
    count
}

#[test]
fn nothing_about_a_tree_is_recursive() {
    // Far more plies than the stack has room for calls.
    let (plies, stack) = (300_000, 1 << 16);
    let m = Position::startpos().move_from_usi("7g7f").unwrap();
    let tree = Tree::new();
    let root = tree.add_node().unwrap();
    let mut node = root;
    for _ in 0..plies {
        assert!(tree.expand(node, &[m]) && tree.make_counts(node));
        let child = tree.add_node().unwrap();
        assert!(tree.begin_child((node, 0)));
        tree.set_child((node, 0), Some(child));
        node = child;
    }
    let bytes = tree.bytes();
    let release = move || {
        tree.release(vec![root], None);
        // All of them can be had again.
        for _ in 0..plies {
            tree.add_node().unwrap();
        }
        tree.bytes()
    };
    let builder = thread::Builder::new().stack_size(stack);
    assert_eq!(builder.spawn(release).unwrap().join().unwrap(), bytes);
}
