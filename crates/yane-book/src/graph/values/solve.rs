//! Values of all positions, component by component.

use super::components::Components;
use super::game;
use super::rows::Rows;
use super::solution::{Rules, Solution};

/// Values of all nodes of `components`, the components of `rows`.
pub(super) fn solve(rows: &Rows, components: &Components, rules: Rules) -> Solution {
    let mut solution = Solution::unknown(rows, rules);
    let mut local = vec![0; rows.len()];
    for nodes in components.iter() {
        if let &[node] = nodes {
            solution.solve_alone(rows, node);
        } else {
            game::solve(&mut solution, rows, nodes, &mut local);
        }
    }
    solution
}
