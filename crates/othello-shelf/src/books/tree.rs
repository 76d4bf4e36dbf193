//! `book.tree`: the lines of a book from a position on.

use std::collections::{HashMap, VecDeque};

use othello_book::ops::{BookStep, book_steps_and_leaf};
use othello_book::store::PositionLookup;
use othello_core::{Board, Position};
use page_messages::{PageFailure, StopFlag};
use serde::{Deserialize, Serialize};

use crate::fields::LineFields;

/// Nodes of a tree at most.
const MOST: usize = 2_000;

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct TreeRequest {
    pub(super) book: String,
    #[serde(flatten)]
    line: LineFields,
    /// Moves from the position.
    #[serde(default = "usual_depth")]
    depth: u32,
    /// Nodes of the tree.
    #[serde(default = "usual_most")]
    most: usize,
    /// The greatest loss of a move, in discs.
    #[serde(default)]
    error: i32,
}

const fn usual_depth() -> u32 {
    6
}

const fn usual_most() -> usize {
    300
}

/// A tree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct TreeFields {
    nodes: Vec<NodeFields>,
    /// True if there are more lines.
    more: bool,
}

/// A position, with the move that leads to it.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct NodeFields {
    node: usize,
    parent: Option<usize>,
    #[serde(rename = "move")]
    mv: Option<String>,
    /// For who makes the move.
    v: Option<i32>,
    /// The share of its lines in those of all moves of its parent, 0 to 1.
    share: f64,
    lines: u32,
    leaf: bool,
    /// The node with the same position, behind which its moves are.
    again: Option<usize>,
}

/// A tree that grows level by level, so that a limit cuts the far ends of lines and not all but the first of them.
struct Tree<'a, P> {
    book: &'a P,
    fields: TreeFields,
    seen: HashMap<Board, usize>,
    todo: VecDeque<(usize, Position, u32)>,
}

/// Answers `book.tree`.
pub(super) fn tree(
    request: &TreeRequest,
    book: &impl PositionLookup,
    stop: &StopFlag,
) -> Result<TreeFields, PageFailure> {
    let root = request.line.position()?.after_forced_pass();
    let mut tree = Tree {
        book,
        fields: TreeFields {
            nodes: vec![NodeFields::root()],
            more: false,
        },
        seen: HashMap::from([(root.board().canonical().board, 0)]),
        todo: VecDeque::from([(0, root, 0)]),
    };
    let most = request.most.min(MOST);
    while let Some((node, position, depth)) = tree.todo.pop_front() {
        if stop.is_stopped() {
            break;
        }
        if depth < request.depth && !tree.grow(node, position, depth, request.error, most) {
            break;
        }
    }
    Ok(tree.fields)
}

impl NodeFields {
    const fn root() -> Self {
        Self {
            node: 0,
            parent: None,
            mv: None,
            v: None,
            share: 1.0,
            lines: 0,
            leaf: false,
            again: None,
        }
    }
}

impl<P: PositionLookup> Tree<'_, P> {
    /// Adds the moves of a position; false if there is no room for all of them.
    fn grow(
        &mut self,
        parent: usize,
        position: Position,
        depth: u32,
        error: i32,
        most: usize,
    ) -> bool {
        let steps = book_steps_and_leaf(self.book, position);
        let best = steps.first().map_or(0, |step| step.value);
        let lines: Vec<_> = steps.iter().map(|step| self.lines(step)).collect();
        let sum: u64 = lines.iter().map(|&lines| u64::from(lines.max(1))).sum();
        for (step, lines) in steps.iter().zip(lines) {
            if best - step.value > error {
                continue;
            }
            let node = self.fields.nodes.len();
            if node > most {
                self.fields.more = true;
                return false;
            }
            let board = step.position.board().canonical().board;
            let again = self.seen.get(&board).copied();
            self.fields.nodes.push(NodeFields {
                node,
                parent: Some(parent),
                mv: Some(step.square.to_string()),
                v: Some(step.value),
                share: f64::from(lines.max(1)) / sum.max(1) as f64,
                lines,
                leaf: step.is_leaf,
                again,
            });
            if again.is_none() && step.number.is_some() {
                self.seen.insert(board, node);
                self.todo.push_back((node, step.position, depth + 1));
            }
        }
        true
    }

    fn lines(&self, step: &BookStep) -> u32 {
        step.number
            .map_or(0, |number| self.book.known(number).lines)
    }
}
