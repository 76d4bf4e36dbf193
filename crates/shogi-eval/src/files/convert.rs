//! Evaluation files of one kind from those of another, and empty ones.
//!
//! | from \ to | kppt32 | kppt16 | `kpp_kkpt32` |
//! | --- | --- | --- | --- |
//! | kppt32 | copy | if all values fit into 16 bits | without KPP's turn values |
//! | kppt16 | yes | copy | without KPP's turn values |
//! | `kpp_kkpt32` | KPP's turn values are 0 | both | copy |
//!
//! Nothing is lost unasked: a value that does not fit is an error, and so is a turn value other than
//! 0 where there is no room for it, unless [`TurnValues::Drop`] is given. Files are read and written
//! in pieces, and the three outputs appear together.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use thiserror::Error as ThisError;
use yane_io::{BulkFile, Claim, Error, Job, Overwrite, SealedFile, Unit};

use crate::kppt::{KpptError, KpptLayout, KpptTable, Width};

/// The treatment of KPP's turn values in a kind that has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TurnValues {
    /// They must all be 0.
    #[default]
    MustBeZero,
    /// They are left out: the evaluation becomes another one.
    Drop,
}

/// Bytes read at a time; a multiple of any entry.
const CHUNK: usize = 1 << 20;

/// Reads the files in the folder `from`, of whatever kind, and writes them as `layout` to the folder
/// `to`, which is made if it is not there. Returns the kind they were.
///
/// # Errors
/// When the files in `from` are no evaluation, a value cannot be converted, `to` has files that `overwrite` does not
/// let it replace or another process writes, the disk is full, or the job is cancelled. Nothing in `to` changed then.
pub fn convert(
    from: &Path,
    to: &Path,
    layout: KpptLayout,
    turn: TurnValues,
    overwrite: Overwrite,
    job: &Job,
) -> Result<KpptLayout, KpptError> {
    let source = KpptLayout::of(from)?;
    let inputs = KpptTable::ALL.map(|table| table.path(from));
    let _claims = claim_files(to, &inputs, overwrite)?;
    write_files(to, |table, output| {
        let path = table.path(from);
        let input = File::open(&path).map_err(Error::io(&path))?;
        let expected = source.file_len(table);
        let name = table.file_name();
        job.progress.stage(name, Some(expected), Unit::Bytes);
        let recode = Recode::new(table, source, layout, turn);
        let mut found = 0;
        recode.file(input, &path, |bytes, read| {
            job.check()?;
            job.progress.advance(read);
            found += read;
            output.put(bytes)
        })?;
        if found == expected {
            return Ok(());
        }
        // Changed since its size was looked at.
        Err(KpptError::Size {
            path,
            found,
            expected: format!("{expected} ({})", source.name()),
        })
    })?;
    Ok(source)
}

/// Writes an evaluation of `layout` to the folder `folder`, which is made if it is not there, in which
/// every value is 0: material alone.
///
/// # Errors
/// When the folder has files that `overwrite` does not let it replace or another process writes, or cannot be written to,
/// the disk is full, or the job is cancelled. Nothing in the folder changed then.
pub fn write_zeros(
    folder: &Path,
    layout: KpptLayout,
    overwrite: Overwrite,
    job: &Job,
) -> Result<(), KpptError> {
    let _claims = claim_files(folder, &[], overwrite)?;
    let zeros = vec![0; CHUNK];
    write_files(folder, |table, output| {
        let mut left = layout.file_len(table);
        let name = table.file_name();
        job.progress.stage(name, Some(left), Unit::Bytes);
        while left > 0 {
            job.check()?;
            let size = left.min(CHUNK as u64);
            output.put(&zeros[..size as usize])?;
            job.progress.advance(size);
            left -= size;
        }
        Ok(())
    })
}

/// Reserves the three files in `folder`, which is made if it is not there.
fn claim_files(
    folder: &Path,
    inputs: &[PathBuf],
    overwrite: Overwrite,
) -> Result<[Claim; 3], KpptError> {
    let outputs = KpptTable::ALL.map(|table| table.path(folder));
    for output in &outputs {
        overwrite.check(output, inputs)?;
    }
    std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let [kk, kkp, kpp] = &outputs;
    Ok([
        overwrite.claim(kk, inputs)?,
        overwrite.claim(kkp, inputs)?,
        overwrite.claim(kpp, inputs)?,
    ])
}

/// Makes three files that appear together.
fn write_files(
    folder: &Path,
    mut write: impl FnMut(KpptTable, &mut BulkFile) -> Result<(), KpptError>,
) -> Result<(), KpptError> {
    std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let mut sealed = Vec::new();
    for table in KpptTable::ALL {
        let mut output = BulkFile::create(&table.path(folder))?;
        write(table, &mut output)?;
        sealed.push(output.seal()?);
    }
    Ok(SealedFile::commit_all(sealed)?)
}

/// The conversion of a table's entries.
#[derive(Clone, Copy, Debug)]
struct Recode {
    from: Shape,
    to: Shape,
    turn: TurnValues,
}

/// The format of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    width: Width,
    /// 2 with a turn value, else 1.
    values: usize,
}

impl Shape {
    const fn bytes(self) -> usize {
        self.width.bytes() * self.values
    }

    /// The board's and the turn's value of an entry.
    fn read(self, entry: &[u8]) -> [i32; 2] {
        let value = |bytes: &[u8]| match *bytes {
            [a, b] => i32::from(i16::from_le_bytes([a, b])),
            [a, b, c, d] => i32::from_le_bytes([a, b, c, d]),
            _ => 0,
        };
        let (board, turn) = entry.split_at(self.width.bytes());
        [value(board), value(turn)]
    }

    /// Appends a value; the value itself when it does not fit.
    fn write(self, value: i32, output: &mut Vec<u8>) -> Result<(), i32> {
        match self.width {
            Width::I16 => {
                let value = i16::try_from(value).map_err(|_| value)?;
                output.extend_from_slice(&value.to_le_bytes());
            }
            Width::I32 => output.extend_from_slice(&value.to_le_bytes()),
        }
        Ok(())
    }
}

impl Recode {
    fn new(table: KpptTable, from: KpptLayout, to: KpptLayout, turn: TurnValues) -> Self {
        let shape = |layout: KpptLayout| Shape {
            width: layout.width(table),
            values: layout.values(table),
        };
        Self {
            from: shape(from),
            to: shape(to),
            turn,
        }
    }

    /// Reads a table and hands on the bytes of the new one piece by piece, each with the number of
    /// bytes it was made from. `path` is the name for errors.
    fn file(
        self,
        mut input: impl Read,
        path: &Path,
        mut put: impl FnMut(&[u8], u64) -> yane_io::Result<()>,
    ) -> yane_io::Result<()> {
        let (mut chunk, mut output) = (Vec::with_capacity(CHUNK), Vec::new());
        let mut offset = 0;
        loop {
            chunk.clear();
            let mut part = input.by_ref().take(CHUNK as u64);
            part.read_to_end(&mut chunk).map_err(Error::io(path))?;
            if chunk.is_empty() {
                return Ok(());
            }
            let read = chunk.len() as u64;
            if self.from == self.to {
                put(&chunk, read)?;
            } else {
                output.clear();
                let size = self.from.bytes();
                for (i, entry) in chunk.chunks_exact(size).enumerate() {
                    let fault = |problem: EntryProblem| {
                        let at = offset + (i * size) as u64;
                        Error::byte(path, at, problem.to_string())
                    };
                    self.entry(entry, &mut output).map_err(fault)?;
                }
                put(&output, read)?;
            }
            offset += read;
        }
    }

    fn entry(self, entry: &[u8], output: &mut Vec<u8>) -> Result<(), EntryProblem> {
        let [board, turn] = self.from.read(entry);
        self.to
            .write(board, output)
            .map_err(EntryProblem::TooLarge)?;
        if self.to.values == 2 {
            self.to
                .write(turn, output)
                .map_err(EntryProblem::TooLarge)?;
        } else if turn != 0 && self.turn == TurnValues::MustBeZero {
            return Err(EntryProblem::Turn(turn));
        }
        Ok(())
    }
}

/// The reason why an entry cannot be converted.
#[derive(Debug, ThisError)]
enum EntryProblem {
    #[error("{0} does not fit into 16 bits")]
    TooLarge(i32),
    #[error(
        "the turn value is {0}; the new kind has no room for it (leave them out on purpose, or choose another kind)"
    )]
    Turn(i32),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table file of the given kind, converted.
    fn recode(
        table: KpptTable,
        from: KpptLayout,
        to: KpptLayout,
        turn: TurnValues,
        bytes: &[u8],
    ) -> Result<Vec<u8>, String> {
        let mut output = Vec::new();
        let mut read = 0;
        let recode = Recode::new(table, from, to, turn);
        let result = recode.file(bytes, Path::new("in.bin"), |bytes, size| {
            output.extend_from_slice(bytes);
            read += size;
            Ok(())
        });
        result.map_err(|error| error.to_string())?;
        assert_eq!(read, bytes.len() as u64);
        Ok(output)
    }

    fn wide(values: &[i32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    fn narrow(values: &[i16]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    const KEEP: TurnValues = TurnValues::MustBeZero;

    #[test]
    fn kings_files_change_their_width() {
        use KpptLayout::{KppKkpt, Kppt, Kppt16};
        let (values, same) = ([-32768, 32767, -1, 0], [-32768, 32767, -1, 0]);
        for table in [KpptTable::Kk, KpptTable::Kkp] {
            for other in [Kppt, KppKkpt] {
                let bytes = recode(table, other, Kppt16, KEEP, &wide(&values));
                assert_eq!(bytes, Ok(narrow(&same)));
                let bytes = recode(table, Kppt16, other, KEEP, &narrow(&same));
                assert_eq!(bytes, Ok(wide(&values)));
            }
            let bytes = recode(table, Kppt, KppKkpt, KEEP, &wide(&values));
            assert_eq!(bytes, Ok(wide(&values)));
        }
    }

    #[test]
    fn a_value_that_does_not_fit_is_an_error_with_its_place() {
        // Beyond the first piece of the file, so that the offset has both its parts.
        let mut values = vec![0; CHUNK / 4 + 10];
        values[CHUNK / 4 + 3] = 32_768;
        let problem = recode(
            KpptTable::Kkp,
            KpptLayout::Kppt,
            KpptLayout::Kppt16,
            KEEP,
            &wide(&values),
        )
        .unwrap_err();
        let offset = CHUNK + 8;
        let expected = format!("in.bin: byte {offset}: 32768 does not fit into 16 bits");
        assert_eq!(problem, expected);
    }

    #[test]
    fn turn_values_come_and_go() {
        use KpptLayout::{KppKkpt, Kppt, Kppt16};
        for other in [Kppt, Kppt16] {
            let bytes = recode(KpptTable::Kpp, KppKkpt, other, KEEP, &narrow(&[5, -6]));
            assert_eq!(bytes, Ok(narrow(&[5, 0, -6, 0])));
            let bytes = recode(
                KpptTable::Kpp,
                other,
                KppKkpt,
                KEEP,
                &narrow(&[5, 0, -6, 0]),
            );
            assert_eq!(bytes, Ok(narrow(&[5, -6])));
            let with_turn = narrow(&[5, 0, -6, 7]);
            let bytes = recode(KpptTable::Kpp, other, KppKkpt, TurnValues::Drop, &with_turn);
            assert_eq!(bytes, Ok(narrow(&[5, -6])));
            let problem = recode(KpptTable::Kpp, other, KppKkpt, KEEP, &with_turn).unwrap_err();
            assert!(
                problem.starts_with("in.bin: byte 4: the turn value is 7"),
                "{problem}"
            );
        }
    }

    #[test]
    fn three_files_appear_together_or_not_at_all() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("new");
        let names = || {
            let entries = std::fs::read_dir(&folder).unwrap();
            let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let result = write_files(&folder, |table, output| {
            output.put(b"half")?;
            match table {
                KpptTable::Kpp => Err(KpptError::File(Error::Cancelled)),
                _ => Ok(()),
            }
        });
        assert!(matches!(result, Err(KpptError::File(Error::Cancelled))));
        assert!(names().is_empty());
        write_files(&folder, |table, output| {
            Ok(output.put(table.file_name().as_bytes())?)
        })
        .unwrap();
        let mut expected = KpptTable::ALL.map(KpptTable::file_name);
        expected.sort_unstable();
        assert_eq!(names(), expected);
        for name in expected {
            assert_eq!(std::fs::read_to_string(folder.join(name)).unwrap(), name);
        }
    }

    #[test]
    fn a_cancelled_job_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let job = Job::default();
        job.cancel();
        let result = write_zeros(folder.path(), KpptLayout::KppKkpt, Overwrite::Never, &job);
        assert!(matches!(result, Err(KpptError::File(Error::Cancelled))));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    #[cfg(unix)]
    fn inputs_are_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        for table in KpptTable::ALL {
            let file = std::fs::File::create(table.path(folder.path())).unwrap();
            file.set_len(KpptLayout::Kppt.file_len(table)).unwrap();
        }
        let path = folder.path();
        let result = convert(
            path,
            path,
            KpptLayout::Kppt16,
            KEEP,
            Overwrite::Refuse,
            &Job::default(),
        );
        let expected = matches!(
            result,
            Err(KpptError::File(Error::OverwritesInput(path))) if path.ends_with("KK_synthesized.bin")
        );
        assert!(expected);
    }

    #[test]
    fn two_runs_do_not_write_one_output() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        std::fs::create_dir_all(&from).unwrap();
        std::fs::create_dir_all(&to).unwrap();
        for table in KpptTable::ALL {
            let file = std::fs::File::create(table.path(&from)).unwrap();
            file.set_len(KpptLayout::Kppt.file_len(table)).unwrap();
        }
        // The last of the three: the first two are free again at the end.
        let last = KpptTable::ALL[2].path(&to);
        let other = Overwrite::Never.claim::<PathBuf>(&last, &[]).unwrap();
        let job = Job::default();
        let (layout, force) = (KpptLayout::Kppt16, Overwrite::Allow);
        for result in [
            convert(&from, &to, layout, KEEP, force, &job).map(drop),
            write_zeros(&to, layout, force, &job),
        ] {
            let is_used = matches!(
                &result,
                Err(KpptError::File(Error::InUse { path, .. })) if *path == last
            );
            assert!(is_used, "{result:?}");
        }
        drop(other);
        assert_eq!(std::fs::read_dir(&to).unwrap().count(), 0);
    }
}
