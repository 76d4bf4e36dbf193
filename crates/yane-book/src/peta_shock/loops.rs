//! Step 2: perpetual check loops.

use super::arena::{Arena, Marks};

/// Positions on perpetual check loops.
#[derive(Debug)]
pub(super) struct Loops {
    /// Those in check.
    pub(super) in_check: Marks,
    /// These and the positions between two of them.
    pub(super) all: Marks,
}

/// Finds the perpetual check loops among the positions that are not constant.
///
/// Of the positions in check those are taken away, again and again, from which no two plies lead to
/// one that is left. What remains goes on for ever.
pub(super) fn find_loops(arena: &Arena, constant: &Marks) -> Loops {
    let mut left = Marks::new(arena.len());
    for node in arena.in_check().iter() {
        if !constant.has(node) {
            left.set(node);
        }
    }
    loop {
        let mut changed = false;
        let mut from = 0;
        while let Some(node) = left.next(from) {
            from = node.0 + 1;
            let goes_on = arena
                .children(node)
                .any(|child| arena.children(child).any(|next| left.has(next)));
            if !goes_on {
                left.clear(node);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mut all = left.clone();
    for node in left.iter() {
        for child in arena.children(node) {
            if arena.children(child).any(|next| left.has(next)) {
                all.set(child);
            }
        }
    }
    Loops {
        in_check: left,
        all,
    }
}
