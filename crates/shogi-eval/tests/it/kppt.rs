//! Three-piece evaluations: the values of another program, incremental sums, files.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use shogi_core::movegen::Legal;
use shogi_core::{Delta, Move, Position, Square, Undo};
use shogi_eval::kppt::{
    FileTables, KpptEvaluator, KpptLayout, KpptTable, KpptValue, Tables, evaluate,
};
use shogi_eval::{BonaPiece, Evaluator, MaterialEvaluator};
use test_support::SplitMix64;
use yane_base::random::name_hash;

// Mapped files: values come from the right places, and wrong files are refused.

/// Files of the right sizes without any data in them: they take no room on the disk.
fn empty_files(folder: &Path, layout: KpptLayout) {
    for table in KpptTable::ALL {
        let file = File::create(table.path(folder)).unwrap();
        file.set_len(layout.file_len(table)).unwrap();
    }
}

#[test]
#[cfg(unix)]
fn the_sizes_tell_the_kind() {
    for layout in [KpptLayout::Kppt, KpptLayout::KppKkpt] {
        let folder = tempfile::tempdir().unwrap();
        empty_files(folder.path(), layout);
        assert_eq!(FileTables::open(folder.path()).unwrap().layout(), layout);
    }
    let folder = tempfile::tempdir().unwrap();
    empty_files(folder.path(), KpptLayout::Kppt16);
    let problem = FileTables::open(folder.path()).unwrap_err().to_string();
    assert!(problem.contains("convert them to kppt32"), "{problem}");
    // One file of the other kind.
    let file = File::create(KpptTable::Kk.path(folder.path())).unwrap();
    file.set_len(KpptLayout::Kppt.file_len(KpptTable::Kk))
        .unwrap();
    let problem = FileTables::open(folder.path()).unwrap_err().to_string();
    assert!(
        problem.contains("KKP_synthesized.bin: 40625712 bytes, expected 81251424 (kppt32)"),
        "{problem}"
    );
}

/// Values of the synthetic tables are written to the files where the layout says, as far as a few
/// positions need them; then the files give the fixtures' values.
#[cfg(unix)]
mod mapped {
    use std::os::unix::fs::FileExt;

    use shogi_core::{Color, Position};
    use shogi_eval::PieceList;
    use shogi_eval::kppt::{KpptValue, Tables, evaluate};

    use super::{SyntheticTables, golden, *};

    const POSITIONS: usize = 4;

    struct Files {
        layout: KpptLayout,
        files: [File; 3],
    }

    impl Files {
        fn put(&self, table: KpptTable, entry: usize, value: KpptValue) {
            let single = self.layout == KpptLayout::KppKkpt && table == KpptTable::Kpp;
            let mut bytes = Vec::new();
            for part in [value.board, value.turn] {
                if table == KpptTable::Kpp {
                    bytes.extend((part as i16).to_le_bytes());
                } else {
                    bytes.extend(part.to_le_bytes());
                }
            }
            if single {
                bytes.truncate(2);
            }
            let offset = entry as u64 * bytes.len() as u64;
            let file = &self.files[table as usize];
            file.write_all_at(&bytes, offset).unwrap();
        }

        fn put_all(&self, tables: &SyntheticTables, position: &Position) {
            let list = PieceList::new(position);
            let [black, white] = Color::ALL.map(|color| list.king(color));
            let kings = black as usize * 81 + white as usize;
            self.put(KpptTable::Kk, kings, tables.kk(black, white));
            for piece in *list.view(Color::Black) {
                let value = tables.kkp(black, white, piece);
                self.put(KpptTable::Kkp, kings * 1548 + piece.index(), value);
            }
            for color in Color::ALL {
                let king = list.own_king(color);
                for &first in list.view(color) {
                    for &second in list.view(color) {
                        let row = king as usize * 1548 + first.index();
                        let value = tables.kpp(king, first, second);
                        self.put(KpptTable::Kpp, row * 1548 + second.index(), value);
                    }
                }
            }
        }
    }

    fn check(name: &str, layout: KpptLayout) {
        let folder = tempfile::tempdir().unwrap();
        empty_files(folder.path(), layout);
        let open = |table: KpptTable| {
            let path = table.path(folder.path());
            File::options().write(true).open(path).unwrap()
        };
        let files = Files {
            layout,
            files: KpptTable::ALL.map(open),
        };
        let synthetic = SyntheticTables::new(layout);
        // The last lines are handicaps and random placements.
        let rows: Vec<_> = golden(name).into_iter().rev().take(POSITIONS).collect();
        for (position, _) in &rows {
            files.put_all(&synthetic, position);
        }
        let tables = FileTables::open(folder.path()).unwrap();
        for (position, expected) in &rows {
            assert_eq!(evaluate(&tables, position), *expected);
        }
        let list = PieceList::new(&rows[0].0);
        let [black, white] = Color::ALL.map(|color| list.king(color));
        for &piece in list.view(Color::Black) {
            let value = tables.kkp(black, white, piece);
            assert_eq!(value, synthetic.kkp(black, white, piece));
        }
        let view = list.view(Color::White);
        let king = list.own_king(Color::White);
        for first in view {
            for second in view {
                let value = tables.kpp(king, *first, *second);
                assert_eq!(value, synthetic.kpp(king, *first, *second));
                assert_eq!(
                    tables.kpp_change(king, *first, *second, view),
                    synthetic.kpp_change(king, *first, *second, view)
                );
            }
        }
    }

    #[test]
    fn kppt() {
        check("kppt.jsonl", KpptLayout::Kppt);
    }

    #[test]
    fn kpp_kkpt() {
        check("kpp_kkpt.jsonl", KpptLayout::KppKkpt);
    }
}

// The fixtures' positions have the values that YaneuraOu gives them.

/// Positions and their values.
pub(crate) fn golden(name: &str) -> Vec<(Position, i32)> {
    let text = test_support::fixture_text(format!("eval/kppt/{name}"));
    let rows = text.lines().skip(1).map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let position = Position::from_sfen(row["sfen"].as_str().unwrap()).unwrap();
        (position, row["eval"].as_i64().unwrap() as i32)
    });
    rows.collect()
}

fn check(name: &str, layout: KpptLayout) {
    let tables = SyntheticTables::new(layout);
    let rows = golden(name);
    assert_eq!(rows.len(), 260);
    for (position, expected) in rows {
        assert_eq!(
            evaluate(&tables, &position),
            expected,
            "{}",
            position.to_sfen()
        );
    }
}

#[test]
fn kppt() {
    check("kppt.jsonl", KpptLayout::Kppt);
}

#[test]
fn kpp_kkpt() {
    check("kpp_kkpt.jsonl", KpptLayout::KppKkpt);
}

// The evaluator gives what evaluation from scratch gives, whatever is played and taken back.

const START_POSITIONS: [&str; 6] = [
    Position::STARTPOS_SFEN,
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    // Two and six pieces less, bare kings, and a problem without the attacker's king.
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/9/9/9/9/9/9/4K4 b RB2GSN2P 1",
    "4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1",
];

/// Plies in all, for each kind of tables.
const PLIES: usize = 10_000;

/// A line of play with the evaluator that follows it.
struct KpptWalk<'a> {
    tables: &'a Arc<SyntheticTables>,
    evaluator: KpptEvaluator<SyntheticTables>,
    position: Position,
    line: Vec<(Option<Move>, Undo)>,
}

impl KpptWalk<'_> {
    /// A legal move or, if `choice` says so, a pass. False when there is no move.
    fn play(&mut self, choice: usize) -> bool {
        if choice.is_multiple_of(16) && !self.position.in_check() {
            let undo = self.position.do_null_move();
            self.line.push((None, undo));
            self.evaluator.push(None);
            return true;
        }
        let moves = self.position.moves::<Legal>();
        if moves.is_empty() {
            return false;
        }
        let m = moves[choice % moves.len()];
        let undo = self.position.do_move_unchecked(m);
        let delta = Delta::new(&self.position, m, &undo);
        self.evaluator.push(Some(&delta));
        self.line.push((Some(m), undo));
        true
    }

    fn take_back(&mut self) -> bool {
        let Some((m, undo)) = self.line.pop() else {
            return false;
        };
        match m {
            Some(m) => self.position.undo_move(m, &undo),
            None => self.position.undo_null_move(&undo),
        }
        self.evaluator.pop();
        true
    }

    fn check(&mut self) {
        assert_eq!(
            self.evaluator.evaluate(&self.position),
            evaluate(&**self.tables, &self.position),
            "{}",
            self.position.to_sfen()
        );
    }
}

fn walk(tables: SyntheticTables) {
    let tables = Arc::new(tables);
    let mut random = SplitMix64::new(20_260_301);
    let mut plies = 0;
    let mut games = 0;
    while plies < PLIES {
        let sfen = START_POSITIONS[games % START_POSITIONS.len()];
        games += 1;
        let mut walk = KpptWalk {
            evaluator: KpptEvaluator::new(Arc::clone(&tables)),
            tables: &tables,
            position: Position::from_sfen(sfen).unwrap(),
            line: Vec::new(),
        };
        walk.evaluator.reset(&walk.position);
        for _ in 0..300 {
            let choice = random.index(1 << 24);
            if !walk.play(choice) {
                break;
            }
            plies += 1;
            // Several moves between evaluations, and some taken back.
            if choice.is_multiple_of(5) {
                walk.take_back();
                walk.take_back();
            }
            if !choice.is_multiple_of(3) {
                walk.check();
            }
        }
        while walk.take_back() {
            walk.check();
        }
    }
}

#[test]
fn kppt_walks() {
    walk(SyntheticTables::new(KpptLayout::Kppt));
}

#[test]
fn kpp_kkpt_walks() {
    walk(SyntheticTables::new(KpptLayout::KppKkpt));
}

/// No entry of a table is taken to be 0.
#[test]
fn missing_pieces_count() {
    walk(SyntheticTables::dense(KpptLayout::Kppt));
}

/// An evaluator that was never told a root takes the first position that it sees.
#[test]
fn the_first_position_is_the_root() {
    let tables = Arc::new(SyntheticTables::new(KpptLayout::Kppt));
    let position = Position::from_sfen(START_POSITIONS[1]).unwrap();
    let expected = evaluate(&*tables, &position);
    let mut evaluator = KpptEvaluator::new(tables);
    assert_eq!(evaluator.evaluate(&position), expected);
    assert_eq!(evaluator.clone().evaluate(&position), expected);
    let mut material = MaterialEvaluator::new();
    material.reset(&position);
    assert_ne!(material.evaluate(&position), expected);
}

// The pseudo-random tables of `fixtures/eval/kppt`: every value is computed when it is asked for.

const PIECES: u64 = BonaPiece::PIECE_END as u64;

/// Largest values of the board and the turn part.
const KK: [i64; 2] = [3000, 300];
const KKP: [i64; 2] = [400, 60];
const KPP: [i64; 2] = [400, 40];

/// Tables as the README of the fixtures defines them.
pub(crate) struct SyntheticTables {
    layout: KpptLayout,
    keys: [u64; 3],
    /// Pairs of a piece with itself and with no piece have values, too.
    dense: bool,
}

/// `SplitMix64`'s output number `i`, and a number of -`max`..=`max` from it.
fn value(key: u64, i: u64, max: i64) -> i32 {
    let bits = SplitMix64::nth(key, i);
    ((((bits >> 32) as i64) * (2 * max + 1)) >> 32) as i32 - max as i32
}

impl SyntheticTables {
    /// The tables of the fixtures: KPPT or `KPP_KKPT`.
    pub(crate) fn new(layout: KpptLayout) -> Self {
        Self {
            layout,
            keys: ["1/kk", "1/kkp", "1/kpp"].map(name_hash),
            dense: false,
        }
    }

    /// Tables without zeros: [`BonaPiece::NONE`] and pairs of a piece with itself have values as any
    /// other.
    pub(crate) fn dense(layout: KpptLayout) -> Self {
        Self {
            dense: true,
            ..Self::new(layout)
        }
    }

    fn pair(&self, table: usize, entry: u64, max: [i64; 2]) -> KpptValue {
        let value = |part| value(self.keys[table], 2 * entry + part, max[part as usize]);
        KpptValue {
            board: value(0),
            turn: value(1),
        }
    }
}

fn kings(black: Square, white: Square) -> u64 {
    (black.index() * Square::COUNT + white.index()) as u64
}

impl Tables for SyntheticTables {
    fn kk(&self, black: Square, white: Square) -> KpptValue {
        self.pair(0, kings(black, white), KK)
    }

    fn kkp(&self, black: Square, white: Square, piece: BonaPiece) -> KpptValue {
        if piece == BonaPiece::NONE && !self.dense {
            return KpptValue::default();
        }
        let entry = kings(black, white) * PIECES + piece.index() as u64;
        self.pair(1, entry, KKP)
    }

    fn kpp(&self, king: Square, first: BonaPiece, second: BonaPiece) -> KpptValue {
        let (a, b) = (first.max(second), first.min(second));
        if (a == b || b == BonaPiece::NONE) && !self.dense {
            return KpptValue::default();
        }
        let row = king.index() as u64 * PIECES + a.index() as u64;
        let entry = row * PIECES + b.index() as u64;
        if self.layout == KpptLayout::Kppt {
            self.pair(2, entry, KPP)
        } else {
            KpptValue {
                board: value(self.keys[2], entry, KPP[0]),
                turn: 0,
            }
        }
    }
}
