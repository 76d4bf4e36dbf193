//! Values of all positions, component by component.

use book_graph::Components;
use book_graph::game::{CyclicGame, Move, Player, Target};
use shogi_core::Color;

use super::graph_moves::{Facts, GraphMoves};
use super::solution::{PERPETUAL, Rules, Solution};

/// Values of all nodes of `components`, the components of `moves`.
pub(super) fn solve(moves: &GraphMoves, components: &Components, rules: Rules) -> Solution {
    let mut solution = Solution::unknown(moves, rules);
    let mut local = vec![0; moves.len()];
    for nodes in components.iter() {
        if let &[node] = nodes {
            solution.solve_alone(moves, node);
        } else {
            solve_cyclic(&mut solution, moves, nodes, &mut local);
        }
    }
    solution
}

/// Gives all `nodes` of a component with cycles their values, those of the game in which nobody looks back
/// ([`book_graph::game`]). What is left of the cycles when the moves that repeat a position in any case are ended can be
/// entered at several places. The values of the nodes that the component leads to are there. `local` has a place for every
/// node of the book.
fn solve_cyclic(solution: &mut Solution, moves: &GraphMoves, nodes: &[u32], local: &mut [u32]) {
    for (number, &node) in nodes.iter().enumerate() {
        local[node as usize] = number as u32;
    }
    let inside = |target: u32| {
        let number = local[target as usize];
        (nodes.get(number as usize) == Some(&target)).then_some(number)
    };
    let mut game = CyclicGame::new(endless(solution, moves, nodes));
    for &node in nodes {
        let mover = match moves.facts[node as usize].color() {
            Color::Black => Player::First,
            Color::White => Player::Second,
        };
        let of_node = moves.range(node).enumerate().filter_map(|(place, at)| {
            let to = if let Some(to) = moves.target(at).and_then(inside) {
                Target::Node(to)
            } else {
                let worth = solution.worth(moves, node, at)?;
                Target::End {
                    value: worth.value,
                    depth: worth.depth,
                }
            };
            Some(Move {
                place: place as u16,
                to,
            })
        });
        game.add(mover, of_node);
    }
    let found = game.solve(|value| solution.before(value));
    for (&node, found) in nodes.iter().zip(found) {
        if let Some(found) = found {
            solution.set(node, found.place, found.value, found.depth);
        }
    }
}

/// Value for black of a game that stays among `nodes`: a draw, or perpetual check if one side is in
/// check whenever it moves.
fn endless(solution: &Solution, moves: &GraphMoves, nodes: &[u32]) -> i32 {
    let always_checked = |color: Color| {
        let mut facts = nodes.iter().map(|&node| moves.facts[node as usize]);
        facts.all(|facts| facts.color() != color || facts.has(Facts::CHECK))
    };
    match Color::ALL.map(always_checked) {
        [true, false] => PERPETUAL,
        [false, true] => -PERPETUAL,
        _ => solution.draw(),
    }
}
