//! Which file of a crate needs which, and where that goes round in circles.

use std::collections::{BTreeMap, BTreeSet};

use book_graph::{Graph, components};

use super::modules::{Crate, Segments};

/// An edge: a file, one that it needs, and the paths by which it does.
pub(super) type Edges = BTreeMap<(usize, usize), BTreeSet<String>>;

/// Re-exports that lead on to others at most; more are a circle of names.
const MAX_STEPS: usize = 20;

/// Returns which file needs which.
pub(super) fn edges(tree: &Crate) -> Edges {
    let mut edges = Edges::new();
    for (number, module) in tree.modules.iter().enumerate() {
        for (path, is_glob) in &module.named {
            let target = match resolve(tree, number, path, MAX_STEPS) {
                Some(Place::Item(target)) => target,
                Some(Place::Module(target)) if *is_glob => target,
                // A module by itself: what is used of it is another path.
                _ => continue,
            };
            let (from, to) = (module.file, tree.modules[target].file);
            if from != to {
                edges.entry((from, to)).or_default().insert(path.join("::"));
            }
        }
    }
    edges
}

/// What a path names: a module, or an item with the module that declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Module(usize),
    Item(usize),
}

/// Follows a path from `module` on. `None` if it leads out of the crate, or to a name of a function's own.
fn resolve(tree: &Crate, module: usize, path: &Segments, steps: usize) -> Option<Place> {
    let mut segments = path.iter().peekable();
    let mut here = module;
    let mut is_inside = false;
    while let Some(&segment) = segments.peek() {
        match segment.as_str() {
            "crate" => here = 0,
            "self" => {}
            "super" => here = tree.modules[here].parent?,
            _ => break,
        }
        is_inside = true;
        segments.next();
    }
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        match look_up(tree, here, segment, is_last, steps) {
            Some(Place::Module(next)) => here = next,
            Some(item) => return Some(item),
            // Behind `crate` or a module of it: a name that a macro makes, or a variant.
            None => return is_inside.then_some(Place::Item(here)),
        }
        is_inside = true;
    }
    Some(Place::Module(here))
}

/// What a name means in a module.
fn look_up(tree: &Crate, module: usize, name: &str, is_last: bool, steps: usize) -> Option<Place> {
    let own = &tree.modules[module];
    let child = own.children.get(name).copied().map(Place::Module);
    if !is_last && child.is_some() {
        return child;
    }
    if own.declared.contains(name) {
        return Some(Place::Item(module));
    }
    let steps = steps.checked_sub(1)?;
    let imported = own
        .imported
        .get(name)
        // `use anyhow;` and `use x::{self}` of another crate lead to themselves.
        .filter(|path| path.len() > 1 || path[0] != name)
        .and_then(|path| resolve(tree, module, path, steps));
    if imported.is_some() || child.is_some() {
        return imported.or(child);
    }
    own.globs.iter().find_map(|glob| {
        let Place::Module(target) = resolve(tree, module, glob, steps)? else {
            return None;
        };
        look_up(tree, target, name, is_last, steps)
    })
}

/// Returns the circles: files that all need one another, two or more.
pub(super) fn circles(files: usize, edges: &Edges) -> Vec<Vec<usize>> {
    let pairs: Vec<(u32, u32)> = edges
        .keys()
        .map(|&(from, to)| (from as u32, to as u32))
        .collect();
    let graph = Graph::new(files, &pairs);
    let found = components(graph.forward(), 0..files as u32);
    let mut circles: Vec<Vec<usize>> = found
        .iter()
        .filter(|component| component.len() > 1)
        .map(|component| {
            let mut files: Vec<usize> = component.iter().map(|&file| file as usize).collect();
            files.sort_unstable();
            files
        })
        .collect();
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}
