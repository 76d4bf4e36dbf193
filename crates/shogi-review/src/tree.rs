//! The positions of a record in the order in which they are analysed.

use shogi_core::{Game, Move};
use shogi_kifu::{GameNodeId, GameRecord};

/// A position of a record: that after a node's move, or the start.
#[derive(Clone, Debug)]
pub(crate) struct TreePosition {
    /// Its node.
    pub(crate) node: GameNodeId,
    /// The index of the position before it in the list; none for the start.
    pub(crate) before: Option<usize>,
    /// The move that leads here.
    pub(crate) mv: Option<Move>,
    /// Moves from the start.
    pub(crate) ply: usize,
    /// The line: 0 is the game, others are variations.
    pub(crate) line: usize,
}

/// The positions of a record up to the first move against the rules of each line: the start, the game, then variations. Each comes after
/// the one before it in the game.
pub(crate) fn positions(record: &GameRecord, with_variations: bool) -> Vec<TreePosition> {
    let start = TreePosition {
        node: GameRecord::ROOT,
        before: None,
        mv: None,
        ply: 0,
        line: 0,
    };
    let mut found = vec![start];
    // Where lines begin: the position before them, and their first node.
    let mut lines = vec![(0, record.node(GameRecord::ROOT).children().first().copied())];
    let mut line = 0;
    let mut begun = 0;
    while begun < lines.len() {
        let (mut before, mut next) = lines[begun];
        begun += 1;
        let mut is_empty = true;
        while let Some(node) = next {
            let siblings = record.node(found[before].node).children();
            if with_variations && siblings.first() == Some(&node) {
                lines.extend(siblings[1..].iter().map(|&other| (before, Some(other))));
            }
            let Some(mv) = record.node(node).legal_move() else {
                break;
            };
            is_empty = false;
            let ply = found[before].ply + 1;
            found.push(TreePosition {
                node,
                before: Some(before),
                mv: Some(mv),
                ply,
                line,
            });
            before = found.len() - 1;
            next = record.node(node).children().first().copied();
        }
        line += usize::from(!is_empty || begun == 1);
    }
    found
}

/// The game up to a position.
pub(crate) fn game_at(record: &GameRecord, positions: &[TreePosition], index: usize) -> Game {
    let path = std::iter::successors(positions.get(index), |position| {
        position.before.and_then(|before| positions.get(before))
    });
    let mut moves: Vec<Move> = path.filter_map(|position| position.mv).collect();
    moves.reverse();
    let mut game = Game::new(record.start().clone());
    for m in moves {
        // The record says that it is legal.
        if game.try_play(m).is_err() {
            break;
        }
    }
    game
}
