//! Files of a run: copies, lines of several files in turn, what is published of the best network.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use yane_io::sniff::Expected;
use yane_io::{AtomicFile, Checksum, Error, ReadLimit, Result};

use crate::history::StageOutput;

/// The folder of the best network.
pub(crate) const BEST: &str = "best";

/// Bytes that are copied at a time.
const BLOCK: usize = 1 << 20;

/// Copies a file, which appears whole; its folder is made.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(yane_io::folder_of(to)).map_err(Error::write(to, 0))?;
    let mut source = fs::File::open(from).map_err(Error::io(from))?;
    let mut file = AtomicFile::create(to)?;
    let mut block = vec![0; BLOCK];
    loop {
        match source.read(&mut block) {
            Ok(0) => return file.commit(),
            Ok(len) => file.put(&block[..len])?,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io(from)(error)),
        }
    }
}

/// Copies the files of a folder that are in it itself.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(from).map_err(Error::io(from))? {
        let entry = entry.map_err(Error::io(from))?;
        if entry.path().is_file() {
            names.push(entry.file_name());
        }
    }
    names.sort();
    names
        .iter()
        .try_for_each(|name| copy(&from.join(name), &to.join(name)))
}

/// Writes a text, unless the file has it already.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<()> {
    if fs::read(path).is_ok_and(|bytes| bytes == text.as_bytes()) {
        return Ok(());
    }
    fs::create_dir_all(yane_io::folder_of(path)).map_err(Error::write(path, 0))?;
    let mut file = AtomicFile::create(path)?;
    file.put(text.as_bytes())?;
    file.commit()
}

/// Writes the lines of files in turn: the first of each, the second of each, and so on; a file that has no more is left out. One file
/// alone is copied as it is.
pub(crate) fn interleave(from: &[PathBuf], to: &Path) -> Result<()> {
    if let [one] = from {
        return copy(one, to);
    }
    let mut lists: Vec<std::vec::IntoIter<String>> = Vec::new();
    for path in from {
        let expected = Expected::text("a line for each position or opening");
        let text = yane_io::read_text(path, &expected, ReadLimit::List)?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let lines: Vec<String> = lines.map(str::to_owned).collect();
        lists.push(lines.into_iter());
    }
    let mut text = String::new();
    let mut count = 0;
    loop {
        let before = count;
        for line in lists.iter_mut().filter_map(Iterator::next) {
            text.push_str(&line);
            text.push('\n');
            count += 1;
        }
        if count == before {
            break;
        }
    }
    write_text(to, &text)
}

/// The bytes and the checksum of a file or folder of a run.
pub(crate) fn output(folder: &Path, path: &str) -> Result<StageOutput> {
    let checksum = Checksum::of_path(&folder.join(path))?;
    Ok(StageOutput {
        path: path.to_owned(),
        bytes: checksum.bytes(),
        checksum: checksum.to_string(),
    })
}

/// Removes a file or folder, if it is there.
pub(crate) fn remove(path: &Path) -> Result<()> {
    let removed = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match removed {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(Error::io(path)),
    }
}

/// A JSON object as the text of a file.
pub(crate) fn json_text(value: &Value) -> String {
    format!("{value:#}\n")
}

/// The time that is used up, in seconds.
pub(crate) fn time_text(seconds: f64) -> String {
    json_text(&json!({ "seconds": seconds.round() }))
}
