//! The miner's algorithm as it was written down, and what its versions do otherwise, with nothing of the crate's: maps,
//! recursion, flags on each move, boards with a1 as the highest bit, eight transformations tried in the order of the
//! text.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use othello_book::Edge;
use othello_book::edax::EdaxRecord;
use othello_book::miner::{Dialect, MineLimits};

/// Own discs, the opponent's; a1 = bit 63.
type Pair = (u64, u64);

#[derive(Clone)]
struct Position {
    value: i32,
    /// Move (a1 = 0, pass 64), value, visited.
    links: Vec<(u8, i32, bool)>,
    leaf: Option<(u8, i32, bool)>,
    /// As it stands in the book, also where it is none.
    raw_leaf: (u8, i32),
}

/// A transformation of squares, file and rank from 0.
type Transformation = fn(u8, u8) -> (u8, u8);

/// Nothing, turns by 90, 180 and 270 degrees, mirrored top to bottom, left to right, at both diagonals.
const TRANSFORMATIONS: [Transformation; 8] = [
    |file, rank| (file, rank),
    |file, rank| (7 - rank, file),
    |file, rank| (7 - file, 7 - rank),
    |file, rank| (rank, 7 - file),
    |file, rank| (file, 7 - rank),
    |file, rank| (7 - file, rank),
    |file, rank| (rank, file),
    |file, rank| (7 - rank, 7 - file),
];

fn transform_move(by: Transformation, mv: u8) -> u8 {
    if mv >= 64 {
        return mv;
    }
    let (file, rank) = by(mv % 8, mv / 8);
    rank * 8 + file
}

fn transform_bits(by: Transformation, bits: u64) -> u64 {
    (0..64)
        .filter(|&mv| bits & bit(mv) != 0)
        .fold(0, |all, mv| all | bit(transform_move(by, mv)))
}

fn bit(mv: u8) -> u64 {
    1 << (63 - mv)
}

/// The smallest of the eight boards, and the transformation to it.
fn normalize((my, opponent): Pair) -> (Pair, Transformation) {
    let boards =
        TRANSFORMATIONS.map(|by| ((transform_bits(by, my), transform_bits(by, opponent)), by));
    let smallest = boards.iter().map(|(board, _)| *board).min().unwrap();
    *boards.iter().find(|(board, _)| *board == smallest).unwrap()
}

/// The move before the transformation.
fn denormalize(by: Transformation, mv: u8) -> u8 {
    (0..=mv.max(63))
        .find(|&from| transform_move(by, from) == mv)
        .unwrap()
}

fn flips((my, opponent): Pair, mv: u8) -> u64 {
    let mut all = 0;
    if (my | opponent) & bit(mv) != 0 {
        return 0;
    }
    for (right, down) in [
        (1, 0),
        (1, 1),
        (0, 1),
        (-1, 1),
        (-1, 0),
        (-1, -1),
        (0, -1),
        (1, -1),
    ] {
        let (mut file, mut rank, mut run) = (mv as i32 % 8 + right, mv as i32 / 8 + down, 0);
        while (0..8).contains(&file) && (0..8).contains(&rank) {
            let here = bit((rank * 8 + file) as u8);
            if opponent & here == 0 {
                all |= if my & here == 0 { 0 } else { run };
                break;
            }
            run |= here;
            (file, rank) = (file + right, rank + down);
        }
    }
    all
}

fn can_move(pair: Pair) -> bool {
    (0..64).any(|mv| flips(pair, mv) != 0)
}

/// The board after a move; none if it is against the rules.
fn child((my, opponent): Pair, mv: u8) -> Option<Pair> {
    if mv == 64 {
        let passes = !can_move((my, opponent)) && can_move((opponent, my));
        return passes.then_some((opponent, my));
    }
    let flips = if mv < 64 {
        flips((my, opponent), mv)
    } else {
        0
    };
    (flips != 0).then(|| (opponent & !flips, my | flips | bit(mv)))
}

/// The word of a move in a transcript.
fn name(mv: u8) -> String {
    if mv == 64 {
        return String::new();
    }
    format!("{}{}", (b'a' + mv % 8) as char, mv / 8 + 1)
}

fn load(records: &[EdaxRecord]) -> HashMap<Pair, Position> {
    let mut book = HashMap::new();
    for record in records {
        let turned = |edge: &Edge| {
            let mv = if edge.number < 64 {
                63 - edge.number
            } else {
                edge.number
            };
            (mv, i32::from(edge.score), false)
        };
        let leaf = turned(&record.leaf);
        let position = Position {
            value: i32::from(record.value),
            links: record.links.iter().map(turned).collect(),
            leaf: (record.leaf.number != 65).then_some(leaf),
            raw_leaf: (leaf.0, leaf.1),
        };
        let key = (record.board.mover(), record.board.opponent());
        book.entry(key).or_insert(position);
    }
    book
}

/// A search as it was written down, or as versions of the program do it.
pub(crate) struct Reference {
    book: HashMap<Pair, Position>,
    mode: u8,
    dialect: Dialect,
    limits: MineLimits,
    output: String,
    /// Lines of modes 6 and 7.
    reported: HashSet<String>,
}

/// A way from the start.
#[derive(Clone)]
struct Way {
    board: Pair,
    kifu: String,
    plies: u32,
    lost: u32,
}

/// Lines of a mode, each with its end.
pub(crate) fn mine(
    records: &[EdaxRecord],
    mode: u8,
    dialect: Dialect,
    limits: MineLimits,
) -> String {
    let mut reference = Reference {
        book: load(records),
        mode,
        dialect,
        limits,
        output: String::new(),
        reported: HashSet::new(),
    };
    let start = Way {
        board: ((1 << 28) | (1 << 35), (1 << 27) | (1 << 36)),
        kifu: String::new(),
        plies: 0,
        lost: 0,
    };
    match dialect {
        Dialect::V1 => reference.follow_v1(start.board, ""),
        Dialect::Seed | Dialect::V2 => reference.follow(&start),
    }
    reference.output
}

impl Reference {
    /// Takes all moves of a position that were not visited.
    fn follow(&mut self, way: &Way) {
        if self.limits.plies.is_some_and(|max| way.plies >= max) {
            return;
        }
        let (key, by) = normalize(way.board);
        while let Some((mv, edge, is_leaf)) = self.visit(key, by) {
            let Some(board) = child(way.board, mv) else {
                continue;
            };
            let value = self.book[&key].value;
            let lost = self.lose(value, mv, edge, way.lost);
            let (child_key, child_by) = normalize(board);
            let kifu = way.kifu.clone() + &name(mv);
            let Some(position) = self.book.get(&child_key) else {
                if is_leaf && lost.is_some() && self.mode >= 6 {
                    self.replies(board, &kifu);
                }
                continue;
            };
            let plies = way.plies + 1;
            let (Some(lost), false) = (lost, self.limits.plies.is_some_and(|max| plies >= max))
            else {
                continue;
            };
            for (mv, score) in judge(self.mode, self.dialect, edge, position) {
                if self.lose(position.value, mv, score, lost).is_some() {
                    let last = name(denormalize(child_by, mv));
                    self.output.extend([kifu.as_str(), &last, "\n"]);
                }
            }
            self.follow(&Way {
                board,
                kifu,
                plies,
                lost,
            });
        }
    }

    /// The next move that was not visited, with its value and whether it is the leaf; it is visited now.
    fn visit(&mut self, key: Pair, by: Transformation) -> Option<(u8, i32, bool)> {
        let position = self.book.get_mut(&key).unwrap();
        let links = position.links.iter_mut().map(|link| (link, false));
        let moves = links.chain(position.leaf.iter_mut().map(|leaf| (leaf, true)));
        let (next, is_leaf) = { moves }.find(|((_, _, visited), _)| !visited)?;
        let mv = denormalize(by, next.0);
        if self.dialect == Dialect::V1 && is_leaf && mv == 0 && next.1 == 0 {
            return None;
        }
        next.2 = true;
        Some((mv, next.1, is_leaf))
    }

    /// The loss of a move, if that is within the limits.
    fn lose(&self, value: i32, mv: u8, score: i32, lost: u32) -> Option<u32> {
        let loss = if mv == 64 { 0 } else { (value - score).max(0) } as u32;
        let too_much = self.limits.error.is_some_and(|max| loss > max)
            || self.limits.sum.is_some_and(|max| lost + loss > max);
        (!too_much).then_some(lost + loss)
    }

    /// Replies to a leaf that lead back into the book, from h8 on.
    fn replies(&mut self, board: Pair, kifu: &str) {
        let board = if can_move(board) {
            board
        } else {
            (board.1, board.0)
        };
        for mv in (0..64).rev() {
            let Some(after) = child(board, mv) else {
                continue;
            };
            if self.book.contains_key(&normalize(after).0) {
                let last = if self.mode == 6 {
                    name(mv)
                } else {
                    String::new()
                };
                let line = format!("{kifu}{last}\n");
                if self.reported.insert(line.clone()) {
                    self.output += &line;
                }
            }
        }
    }

    /// As the oldest version does: what led nowhere stays in the line until a move leads somewhere.
    fn follow_v1(&mut self, board: Pair, kifu: &str) {
        let (key, by) = normalize(board);
        let parent_value = self.book[&key].value;
        let mut line = kifu.to_owned();
        while let Some((mv, edge, is_leaf)) = self.visit(key, by) {
            let reached = child(board, mv).filter(|&child| {
                let key = normalize(child).0;
                self.book.contains_key(&key)
            });
            let word = if mv == 64 {
                "Pass".to_owned()
            } else {
                name(mv)
            };
            let Some(reached) = reached else {
                if mv < 64 && !is_leaf {
                    line += &word;
                }
                continue;
            };
            let (child_key, child_by) = normalize(reached);
            let shown = format!("{line}{word}");
            for mv in judge_v1(self.mode, parent_value, edge, &self.book[&child_key]) {
                let mv = denormalize(child_by, mv);
                let last = format!("{}{}", (b'a' + mv % 8) as char, mv / 8 + 1);
                self.output.extend([shown.as_str(), &last, "\n"]);
            }
            let kept = if mv == 64 { &line } else { &shown };
            self.follow_v1(reached, &kept.clone());
            kifu.clone_into(&mut line);
        }
    }
}

/// The moves of a position that come out in the oldest version.
fn judge_v1(mode: u8, parent_value: i32, edge: i32, position: &Position) -> Vec<u8> {
    let links = &position.links;
    let (leaf_move, leaf) = position.raw_leaf;
    let best_link = links.iter().map(|l| l.1).fold(-64, i32::max);
    if mode == 1 {
        let found = !links.is_empty() && leaf > best_link;
        return if found { vec![leaf_move] } else { Vec::new() };
    }
    let best = best_link.max(leaf);
    let mismatch = match mode {
        2 => position.value != best,
        3 => edge != -position.value,
        _ => edge != -best,
    };
    if !mismatch {
        return Vec::new();
    }
    // Looked for again, without a bottom.
    let best = links.iter().map(|l| l.1).fold(leaf, i32::max);
    let (is_greater, reference) = match mode {
        2 => (best > position.value, -position.value),
        3 => (-position.value > parent_value, -parent_value),
        _ => (-best > parent_value, -parent_value),
    };
    if is_greater {
        let all = links.iter().map(|l| (l.0, l.1)).chain([(leaf_move, leaf)]);
        return all.filter(|m| m.1 > reference).map(|m| m.0).collect();
    }
    let mut single = 0;
    if let Some(link) = links.iter().find(|l| l.1 == best) {
        single = link.0;
    }
    if leaf == best {
        single = leaf_move;
    }
    vec![single]
}

/// The moves of a position that come out.
fn judge(mode: u8, dialect: Dialect, edge: i32, position: &Position) -> Vec<(u8, i32)> {
    let links: Vec<_> = position.links.iter().map(|l| (l.0, l.1)).collect();
    let leaf = position.leaf.map(|l| (l.0, l.1));
    if mode == 1 {
        let best = links.iter().map(|l| l.1).max();
        return match (best, leaf) {
            (Some(best), Some(leaf)) if leaf.1 > best => vec![leaf],
            _ => Vec::new(),
        };
    }
    let all: Vec<_> = links.iter().copied().chain(leaf).collect();
    let Some(max) = all.iter().map(|m| m.1).max() else {
        return Vec::new();
    };
    let (other, reference) = match mode {
        2 => (max, position.value),
        3 => (position.value, -edge),
        4 => (max, -edge),
        _ => return Vec::new(),
    };
    let order = match other.cmp(&reference) {
        // The newer version takes the side of the one who moved before.
        order if mode == 3 && dialect == Dialect::V2 => order.reverse(),
        order => order,
    };
    match order {
        Ordering::Greater => all.into_iter().filter(|m| m.1 > reference).collect(),
        Ordering::Less => {
            let leaf = leaf.filter(|leaf| leaf.1 == max);
            let best = leaf.or_else(|| links.into_iter().find(|l| l.1 == max));
            best.into_iter().collect()
        }
        Ordering::Equal => Vec::new(),
    }
}
