//! `qsearch_psv`: replaces teacher positions by the leaves of their quiescence search.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use pack_format::psv::Psv;
use pack_format::record::{TeacherRecord, TeacherRecordProblem};
use pack_format::stream::Input;
use pack_format::{MoverOutcome, TeacherFormat, TeacherScore, kind};
use shogi_core::{Game, Move16, PackError, PackedSfen};
use shogi_engine::{Searcher, Session, ThinkerPool};
use thiserror::Error;
use yane_io::{BulkFile, ChunkReader, Overwrite};

/// An error of replacing positions. Nothing was written then.
#[derive(Debug, Error)]
pub(crate) enum LeavesError {
    #[error(transparent)]
    File(#[from] yane_io::Error),
    #[error(transparent)]
    Kind(#[from] pack_format::TeacherError),
    #[error("{}: byte {at}: {fault}", path.display())]
    Record {
        path: PathBuf,
        at: u64,
        fault: TeacherRecordProblem,
    },
    #[error("{}: byte {at}: {source}", path.display())]
    Leaf {
        path: PathBuf,
        at: u64,
        source: PackError,
    },
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
}

/// The counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) records: u64,
    /// Records whose position was not quiet.
    pub(crate) replaced: u64,
    /// Plies to the farthest leaf.
    pub(crate) deepest: usize,
}

impl Summary {
    fn add(&mut self, other: Self) {
        self.records += other.records;
        self.replaced += other.replaced;
        self.deepest = self.deepest.max(other.deepest);
    }
}

/// Records that are worked on at once.
const BATCH: usize = 1024;
/// Transposition table of each thread in mebibytes: it is emptied for every record.
const HASH_MIB: usize = 1;

/// Replaces every position of `input` by the quiet one that it leads to and writes `output`, with `threads`
/// threads and the evaluation of `session`.
pub(crate) fn rewrite(
    input: &Path,
    output: &Path,
    threads: usize,
    session: &mut Session,
) -> Result<Summary, LeavesError> {
    Overwrite::Refuse.check(output, &[input])?;
    kind::require(&Input::named(input), TeacherFormat::Psv)?;
    let mut reader = ChunkReader::records(input, BATCH * Psv::LEN, Psv::LEN)?;
    let mut file = BulkFile::create(output)?;
    let mut pool = ThinkerPool::new((0..threads).map(|_| session.searcher(HASH_MIB)).collect());
    let failed = AtomicBool::new(false);
    let read = || {
        if failed.load(Ordering::Relaxed) {
            None
        } else {
            reader.next_chunk().transpose()
        }
    };
    let batches = std::iter::from_fn(read).enumerate();
    let work = |searcher: &mut Searcher, (number, chunk): (usize, yane_io::Result<_>)| {
        let done = chunk
            .map_err(LeavesError::from)
            .and_then(|chunk: yane_io::Chunk| batch(input, chunk, searcher));
        (number, done)
    };
    let mut summary = Summary::default();
    let mut failure = None;
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    pool.run(batches, work, |(number, done)| {
        waiting.insert(number, done);
        while let Some(done) = waiting.remove(&next) {
            next += 1;
            let written = done.and_then(|(bytes, part)| {
                summary.add(part);
                Ok(file.put(&bytes)?)
            });
            // The first error in the order of the file.
            failure = failure.take().or(written.err());
            failed.store(failure.is_some(), Ordering::Relaxed);
        }
    })?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    file.commit()?;
    Ok(summary)
}

/// The records of a batch with their leaves.
fn batch(
    path: &Path,
    chunk: yane_io::Chunk,
    searcher: &mut Searcher,
) -> Result<(Vec<u8>, Summary), LeavesError> {
    let mut bytes = chunk.bytes;
    let mut summary = Summary::default();
    for (index, record) in bytes.chunks_mut(Psv::LEN).enumerate() {
        let at = chunk.offset + (index * Psv::LEN) as u64;
        let failed = |fault: TeacherRecordProblem| LeavesError::Record {
            path: path.to_owned(),
            at: at + fault.at() as u64,
            fault,
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
            game.play(m);
        }
        let leaf = PackedSfen::encode(game.position()).map_err(|source| LeavesError::Leaf {
            path: path.to_owned(),
            at,
            source,
        })?;
        moved(psv, leaf, line.len()).put(record);
        summary.add(Summary {
            records: 1,
            replaced: u64::from(!line.is_empty()),
            deepest: line.len(),
        });
    }
    Ok((bytes, summary))
}

/// `psv` for the position `leaf`, `plies` later: seen by the side to move there, and without its move, which
/// belongs to where it came from.
fn moved(psv: Psv, leaf: PackedSfen, plies: usize) -> Psv {
    if plies == 0 {
        return psv;
    }
    let turned = plies % 2 == 1;
    let score = if turned {
        psv.score.0.checked_neg().unwrap_or(i16::MAX)
    } else {
        psv.score.0
    };
    let outcome = match psv.outcome {
        MoverOutcome::Win if turned => MoverOutcome::Loss,
        MoverOutcome::Loss if turned => MoverOutcome::Win,
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
    use shogi_core::Position;

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
    /// Black takes a rook that nothing guards.
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

    fn session() -> Session {
        let mut session = Session::new();
        session.set_option("Evaluation", Some("material")).unwrap();
        session
    }

    #[test]
    fn positions_move_on_to_their_leaves() {
        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join("in.psv"), folder.path().join("out.psv"));
        let records: Vec<_> = (0..3000)
            .map(|index| record(if index % 3 == 0 { NOISY } else { QUIET }))
            .collect();
        std::fs::write(&input, bytes(&records)).unwrap();
        let summary = rewrite(&input, &output, 2, &mut session()).unwrap();
        let expected = Summary {
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
        assert!(std::fs::read(&output).unwrap() == bytes(&expected));
    }

    #[test]
    fn a_broken_record_is_named_and_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join("in.psv"), folder.path().join("out.psv"));
        let mut damaged = bytes(&[record(QUIET), record(QUIET)]);
        damaged[78] = 5;
        std::fs::write(&input, &damaged).unwrap();
        let error = rewrite(&input, &output, 1, &mut session())
            .unwrap_err()
            .to_string();
        assert!(error.contains("in.psv: byte 78: result 5"), "{error}");
        std::fs::write(&input, &damaged[..50]).unwrap();
        let error = rewrite(&input, &output, 1, &mut session())
            .unwrap_err()
            .to_string();
        assert!(error.contains("byte"), "{error}");
        assert!(!output.exists());
        for (bytes, told) in [
            (&b""[..], "this is an empty file"),
            (b"\x1f\x8b\x08\x00rest of it", "this is a gzip file"),
            (b"V2.2\nN+A\nN-B\nPI\n+\n+7776FU\n", "in.psv: this is "),
        ] {
            std::fs::write(&input, bytes).unwrap();
            std::fs::write(&output, "old").unwrap();
            let error = rewrite(&input, &output, 1, &mut session()).unwrap_err();
            assert!(error.to_string().contains(told), "{error}");
            assert_eq!(std::fs::read(&output).unwrap(), b"old");
        }
        let error = rewrite(&input, &input, 1, &mut session()).unwrap_err();
        assert!(matches!(error, LeavesError::File(_)), "{error}");
    }
}
