//! Teacher positions replaced by the leaves of their quiescence search.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use pack_format::psv::Psv;
use pack_format::record::{TeacherRecord, TeacherRecordProblem};
use pack_format::stream::Input;
use pack_format::{MoverOutcome, TeacherFormat, TeacherScore, kind};
use shogi_core::{Game, Move16};
use shogi_packed::{PackError, PackedSfen};
use thiserror::Error;
use yane_io::{BulkFile, ChunkReader, Overwrite};

use crate::alpha_beta::searcher::Searcher;
use crate::thinker::ThinkerPool;

/// An error of [`qsearch_psv`]. Nothing was written then.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum QsearchError {
    /// The system refuses a file, or the run was stopped.
    #[error("{0}")]
    File(#[from] yane_io::Error),
    /// The input is no psv file.
    #[error(transparent)]
    Kind(#[from] pack_format::TeacherError),
    /// A record cannot be read.
    #[error("{}: byte {at}: {problem}", path.display())]
    Record {
        /// The input.
        path: PathBuf,
        /// Offset of the error in the file.
        at: u64,
        /// The error.
        problem: TeacherRecordProblem,
    },
    /// The leaf of a record cannot be packed.
    #[error("{}: byte {at}: {source}", path.display())]
    Leaf {
        /// The input.
        path: PathBuf,
        /// Offset of the record in the file.
        at: u64,
        /// The error.
        source: PackError,
    },
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
}

/// The counts of a run of [`qsearch_psv`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QsearchSummary {
    /// All records.
    pub records: u64,
    /// Records whose position was not quiet.
    pub replaced: u64,
    /// Plies to the deepest leaf.
    pub deepest: usize,
}

impl QsearchSummary {
    fn add(&mut self, other: Self) {
        self.records += other.records;
        self.replaced += other.replaced;
        self.deepest = self.deepest.max(other.deepest);
    }
}

/// Records that a thread works on at once.
const BATCH: usize = 1024;

/// Replaces every position of the psv file `input` by the quiet one that it leads to, and writes `output`: with a
/// thread for each of `searchers`, in the order of the input. Score and result are for the side to move at the leaf; a
/// record that changes has no move.
///
/// # Errors
/// See [`QsearchError`]; [`yane_io::Error::Cancelled`] when `stop` is set meanwhile.
pub fn qsearch_psv(
    input: &Path,
    output: &Path,
    searchers: Vec<Searcher>,
    stop: &AtomicBool,
) -> Result<QsearchSummary, QsearchError> {
    let _claim = Overwrite::Refuse.claim(output, &[input])?;
    kind::require(&Input::named(input), TeacherFormat::Psv)?;
    let mut reader = ChunkReader::records(input, BATCH * Psv::LEN, Psv::LEN)?;
    let mut file = BulkFile::create(output)?;
    let read = || {
        if stop.load(Ordering::Relaxed) {
            return Some(Err(yane_io::Error::Cancelled.into()));
        }
        let chunk = reader.next_chunk().transpose()?;
        Some(chunk.map_err(QsearchError::from))
    };
    let work = |searcher: &mut Searcher, chunk| batch(input, chunk, searcher);
    let mut summary = QsearchSummary::default();
    let mut pool = ThinkerPool::new(searchers);
    pool.run_in_order(std::iter::from_fn(read), work, |(bytes, part)| {
        summary.add(part);
        Ok(file.put(&bytes)?)
    })?;
    file.commit()?;
    Ok(summary)
}

/// The records of a batch with their leaves.
fn batch(
    path: &Path,
    chunk: yane_io::Chunk,
    searcher: &mut Searcher,
) -> Result<(Vec<u8>, QsearchSummary), QsearchError> {
    let mut bytes = chunk.bytes;
    let mut summary = QsearchSummary::default();
    for (index, record) in bytes.chunks_mut(Psv::LEN).enumerate() {
        let at = chunk.offset + (index * Psv::LEN) as u64;
        let failed = |problem: TeacherRecordProblem| QsearchError::Record {
            path: path.to_owned(),
            at: at + problem.at() as u64,
            problem,
        };
        if record.len() < Psv::LEN {
            return Err(failed(TeacherRecordProblem::Truncated {
                needed: Psv::LEN,
                left: record.len(),
            }));
        }
        let psv = Psv::from_bytes(record).map_err(failed)?;
        let position = psv
            .position
            .decode()
            .map_err(|error| failed(error.into()))?;
        let mut game = Game::new(position.with_ply(psv.ply.into()));
        let (_, line) = searcher.quiet_line(&game);
        for &m in &line {
            game.play_unchecked(m);
        }
        let leaf = PackedSfen::encode(game.position()).map_err(|source| QsearchError::Leaf {
            path: path.to_owned(),
            at,
            source,
        })?;
        at_leaf(psv, leaf, line.len()).put(record);
        summary.add(QsearchSummary {
            records: 1,
            replaced: u64::from(!line.is_empty()),
            deepest: line.len(),
        });
    }
    Ok((bytes, summary))
}

/// `psv` for the position `leaf`, `plies` later: from the view of the side to move there, and without its move, which
/// belongs to the position that it came from.
fn at_leaf(psv: Psv, leaf: PackedSfen, plies: usize) -> Psv {
    if plies == 0 {
        return psv;
    }
    let other_side_moves = plies % 2 == 1;
    let score = if other_side_moves {
        psv.score.0.checked_neg().unwrap_or(i16::MAX)
    } else {
        psv.score.0
    };
    let outcome = match psv.outcome {
        MoverOutcome::Win if other_side_moves => MoverOutcome::Loss,
        MoverOutcome::Loss if other_side_moves => MoverOutcome::Win,
        other => other,
    };
    Psv {
        position: leaf,
        score: TeacherScore(score),
        mv: Move16(0),
        ply: psv
            .ply
            .saturating_add(plies.min(usize::from(u16::MAX)) as u16),
        outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;
    use shogi_core::Position;
    use test_support::TestFolder;

    /// A record of `sfen`: 100 centipawns and a win for the side to move.
    fn record(sfen: &str) -> Psv {
        let position = Position::from_sfen(sfen).unwrap();
        Psv {
            position: PackedSfen::encode(&position).unwrap(),
            score: TeacherScore(100),
            mv: Move16(1234),
            ply: 40,
            outcome: MoverOutcome::Win,
        }
    }

    const QUIET: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    /// Black takes an unprotected rook.
    const NOISY: &str = "4k4/9/9/9/4r4/4P4/9/9/4K4 b - 1";

    fn bytes(records: &[Psv]) -> Vec<u8> {
        let mut bytes = vec![0; records.len() * Psv::LEN];
        let chunks = bytes.chunks_mut(Psv::LEN);
        records
            .iter()
            .zip(chunks)
            .for_each(|(psv, chunk)| psv.put(chunk));
        bytes
    }

    fn run(
        input: &Path,
        output: &Path,
        threads: usize,
        stop: bool,
    ) -> Result<QsearchSummary, QsearchError> {
        let mut session = Session::new();
        session.set_option("Evaluation", Some("material")).unwrap();
        let searchers = (0..threads).map(|_| session.searcher(1)).collect();
        qsearch_psv(input, output, searchers, &AtomicBool::new(stop))
    }

    #[test]
    fn positions_move_on_to_their_leaves() {
        let folder = TestFolder::new();
        let (input, output) = (folder.path("in.psv"), folder.path("out.psv"));
        let records: Vec<_> = (0..3000)
            .map(|index| record(if index % 3 == 0 { NOISY } else { QUIET }))
            .collect();
        folder.write("in.psv", bytes(&records));
        let summary = run(&input, &output, 2, false).unwrap();
        let expected = QsearchSummary {
            records: 3000,
            replaced: 1000,
            deepest: 1,
        };
        assert_eq!(summary, expected);
        let taken = Position::from_sfen("4k4/9/9/9/4P4/9/9/9/4K4 w R 1").unwrap();
        let leaf = Psv {
            position: PackedSfen::encode(&taken).unwrap(),
            score: TeacherScore(-100),
            mv: Move16(0),
            ply: 41,
            outcome: MoverOutcome::Loss,
        };
        let expected: Vec<_> = (0..3000)
            .map(|index| if index % 3 == 0 { leaf } else { record(QUIET) })
            .collect();
        assert!(folder.read("out.psv") == bytes(&expected));
    }

    #[test]
    fn nothing_is_written_after_an_error_or_a_stop() {
        let folder = TestFolder::new();
        let (input, output) = (folder.path("in.psv"), folder.path("out.psv"));
        let run = |output: &Path, stop| run(&input, output, 1, stop).unwrap_err();
        let whole = bytes(&[record(QUIET), record(QUIET)]);
        folder.write("in.psv", &whole);
        let stopped = run(&output, true);
        assert!(
            matches!(stopped, QsearchError::File(yane_io::Error::Cancelled)),
            "{stopped}"
        );
        let mut damaged = whole;
        damaged[78] = 5;
        folder.write("in.psv", &damaged);
        let error = run(&output, false).to_string();
        assert!(error.contains("in.psv: byte 78: result 5"), "{error}");
        folder.write("in.psv", &damaged[..50]);
        let error = run(&output, false).to_string();
        assert!(error.contains("byte"), "{error}");
        assert!(!output.exists());
        for (bytes, expected) in [
            (&b""[..], "this is an empty file"),
            (b"\x1f\x8b\x08\x00rest of it", "this is a gzip file"),
            (b"V2.2\nN+A\nN-B\nPI\n+\n+7776FU\n", "in.psv: this is "),
        ] {
            folder.write("in.psv", bytes);
            folder.write("out.psv", "old");
            let error = run(&output, false);
            assert!(error.to_string().contains(expected), "{error}");
            assert_eq!(folder.read("out.psv"), b"old");
        }
        let error = run(&input, false);
        assert!(matches!(error, QsearchError::File(_)), "{error}");
    }
}
