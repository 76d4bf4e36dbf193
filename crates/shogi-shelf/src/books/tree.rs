//! `book.tree`: the lines of a book from a position on.

use std::collections::{HashMap, VecDeque};

use page_messages::{PageFailure, PageFile, StopFlag};
use serde::{Deserialize, Serialize};
use shogi_core::Position;
use yane_book::edit::{EditableMove, EntryMatching, FoundEntry, OverlaidBook};

use super::child::ChildState;
use crate::fields::{FindingFields, LineFields, NamesChoice, behind, book_failure, legal, usi};

/// Nodes of a tree at most.
const MOST: usize = 2_000;

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct TreeRequest {
    pub(super) book: String,
    #[serde(flatten)]
    line: LineFields,
    #[serde(flatten)]
    finding: FindingFields,
    #[serde(default)]
    names: NamesChoice,
    /// Moves from the position.
    #[serde(default = "usual_depth")]
    depth: u32,
    /// Nodes of the tree.
    #[serde(default = "usual_most")]
    most: usize,
    /// The greatest loss of a move, in centipawns.
    #[serde(default)]
    loss: Option<i32>,
    /// The least share of the count of a move, 0 to 1.
    #[serde(default)]
    share: Option<f64>,
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
    name: Option<String>,
    /// For who makes the move.
    score: Option<i32>,
    depth: Option<i32>,
    count: Option<String>,
    share: Option<f64>,
    loss: Option<i32>,
    child: ChildState,
    /// The node with the same position, behind which its moves are.
    again: Option<usize>,
    sfen: String,
}

/// A tree that grows level by level, so that a limit cuts the far ends of lines and not all but the first of them.
struct Tree<'a> {
    request: &'a TreeRequest,
    book: &'a OverlaidBook,
    finding: EntryMatching,
    fields: TreeFields,
    seen: HashMap<u128, usize>,
    todo: VecDeque<(usize, Position, u32)>,
}

/// Answers `book.tree`.
pub(super) fn tree(
    request: &TreeRequest,
    book: &OverlaidBook,
    file: &PageFile,
    stop: &StopFlag,
) -> Result<TreeFields, PageFailure> {
    let failed = |error| book_failure(&error, file);
    let root = request.line.game()?.position().clone();
    let finding = request.finding.into();
    let mut tree = Tree {
        request,
        book,
        finding,
        fields: TreeFields {
            nodes: vec![NodeFields {
                node: 0,
                parent: None,
                mv: None,
                name: None,
                score: None,
                depth: None,
                count: None,
                share: Some(1.0),
                loss: None,
                child: ChildState::of(book, &root, finding).map_err(failed)?,
                again: None,
                sfen: root.to_sfen(),
            }],
            more: false,
        },
        seen: HashMap::from([(root.key128(), 0)]),
        todo: VecDeque::from([(0, root, 0)]),
    };
    while let Some((node, position, depth)) = tree.todo.pop_front() {
        if stop.is_stopped() {
            break;
        }
        if depth < request.depth && !tree.grow(node, &position, depth).map_err(failed)? {
            break;
        }
    }
    Ok(tree.fields)
}

impl Tree<'_> {
    /// Adds the moves of a position; false if there is no room for all of them.
    fn grow(&mut self, parent: usize, position: &Position, depth: u32) -> yane_book::Result<bool> {
        let found = self.book.find(position, self.finding)?;
        let mut moves = found.map_or_else(Vec::new, FoundEntry::into_moves);
        let best = moves.iter().filter_map(|known| known.score).max();
        let counts = moves.iter().filter_map(|known| known.count);
        let counted = counts.fold(0, u64::saturating_add);
        // The best ones first: by score where there are any, else by count.
        moves.sort_by_key(|known| std::cmp::Reverse((known.score, known.count)));
        for known in &moves {
            let share = known.count.filter(|_| counted > 0);
            let share = share.map(|count| count as f64 / counted as f64);
            let loss = best
                .zip(known.score)
                .map(|(best, score)| best.saturating_sub(score));
            if !self.is_wanted(share, loss) {
                continue;
            }
            if self.fields.nodes.len() > self.request.most.min(MOST) {
                self.fields.more = true;
                return Ok(false);
            }
            self.add(parent, position, known, (share, loss), depth)?;
        }
        Ok(true)
    }

    fn is_wanted(&self, share: Option<f64>, loss: Option<i32>) -> bool {
        let too_rare = self
            .request
            .share
            .zip(share)
            .is_some_and(|(least, share)| share < least);
        let too_bad = self
            .request
            .loss
            .zip(loss)
            .is_some_and(|(most, loss)| loss > most);
        !too_rare && !too_bad
    }

    fn add(
        &mut self,
        parent: usize,
        position: &Position,
        known: &EditableMove,
        (share, loss): (Option<f64>, Option<i32>),
        depth: u32,
    ) -> yane_book::Result<()> {
        // What is not legal leads nowhere.
        let Some((mv, m)) = known.mv.and_then(|mv| Some((mv, legal(position, mv)?))) else {
            return Ok(());
        };
        let node = self.fields.nodes.len();
        let child = behind(position, m);
        let again = self.seen.get(&child.key128()).copied();
        let state = ChildState::of(self.book, &child, self.finding)?;
        self.fields.nodes.push(NodeFields {
            node,
            parent: Some(parent),
            mv: Some(usi(mv)),
            name: self.request.names.name(position, m, None),
            score: known.score,
            depth: known.depth,
            count: known.count.map(|count| count.to_string()),
            share,
            loss,
            child: state,
            again,
            sfen: child.to_sfen(),
        });
        if again.is_none() && state != ChildState::Missing {
            self.seen.insert(child.key128(), node);
            self.todo.push_back((node, child, depth + 1));
        }
        Ok(())
    }
}
