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
use std::path::Path;

use yane_io::{BulkFile, Error, Job, Overwrite, SealedFile, Unit};

use super::layout::Width;
use super::{KpptError, KpptLayout, KpptTable};

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
/// let it replace, the disk is full, or the job is cancelled. Nothing in `to` changed then.
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
    for table in KpptTable::ALL {
        overwrite.check(&table.path(to), &inputs)?;
    }
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
/// When the folder cannot be written to, the disk is full, or the job is cancelled. Nothing in the
/// folder changed then.
pub fn write_zeros(folder: &Path, layout: KpptLayout, job: &Job) -> Result<(), KpptError> {
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
                    let fault = |reason| Error::byte(path, offset + (i * size) as u64, reason);
                    self.entry(entry, &mut output).map_err(fault)?;
                }
                put(&output, read)?;
            }
            offset += read;
        }
    }

    fn entry(self, entry: &[u8], output: &mut Vec<u8>) -> Result<(), String> {
        let [board, turn] = self.from.read(entry);
        let unfit = |value| format!("{value} does not fit into 16 bits");
        self.to.write(board, output).map_err(unfit)?;
        if self.to.values == 2 {
            self.to.write(turn, output).map_err(unfit)?;
        } else if turn != 0 && self.turn == TurnValues::MustBeZero {
            return Err(format!(
                "the turn value is {turn}; the new kind has no room for it (leave them out on purpose, \
                 or choose another kind)"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
