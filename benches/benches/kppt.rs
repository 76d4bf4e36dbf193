//! Evaluations with three-piece tables, from scratch and incrementally.
//!
//! `cargo bench -p benches --bench kppt` writes tables of pseudo-random values to a temporary
//! folder (1.3 GB, removed at the end; `TMPDIR` says where) and wants as much free memory.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use shogi_core::movegen::Legal;
use shogi_core::{Delta, Position};
use shogi_eval::Evaluator;
use shogi_eval::kppt::{FileTables, KpptEvaluator, KpptLayout, KpptTable, evaluate};

static FOLDER: OnceLock<PathBuf> = OnceLock::new();

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    FOLDER.get_or_init(|| folder.path().to_owned());
    divan::main();
}

const LAYOUTS: [&str; 2] = ["kppt32", "kpp_kkpt32"];

/// The tables of a kind; the files are made when they are first asked for.
fn tables(name: &str) -> Arc<FileTables> {
    let folder = FOLDER.get().expect("main set it").join(name);
    let layout = KpptLayout::from_name(name).expect("a kind");
    if !folder.exists() {
        fs::create_dir(&folder).expect("the temporary folder is writable");
        for table in KpptTable::ALL {
            let path = table.path(&folder);
            write_random(&path, layout.file_len(table)).expect("room for the tables");
        }
    }
    Arc::new(FileTables::open(&folder).expect("the files are right"))
}

fn write_random(path: &Path, len: u64) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let mut state = 0x9E3779B97F4A7C15u64;
    for _ in 0..len.div_ceil(4) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // Four bytes: two small values of 16 bits.
        file.write_all(&(state as u32 & 0x00FF_00FF).to_le_bytes())?;
    }
    file.flush()?;
    file.get_ref().set_len(len)
}

fn positions() -> Vec<Position> {
    let text = test_support::fixture_text("eval/kppt/kppt.jsonl");
    let rows = text.lines().skip(1).map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        Position::from_sfen(row["sfen"].as_str().expect("text")).expect("an SFEN")
    });
    rows.collect()
}

/// The calls that a search makes to an evaluator.
enum Step {
    Root(Box<Position>),
    Push(Box<(Delta, Position)>),
    Pop,
}

/// Walks a tree of at most `WIDTH` moves a position.
const WIDTH: usize = 6;
const DEPTH: usize = 3;

fn tree(position: &mut Position, depth: usize, steps: &mut Vec<Step>) {
    if depth == 0 {
        return;
    }
    let moves = position.moves::<Legal>();
    let every = moves.len().div_ceil(WIDTH).max(1);
    for &m in moves.iter().step_by(every) {
        let undo = position.do_move_unchecked(m);
        let delta = Delta::new(position, m, &undo);
        steps.push(Step::Push(Box::new((delta, position.clone()))));
        tree(position, depth - 1, steps);
        steps.push(Step::Pop);
        position.undo_move(m, &undo);
    }
}

/// Every position once, all pairs summed.
#[divan::bench(args = LAYOUTS)]
fn from_scratch(bencher: Bencher<'_, '_>, layout: &str) {
    let tables = tables(layout);
    let positions = positions();
    bencher
        .counter(ItemsCount::new(positions.len()))
        .bench(|| -> i32 {
            let values = positions.iter().map(|p| evaluate(&*tables, black_box(p)));
            values.sum()
        });
}

/// Small trees below many positions, every node evaluated: most rows come from memory.
#[divan::bench(args = LAYOUTS)]
fn incremental(bencher: Bencher<'_, '_>, layout: &str) {
    walk(bencher, layout, positions().into_iter().step_by(8));
}

/// A small tree below one position: all rows are in the cache.
#[divan::bench(args = LAYOUTS, sample_count = 2000)]
fn incremental_cached(bencher: Bencher<'_, '_>, layout: &str) {
    walk(bencher, layout, positions().into_iter().take(1));
}

fn walk(bencher: Bencher<'_, '_>, layout: &str, roots: impl Iterator<Item = Position>) {
    let mut steps = Vec::new();
    for mut position in roots {
        steps.push(Step::Root(Box::new(position.clone())));
        tree(&mut position, DEPTH, &mut steps);
    }
    let evaluations = steps.iter().filter(|step| !matches!(step, Step::Pop));
    let mut evaluator = KpptEvaluator::new(tables(layout));
    bencher
        .counter(ItemsCount::new(evaluations.count()))
        .bench_local(|| {
            let mut sum = 0;
            for step in black_box(&steps) {
                match step {
                    Step::Root(position) => {
                        evaluator.reset(position);
                        sum += evaluator.evaluate(position);
                    }
                    Step::Push(node) => {
                        evaluator.push(Some(&node.0));
                        sum += evaluator.evaluate(&node.1);
                    }
                    Step::Pop => evaluator.pop(),
                }
            }
            sum
        });
}
