//! The six lists.

use std::fs;
use std::path::{Path, PathBuf};

use shogi_core::Color;
use yane_io::{AtomicFile, Error};

use super::Leaf;
use crate::Result;

/// The names of the files that will be written.
pub(super) fn names(side: Option<Color>) -> Vec<&'static str> {
    let black = ["think_sfens-black.txt", "think_sfens-black-sfen.txt"];
    let white = ["think_sfens-white.txt", "think_sfens-white-sfen.txt"];
    let both = ["think_sfens.txt", "think_sfens-sfen.txt"];
    match side {
        Some(Color::Black) => black.to_vec(),
        Some(Color::White) => white.to_vec(),
        None => [black, white, both].concat(),
    }
}

/// Writes the lists of the sides that are there; all are complete before the first appears.
pub(super) fn write(
    folder: &Path,
    black: Option<&[Leaf]>,
    white: Option<&[Leaf]>,
) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(folder).map_err(Error::write(folder, 0))?;
    let mut lists: Vec<Vec<&Leaf>> = Vec::new();
    let sides = [black, white].into_iter().flatten();
    lists.extend(sides.map(|leaves| leaves.iter().collect()));
    let side = match (black, white) {
        (Some(black), Some(white)) => {
            lists.push(in_turn(black, white));
            None
        }
        (Some(_), None) => Some(Color::Black),
        (None, _) => Some(Color::White),
    };
    let names = names(side);
    let mut files = Vec::new();
    for (list, names) in lists.iter().zip(names.chunks(2)) {
        for (name, text) in names.iter().zip([line, sfen]) {
            let mut file = AtomicFile::create(&folder.join(name))?;
            for leaf in list {
                file.put(text(leaf).as_bytes())?;
                file.put(b"\n")?;
            }
            files.push(file);
        }
    }
    let paths = files.iter().map(|file| file.target().to_owned()).collect();
    files.into_iter().try_for_each(AtomicFile::commit)?;
    Ok(paths)
}

fn line(leaf: &Leaf) -> &str {
    &leaf.line
}

fn sfen(leaf: &Leaf) -> &str {
    &leaf.sfen
}

/// One of each in turn, then what is left of the longer list.
fn in_turn<'a>(black: &'a [Leaf], white: &'a [Leaf]) -> Vec<&'a Leaf> {
    (0..black.len().max(white.len()))
        .flat_map(|index| [black.get(index), white.get(index)])
        .flatten()
        .collect()
}
