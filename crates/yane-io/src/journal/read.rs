//! Reading a journal of either form.

use std::fs::File;
use std::path::Path;

use crate::journal::DamagedPlace;
use crate::journal::format::{Beginning, MAGIC};
use crate::journal::format::{MARK, read_block};
use crate::journal::legacy;
use crate::journal::scan::{Contents, Window, next_mark, scan, unit};
use crate::{Error, Result};
use memchr::memmem;

/// Reads the journal of the run that `beginning` tells.
pub(super) fn read(path: &Path, file: &File, beginning: &Beginning) -> Result<Contents> {
    let mut window = Window::new(path, file)?;
    let size = window.size;
    let first = window.bytes(0, BEGINNING.min(size as usize))?;
    let is_all = first.len() as u64 == size;
    // Nothing, or a beginning that a crash cut off: no unit can be lost with it.
    if is_all && (beginning.bytes().starts_with(first) || first.iter().all(|&byte| byte == 0)) {
        let is_whole = first.len() == beginning.bytes().len();
        let end = if is_whole { size } else { 0 };
        let torn = size - end;
        return Ok(Contents {
            end,
            torn,
            ..Contents::default()
        });
    }
    if first.starts_with(legacy::MAGIC) {
        return legacy::read(&mut window, beginning.identity());
    }
    let Some((start, damaged)) = units_start(path, first, beginning)? else {
        return Err(Error::byte(path, 0, "expected a journal (YANEJRN2)"));
    };
    let format = |window: &mut Window<'_>, offset| unit(window, beginning, offset);
    let mut contents = scan(&mut window, start, format, next_mark)?;
    contents.damaged.splice(0..0, damaged);
    Ok(contents)
}

/// Bytes at the start of a file in which its second beginning is looked for when the first is damaged.
pub(super) const BEGINNING: usize = 4 << 20;

/// The offset of the first unit, and the damage before it; `None` if this is no journal.
pub(super) fn units_start(
    path: &Path,
    first: &[u8],
    beginning: &Beginning,
) -> Result<Option<(u64, Option<DamagedPlace>)>> {
    let place = |start: usize, end: usize| DamagedPlace::new(start as u64, end as u64, None);
    let blocks = memmem::find_iter(first, MAGIC);
    let mut found = blocks.filter_map(|start| {
        let (identity, len) = read_block(&first[start..])?;
        Some((start, identity, start + len))
    });
    let Some((start, identity, end)) = found.next() else {
        return if first.starts_with(MAGIC) {
            Err(Error::byte(
                path,
                0,
                "the beginning of this journal is damaged; remove it to begin anew",
            ))
        } else {
            Ok(None)
        };
    };
    if let Some(difference) = beginning.identity().difference(&identity) {
        return Err(Error::OtherRun {
            path: path.to_owned(),
            what: "journal",
            difference,
        });
    }
    if start > 0 {
        // The second one.
        return Ok(Some((end as u64, Some(place(0, start)))));
    }
    let block = beginning.block();
    let second = first.get(end..).unwrap_or_default();
    if second.starts_with(block) {
        return Ok(Some(((end + block.len()) as u64, None)));
    }
    // Its length may be another one: units are looked for right behind the first.
    let len = second.len().min(block.len());
    let has_mark = memmem::find(second, &MARK).unwrap_or(len);
    Ok(Some((
        (end + has_mark) as u64,
        Some(place(end, end + has_mark)),
    )))
}
