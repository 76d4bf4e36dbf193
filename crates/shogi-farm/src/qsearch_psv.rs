//! Teacher positions replaced by the leaves of their quiescence search.

use std::path::{Path, PathBuf};

use farm::{FarmError, RetryPolicy, Stop, Worker, Workers, map_job_in_order};
use pack_format::psv::Psv;
use pack_format::record::{TeacherRecord, TeacherRecordProblem};
use pack_format::stream::Input;
use pack_format::{MoverOutcome, TeacherFormat, TeacherScore, kind};
use shogi_core::{Game, Move16};
use shogi_engine::Searcher;
use shogi_packed::{PackError, PackedSfen};
use thiserror::Error;
use yane_io::{BulkFile, Chunk, ChunkReader, Job, Overwrite};

use crate::searchers;

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
    #[error("{}: byte {at}: {reason}", path.display())]
    Leaf {
        /// The input.
        path: PathBuf,
        /// Offset of the record in the file.
        at: u64,
        /// The error.
        reason: PackError,
    },
    /// The search panicked three times at the same records, or the system gives no thread.
    #[error(transparent)]
    Workers(#[from] FarmError),
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

/// A batch with its leaves, and its counts.
type Searched = Result<(Vec<u8>, QsearchSummary), QsearchError>;

/// Replaces every position of the psv file `input` by the quiet one that it leads to, and writes `output`, in the order of the
/// input: with a [sibling](Searcher::sibling) of `searcher` on each of `job.threads` threads. Score and result are for the side to move
/// at the leaf; a record that changes has no move. `job.progress` hears of searches that panic, and are made again.
///
/// # Errors
/// See [`QsearchError`]; [`yane_io::Error::Cancelled`] when `job` is cancelled meanwhile.
pub fn qsearch_psv(
    input: &Path,
    output: &Path,
    searcher: Searcher,
    job: &Job,
) -> Result<QsearchSummary, QsearchError> {
    let work =
        |searcher: &mut Searcher, chunk: &Chunk, _: &Stop| Ok(batch(input, chunk, searcher).into());
    let searchers = searchers(searcher, job.threads, "qsearch_psv", work);
    convert(input, output, &searchers, job)
}

/// Has the batches of `input` done by `workers`, and writes them to `output`.
fn convert<W>(
    input: &Path,
    output: &Path,
    workers: &W,
    job: &Job,
) -> Result<QsearchSummary, QsearchError>
where
    W: Workers<Worker: Worker<Item = Chunk, Output = Searched>>,
{
    let _claim = Overwrite::Refuse.claim(output, &[input])?;
    kind::require(&Input::named(input), TeacherFormat::Psv)?;
    let mut reader = ChunkReader::records(input, BATCH * Psv::LEN, Psv::LEN)?;
    let mut file = BulkFile::create(output)?;
    let chunks = std::iter::from_fn(|| reader.next_chunk().transpose());
    let chunks = chunks.map(|chunk| Ok(chunk?));
    let mut summary = QsearchSummary::default();
    map_job_in_order(workers, chunks, job, RetryPolicy::default(), |searched| {
        let (bytes, part) = searched?;
        summary.add(part);
        Ok::<_, QsearchError>(file.put(&bytes)?)
    })?;
    job.check()?;
    file.commit()?;
    Ok(summary)
}

/// The records of a batch with their leaves.
fn batch(path: &Path, chunk: &Chunk, searcher: &mut Searcher) -> Searched {
    let mut bytes = chunk.bytes.clone();
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
        let leaf = PackedSfen::encode(game.position()).map_err(|reason| QsearchError::Leaf {
            path: path.to_owned(),
            at,
            reason,
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
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use farm::WorkError;
    use shogi_core::Position;
    use shogi_engine::Session;
    use test_support::{Faults, TestFolder};

    use super::*;
    use crate::test_notes::Notes;

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
        let job = Job {
            threads,
            cancelled: Arc::new(AtomicBool::new(stop)),
            ..Job::default()
        };
        qsearch_psv(input, output, searcher(), &job)
    }

    fn searcher() -> Searcher {
        let mut session = Session::new();
        session.set_option("Evaluation", Some("material")).unwrap();
        session.searcher(1)
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

    /// Converts 3,000 records by two searchers that panic at the second batch so many times.
    fn panicking(
        folder: &TestFolder,
        panics: u32,
    ) -> (Result<QsearchSummary, QsearchError>, String) {
        let notes = Arc::new(Notes::default());
        let job = Job {
            threads: 2,
            progress: notes.clone(),
            ..Job::default()
        };
        let input = folder.path("in.psv");
        let faults = Faults::new(panics);
        let work = |searcher: &mut Searcher, chunk: &Chunk, _: &Stop| -> Result<_, WorkError> {
            let is_second = chunk.offset == (BATCH * Psv::LEN) as u64;
            assert!(!is_second || !faults.come(), "at the second batch");
            Ok(batch(&input, chunk, searcher).into())
        };
        let searchers = searchers(searcher(), 2, "searcher", work);
        let done = convert(&input, &folder.path("out.psv"), &searchers, &job);
        let told = notes.text();
        (done, told)
    }

    #[test]
    fn a_batch_at_which_a_search_panics_is_handed_out_again() {
        let folder = TestFolder::new();
        let records = [record(NOISY), record(QUIET)].repeat(1500);
        folder.write("in.psv", bytes(&records));
        let right = folder.path("right.psv");
        let expected = run(&folder.path("in.psv"), &right, 1, false).unwrap();
        let (done, told) = panicking(&folder, 2);
        assert_eq!(done.unwrap(), expected);
        assert!(folder.read("out.psv") == folder.read("right.psv"));
        assert_eq!(
            told.matches("panicked: at the second batch").count(),
            2,
            "{told}"
        );
        std::fs::remove_file(folder.path("out.psv")).unwrap();
        let (done, _) = panicking(&folder, 3);
        let error = done.unwrap_err().to_string();
        assert!(error.ends_with("panicked: at the second batch"), "{error}");
        assert!(!folder.path("out.psv").exists());
    }
}
