//! Books in the text form of Edax, made into what Edax makes of them.

use std::path::Path;

use tempfile::TempPath;
use yane_io::external::Sorter;
use yane_io::{Error, Job, Map, Result};

use super::outcome;
use super::temporary::Temporary;
use super::told::Told;
use crate::convert::links::LeftOut;
use crate::convert::{HeaderTally, each_made};
use crate::edax::Header;
use crate::ops;
use crate::store::{Find as _, Positions as _, RowsWriter};
use crate::text;

/// A book that was text.
#[derive(Debug)]
pub(crate) struct TextBook {
    /// The file that its positions are in, which goes when this does.
    _path: TempPath,
    wrong: Vec<(u64, String)>,
    damaged: u64,
}

impl TextBook {
    /// How many lines that are none are kept for the report.
    const KEPT: usize = 100;

    /// The first lines that are none, with what was expected.
    pub(crate) fn wrong(&self) -> &[(u64, String)] {
        &self.wrong
    }

    /// How many lines are none.
    pub(crate) const fn damaged(&self) -> u64 {
        self.damaged
    }

    /// Reads a text, and gives the book that it is: with links, and with values from the ends of lines back. Of two
    /// positions of one board the first counts.
    pub(crate) fn read(text: &Map) -> Result<(Map, Self)> {
        let (job, folder) = (Job::default(), std::env::temp_dir());
        let half = Job {
            memory: job.memory / 2,
            ..job.clone()
        };
        let (mut wrong, mut damaged) = (Vec::new(), 0);
        let mut sorter = Sorter::new(&half, &folder);
        let (mut body, mut tally) = (Vec::new(), HeaderTally::default());
        for (n, line) in text::lines(&text::decoded(text)).enumerate() {
            let line = std::str::from_utf8(line).map_err(|error| error.to_string());
            match line.and_then(text::edax_import_line) {
                Ok(None) => {}
                Ok(Some(record)) => {
                    tally.add(record.board, record.level);
                    let key = outcome::encode(0, None, &Told::Edax(record).canonical(), &mut body);
                    sorter.push(&key, &body)?;
                }
                Err(reason) => {
                    damaged += 1;
                    if wrong.len() < Self::KEPT {
                        wrong.push((n as u64 + 1, reason));
                    }
                }
            }
        }
        let (map, path) = book(text.path(), sorter, tally.header_of_text(), &folder, &half)?;
        let book = Self {
            _path: path,
            wrong,
            damaged,
        };
        Ok((map, book))
    }
}

/// Gives the positions links and values, and writes them as a book of Edax.
fn book(
    name: &Path,
    sorter: Sorter,
    header: Header,
    folder: &Path,
    job: &Job,
) -> Result<(Map, TempPath)> {
    let mut writer = RowsWriter::new(folder, job.memory);
    outcome::each(sorter.finish()?, &mut |outcome| {
        writer.put(outcome.board, &outcome.known)
    })?;
    let rows = writer.finish(Some(header), job)?;
    let mut rows = rows.map_err(|reason| Error::file(name, reason))?;
    ops::negamax_edax_all(&mut rows, &header);
    let count = i32::try_from(rows.count()).unwrap_or(i32::MAX);
    let header = Header {
        n_nodes: count,
        ..header
    };
    let mut file = Temporary::create(folder, header)?;
    // Complete, but with all positions that the text has.
    let none = LeftOut::new(rows.bound().into());
    each_made(&rows, None, Some(&none), &mut |made| file.put(&made.record))?;
    let written = file.finish()?;
    Ok((written.map, written.path))
}
