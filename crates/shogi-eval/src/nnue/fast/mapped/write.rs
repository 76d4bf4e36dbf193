//! Writing files.

use std::io::{self, Write};
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;
use yane_io::AtomicFile;

use super::arrays::{arrays, wrong_array};
use super::facts::Facts;
use super::header::{Header, SECTIONS};
use super::{MappedKey, MappedNetwork, PAGE};
use crate::nnue::progress::Progress;

impl MappedNetwork {
    /// Writes the network as a file that is known by `key`.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn write(&self, key: MappedKey, mut out: impl Write) -> io::Result<()> {
        let network = &self.network;
        let facts = Facts {
            architecture: network.architecture,
            progress_bias: network.progress.as_ref().map_or(0, Progress::bias),
            dense: network.dense,
            notes: self.notes.clone(),
        };
        let facts = facts.to_text();
        let arrays = arrays(network);
        debug_assert_eq!(
            wrong_array(
                &network.architecture,
                &arrays.map(|array| array.len() as u64)
            ),
            None
        );
        let mut sections: [&[u8]; SECTIONS] = [&[]; SECTIONS];
        sections[0] = facts.as_bytes();
        sections[1] = &network.description;
        sections[2..].copy_from_slice(&arrays);

        let mut check = Xxh3::new();
        each_part(&sections, |part| {
            check.update(part);
            Ok(())
        })?;
        let header = Header {
            key,
            lens: sections.map(|section| section.len() as u64),
            check: check.digest(),
        };
        let page = header.to_bytes().ok_or(io::ErrorKind::FileTooLarge)?;
        out.write_all(&page)?;
        each_part(&sections, |part| out.write_all(part))
    }

    /// Makes the network the file `path` that is known by `key`, whole or not at all.
    ///
    /// # Errors
    /// When the folder cannot be written to or the disk is full. An old file is untouched then.
    pub fn save(&self, key: MappedKey, path: &Path) -> yane_io::Result<()> {
        let mut file = AtomicFile::create(path)?;
        self.write(key, &mut file)
            .map_err(yane_io::Error::io(path))?;
        file.commit()
    }
}

/// The sections and the zeros behind them.
fn each_part(
    sections: &[&[u8]; SECTIONS],
    mut part: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    for section in sections {
        part(section)?;
        let spare = section.len().next_multiple_of(PAGE) - section.len();
        part(&[0; PAGE][..spare])?;
    }
    Ok(())
}
