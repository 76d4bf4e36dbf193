//! The miner's algorithm as it was written down, with nothing of the crate's: maps, recursion by a stack of boards,
//! flags on each move, boards with a1 as the highest bit, eight transformations tried in the order of the text.

use std::cmp::Ordering;
use std::collections::HashMap;

use othello_book::Edge;
use othello_book::edax::Record;

/// Own discs, the opponent's; a1 = bit 63.
type Pair = (u64, u64);

#[derive(Clone)]
struct Position {
    value: i32,
    /// Move (a1 = 0, pass 64), value, visited.
    links: Vec<(u8, i32, bool)>,
    leaf: Option<(u8, i32, bool)>,
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

fn load(records: &[Record]) -> HashMap<Pair, Position> {
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
        let position = Position {
            value: i32::from(record.value),
            links: record.links.iter().map(turned).collect(),
            leaf: (record.leaf.number != 65).then(|| turned(&record.leaf)),
        };
        let key = (record.board.mover(), record.board.opponent());
        book.entry(key).or_insert(position);
    }
    book
}

/// Lines of a mode, each with its end.
pub(crate) fn mine(records: &[Record], mode: u8) -> String {
    let mut book = load(records);
    let start = ((1 << 28) | (1 << 35), (1 << 27) | (1 << 36));
    let mut stack = vec![(start, String::new())];
    let mut output = String::new();
    while let Some((parent, kifu)) = stack.last().cloned() {
        let (key, by) = normalize(parent);
        let position = book.get_mut(&key).unwrap();
        let mut moves = position.links.iter_mut().chain(&mut position.leaf);
        let Some(next) = moves.find(|(_, _, visited)| !visited) else {
            stack.pop();
            continue;
        };
        next.2 = true;
        let (mv, edge) = (denormalize(by, next.0), next.1);
        let Some(board) = child(parent, mv) else {
            continue;
        };
        let (child_key, child_by) = normalize(board);
        let Some(position) = book.get(&child_key) else {
            continue;
        };
        let kifu = kifu + &name(mv);
        for (mv, _) in judge(mode, edge, position) {
            output.extend([
                kifu.clone(),
                name(denormalize(child_by, mv)),
                "\n".to_owned(),
            ]);
        }
        stack.push((board, kifu));
    }
    output
}

/// The moves of a position that come out.
fn judge(mode: u8, edge: i32, position: &Position) -> Vec<(u8, i32)> {
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
        _ => (max, -edge),
    };
    match other.cmp(&reference) {
        Ordering::Greater => all.into_iter().filter(|m| m.1 > reference).collect(),
        Ordering::Less => {
            let leaf = leaf.filter(|leaf| leaf.1 == max);
            let best = leaf.or_else(|| links.into_iter().find(|l| l.1 == max));
            best.into_iter().collect()
        }
        Ordering::Equal => Vec::new(),
    }
}
