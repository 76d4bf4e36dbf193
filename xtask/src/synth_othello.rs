//! `cargo xtask synth-othello`: Edax books of any size, made of nothing but a seed.
//!
//! For measuring the miner and the tools for othello books. Positions are those of games from the start, wide at
//! first, then with one to three moves each, as `deviate` grows books; links are all moves to positions of the
//! book, as Edax makes them, so lines meet. Values are those of the best move, but for a few that are put wrong.
//! The order of records is that of a hash, as in real books. Same seed, same bytes, on every machine.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use othello_book::Edge;
use othello_book::edax::{EdaxHeader, EdaxRecord};
use othello_core::{Board, Move, State};
use yane_io::BulkFile;

use crate::outcome::Outcome;
use crate::{hash, workspace};

const EXAMPLES: &str = "\
Examples:
  cargo xtask synth-othello --positions 10000000 t10m.dat          450 MB, 10 million positions
  cargo xtask synth-othello --positions 100000 --wrong 0 sound.dat";

/// Write a synthetic othello book in Edax's format.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The file to write; replaced if it exists.
    out: PathBuf,
    /// Number of positions.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    positions: usize,
    /// Seed of the book.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Number of a million positions whose values are made wrong.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    wrong: u64,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    if let Some(outcome) = workspace::rerun_in_release() {
        return outcome;
    }
    let start = Instant::now();
    let book = Book::grow(args.positions, args.seed);
    let bytes = book.write(args)?;
    println!(
        "{}: {} positions, {bytes} bytes in {:.1} s",
        args.out.display(),
        book.boards.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(Outcome::Clean)
}

struct Book {
    /// Ply by ply, so that what follows a position comes behind it.
    boards: Vec<Board>,
    numbers: HashMap<Board, u32>,
    seed: u64,
}

impl Book {
    fn grow(positions: usize, seed: u64) -> Self {
        let mut book = Self {
            boards: vec![Board::START],
            numbers: HashMap::from([(Board::START, 0)]),
            seed,
        };
        let mut next = 0;
        while next < book.boards.len() && book.boards.len() < positions {
            let board = book.boards[next];
            next += 1;
            let moves = moves(board);
            let random = hash::of_board(board, seed);
            // All moves of the first plies, then fewer and fewer.
            let take = match board.discs() {
                0..=8 => moves.len() as u64,
                9..=12 => 2 + random % 4,
                _ => 1 + u64::from(random.is_multiple_of(4)) + u64::from(random.is_multiple_of(16)),
            };
            for n in 0..take.min(moves.len() as u64) {
                let chosen = (random >> 8).wrapping_add(n) as usize % moves.len();
                if let Some(child) = board.after(moves[chosen])
                    && book.boards.len() < positions
                {
                    book.add(child.canonical().board);
                }
            }
        }
        book
    }

    fn add(&mut self, board: Board) {
        let number = self.boards.len() as u32;
        if let std::collections::hash_map::Entry::Vacant(vacant) = self.numbers.entry(board) {
            vacant.insert(number);
            self.boards.push(board);
        }
    }

    /// The record of a board, given the values of those behind it.
    fn record(&self, board: Board, values: &[i8]) -> EdaxRecord {
        let random = hash::of_board(board, self.seed ^ 1);
        let mut links = Vec::new();
        let mut free = None;
        for mv in moves(board) {
            let child = board.after(mv).map(|child| child.canonical().board);
            match child.and_then(|child| self.numbers.get(&child)) {
                Some(&number) => links.push(Edge::new(-values[number as usize], mv)),
                None if free.is_none() => free = Some(mv),
                None => {}
            }
        }
        links.sort_by_key(|link| -link.score);
        let score = (random % 17) as i8 - 8;
        let leaf = match (free, links.first()) {
            (None, _) => Edge::NO_LEAF,
            (Some(mv), None) => Edge::new(score, mv),
            // Seldom better than what is in the book.
            (Some(mv), Some(best)) => {
                Edge::new(best.score.saturating_add(score.min(1)).max(-64), mv)
            }
        };
        let best = links.iter().map(|link| link.score).max();
        let value = best.map_or(leaf.score, |best| best.max(leaf.score));
        let value = if board.state() == State::Over {
            board.score() as i8
        } else {
            value
        };
        EdaxRecord {
            board,
            wins: 0,
            draws: 0,
            losses: 0,
            lines: 1,
            value: i16::from(value),
            lower: i16::from(value) - 2,
            upper: i16::from(value) + 2,
            level: 21,
            links,
            leaf,
        }
    }

    fn write(&self, args: &Args) -> Result<u64> {
        let mut values = vec![0i8; self.boards.len()];
        for (n, &board) in self.boards.iter().enumerate().rev() {
            values[n] = self.record(board, &values).value as i8;
        }
        let mut order: Vec<u32> = (0..self.boards.len() as u32).collect();
        order.sort_by_cached_key(|&n| hash::of_board(self.boards[n as usize], 2));
        let header = EdaxHeader {
            n_nodes: self.boards.len() as i32,
            ..EdaxHeader::default()
        };
        let mut file = BulkFile::create(&args.out)?;
        file.put(&header.to_bytes())?;
        let mut bytes = EdaxHeader::LEN as u64;
        let mut text = Vec::new();
        for n in order {
            let mut record = self.record(self.boards[n as usize], &values);
            let random = hash::of_board(record.board, self.seed ^ 3);
            if random % 1_000_000 < args.wrong {
                match record.links.last_mut() {
                    Some(link) => link.score = link.score.saturating_add(3),
                    None => record.value -= 2,
                }
            }
            text.clear();
            record.write_to(&mut text);
            bytes += text.len() as u64;
            file.put(&text)?;
        }
        file.commit()?;
        Ok(bytes)
    }
}

fn moves(board: Board) -> Vec<Move> {
    match board.state() {
        State::Moves => board.legal_moves().iter().map(Move::Place).collect(),
        State::Pass => vec![Move::Pass],
        State::Over => Vec::new(),
    }
}
