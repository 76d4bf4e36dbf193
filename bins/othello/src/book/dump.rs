//! `book dump`: all positions in the order of the file.

use std::path::Path;

use othello_book::files::BookInput;
use othello_book::store::OnDamage;
use othello_book::{BookFormat, FormatError, edax, egaroucid, text};
use yane_cli::print::Printer;

pub(super) fn dump(path: &Path, skip_damaged: bool, json: bool) -> anyhow::Result<()> {
    let input = BookInput::open(path)?.alone();
    let damage = if skip_damaged {
        OnDamage::Skip
    } else {
        OnDamage::Stop
    };
    input.damaged_lines(damage)?;
    let map = &input.map;
    let mut out = Printer::new();
    let check = |error: FormatError| {
        if skip_damaged {
            Ok(())
        } else {
            Err(error.in_file(map))
        }
    };
    match input.format {
        BookFormat::Edax | BookFormat::EdaxText => {
            let book = edax::EdaxBook::new(map).map_err(|error| error.in_file(map))?;
            if json {
                out.line(serde_json::to_string(&book.header)?)?;
            } else {
                out.line(text::edax_head(&book.header).trim_end())?;
            }
            for record in book.records() {
                match record.map(|record| record.to_record()) {
                    Err(error) => check(error)?,
                    Ok(record) if json => out.line(serde_json::to_string(&record)?)?,
                    Ok(record) => out.line(text::edax_line(&record).trim_end())?,
                }
            }
        }
        BookFormat::Egaroucid(version) => {
            let book =
                egaroucid::EgaroucidBook::of(map, version).map_err(|error| error.in_file(map))?;
            if !json {
                out.line(text::egaroucid_head(book.count()).trim_end())?;
            }
            for entry in book.entries() {
                match entry {
                    Err(error) => check(error)?,
                    Ok(entry) if json => out.line(serde_json::to_string(&entry)?)?,
                    Ok(entry) => out.line(text::egaroucid_line(&entry).trim_end())?,
                }
            }
        }
    }
    out.finish()?;
    Ok(())
}
