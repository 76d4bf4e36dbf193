//! Text books of Edax, converted as Edax's `book import` does.

use std::path::Path;

use tempfile::TempPath;
use yane_io::external::Sorter;
use yane_io::{Error, Job, Map, Result, TempFolder};

use crate::convert::links::OmittedPositions;
use crate::convert::{HeaderBuilder, for_each_converted};
use crate::edax::EdaxHeader;
use crate::files::merge;
use crate::files::output::TempBookWriter;
use crate::files::position::BookPosition;
use crate::store::{DiskBookWriter, PositionLookup as _, PositionStore as _};
use crate::{ops, text};

/// A text book.
#[derive(Debug)]
pub(crate) struct TextBook {
    /// The temporary file of its positions.
    _path: TempPath,
    wrong: Vec<(u64, String)>,
    damaged: u64,
}

impl TextBook {
    /// The number of invalid lines that are kept for a report.
    const KEPT: usize = 100;

    /// The first invalid lines, with what was expected.
    pub(crate) fn wrong(&self) -> &[(u64, String)] {
        &self.wrong
    }

    /// The number of invalid lines.
    pub(crate) const fn damaged(&self) -> u64 {
        self.damaged
    }

    /// Converts a text to a book with links, and with values by negamax. Of duplicates, the first counts.
    pub(crate) fn read(text: &Map) -> Result<(Map, Self)> {
        let job = Job::default();
        let folder = TempFolder::from(&std::env::temp_dir());
        let half = Job {
            memory: job.memory / 2,
            ..job.clone()
        };
        let (mut wrong, mut damaged) = (Vec::new(), 0);
        let mut sorter = Sorter::new(&half, &folder);
        let (mut body, mut builder) = (Vec::new(), HeaderBuilder::default());
        for (n, line) in text::lines(&text::decoded(text)).enumerate() {
            let line = std::str::from_utf8(line).map_err(|error| error.to_string());
            match line.and_then(text::edax_import_line) {
                Ok(None) => {}
                Ok(Some(record)) => {
                    builder.add(record.board, record.level);
                    let key =
                        merge::encode(0, None, &BookPosition::Edax(record).canonical(), &mut body);
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
        let (map, path) = book(
            text.path(),
            sorter,
            builder.build_for_text(),
            &folder,
            &half,
        )?;
        let book = Self {
            _path: path,
            wrong,
            damaged,
        };
        Ok((map, book))
    }
}

/// Adds links and values, and writes the positions as a book of Edax.
fn book(
    name: &Path,
    sorter: Sorter,
    header: EdaxHeader,
    folder: &TempFolder,
    job: &Job,
) -> Result<(Map, TempPath)> {
    let mut writer = DiskBookWriter::new(folder, job.memory);
    merge::for_each_merged(sorter.finish()?, &mut |merged| {
        writer.put(merged.board, &merged.known)
    })?;
    let rows = writer.finish(Some(header), job)?;
    let mut rows = rows.map_err(|reason| Error::file(name, reason))?;
    ops::negamax_edax_all(&mut rows, &header);
    let count = i32::try_from(rows.count()).unwrap_or(i32::MAX);
    let header = EdaxHeader {
        n_nodes: count,
        ..header
    };
    let mut file = TempBookWriter::create(folder, header)?;
    // Complete leaves, but omit no position.
    let none = OmittedPositions::new(rows.bound().into());
    for_each_converted(&rows, None, Some(&none), &mut |made| file.put(&made.record))?;
    let written = file.finish()?;
    Ok((written.map, written.path))
}
