//! Strongly connected components: sets of positions each of which can be reached from every other.
//!
//! R. Tarjan, "Depth-first search and linear graph algorithms", 1972, without recursion.

/// Not visited.
const NEW: u32 = u32::MAX;

/// The components of the graph of `len` nodes that `next` tells: the target number `index` of a node, `None`
/// behind the last. Those that others lead to come first.
pub(super) fn components(len: usize, next: impl Fn(u32, usize) -> Option<u32>) -> Vec<Vec<u32>> {
    let mut search = Search {
        number: vec![NEW; len],
        low: vec![0; len],
        open: Vec::new(),
        is_open: vec![false; len],
        found: Vec::new(),
        count: 0,
    };
    let mut path: Vec<(u32, usize)> = Vec::new();
    for start in 0..len as u32 {
        if search.number[start as usize] != NEW {
            continue;
        }
        search.enter(start);
        path.push((start, 0));
        while let Some((node, index)) = path.last_mut() {
            let from = *node;
            let Some(to) = next(from, *index) else {
                path.pop();
                search.leave(from, path.last().map(|&(parent, _)| parent));
                continue;
            };
            *index += 1;
            if search.number[to as usize] == NEW {
                search.enter(to);
                path.push((to, 0));
            } else if search.is_open[to as usize] {
                let low = &mut search.low[from as usize];
                *low = (*low).min(search.number[to as usize]);
            }
        }
    }
    search.found
}

struct Search {
    /// By node: when it was entered.
    number: Vec<u32>,
    /// The earliest open node that can be reached.
    low: Vec<u32>,
    /// Nodes that are in no component yet.
    open: Vec<u32>,
    is_open: Vec<bool>,
    found: Vec<Vec<u32>>,
    count: u32,
}

impl Search {
    fn enter(&mut self, node: u32) {
        self.number[node as usize] = self.count;
        self.low[node as usize] = self.count;
        self.count += 1;
        self.open.push(node);
        self.is_open[node as usize] = true;
    }

    fn leave(&mut self, node: u32, parent: Option<u32>) {
        let low = self.low[node as usize];
        if let Some(parent) = parent {
            let above = &mut self.low[parent as usize];
            *above = (*above).min(low);
        }
        if low < self.number[node as usize] {
            return;
        }
        let at = self.open.iter().rposition(|&open| open == node);
        let members = self.open.split_off(at.unwrap_or(0));
        for &member in &members {
            self.is_open[member as usize] = false;
        }
        self.found.push(members);
    }
}
