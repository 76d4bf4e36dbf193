//! Books in the format that a file's name says.

use std::path::Path;

use othello_book::convert::{self, Leaves};
use othello_book::store::Table;
use othello_book::{Format, egaroucid};
use yane_cli::UsageError;
use yane_io::{BulkFile, Error};

/// The format of a file that is to be written.
pub(crate) fn format_of(path: &Path) -> Result<Format, UsageError> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let format = extension.and_then(Format::of_extension);
    format.ok_or_else(|| {
        let name = path.display();
        UsageError(format!(
            "{name}: a name that ends in .dat, .egbk3, .egbk2 or .egbk was expected"
        ))
    })
}

/// Writes a book.
pub(crate) fn save(table: &Table, path: &Path, level: Option<u8>) -> anyhow::Result<()> {
    let format = format_of(path)?;
    let mut file = BulkFile::create(path)?;
    let mut bytes = Vec::new();
    match format {
        Format::Edax => {
            let records = convert::to_edax(table, level, Leaves::Complete);
            file.put(&convert::header_for(&records).to_bytes())?;
            for record in &records {
                bytes.clear();
                record.write_to(&mut bytes);
                file.put(&bytes)?;
            }
        }
        Format::Egaroucid(version) => {
            let head = egaroucid::head(version, table.len() as u64);
            file.put(&head.map_err(|reason| Error::file(path, reason))?)?;
            for board in table.sorted() {
                let Some(mut known) = table.get(board).copied() else {
                    continue;
                };
                if let Some(level) = level {
                    known.level = level as i8;
                    known.leaf.level = level as i8;
                }
                bytes.clear();
                known.entry(board).write_to(version, &mut bytes);
                file.put(&bytes)?;
            }
        }
    }
    file.commit()?;
    Ok(())
}
