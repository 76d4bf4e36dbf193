//! `book dump`: all positions in the order of the file.

use std::path::Path;

use othello_book::files::Input;
use othello_book::store::Damage;
use othello_book::{Fault, Format, edax, egaroucid, text};
use yane_cli::print::Printer;

pub(super) fn dump(path: &Path, skip_damaged: bool, json: bool) -> anyhow::Result<()> {
    let input = Input::open(path)?.alone();
    let damage = if skip_damaged {
        Damage::Skip
    } else {
        Damage::Stop
    };
    input.damaged_lines(damage)?;
    let map = &input.map;
    let mut out = Printer::new();
    let check = |fault: Fault| {
        if skip_damaged {
            Ok(())
        } else {
            Err(fault.of(map))
        }
    };
    match input.format {
        Format::Edax | Format::EdaxText => {
            let book = edax::Book::new(map).map_err(|fault| fault.of(map))?;
            if json {
                out.line(serde_json::to_string(&book.header)?)?;
            } else {
                out.line(text::edax_head(&book.header).trim_end())?;
            }
            for record in book.records() {
                match record.map(|record| record.to_record()) {
                    Err(fault) => check(fault)?,
                    Ok(record) if json => out.line(serde_json::to_string(&record)?)?,
                    Ok(record) => out.line(text::edax_line(&record).trim_end())?,
                }
            }
        }
        Format::Egaroucid(version) => {
            let book = egaroucid::Book::of(map, version).map_err(|fault| fault.of(map))?;
            if !json {
                out.line(text::egaroucid_head(book.count()).trim_end())?;
            }
            for entry in book.entries() {
                match entry {
                    Err(fault) => check(fault)?,
                    Ok(entry) if json => out.line(serde_json::to_string(&entry)?)?,
                    Ok(entry) => out.line(text::egaroucid_line(&entry).trim_end())?,
                }
            }
        }
    }
    out.finish()?;
    Ok(())
}
