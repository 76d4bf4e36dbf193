//! Writing a book anew with its edits, in its own format.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use shogi_core::{AperyMove16, Move16, Position};
use shogi_packed::PackedSfen;

use super::base::BaseKind;
use super::db::DbBase;
use super::entry::EditableEntry;
use super::error::EditError;
use super::overlay::{ChangedEntry, OverlaidBook};
use super::patch::{Joint, Patch, write};
use super::text::push_entry;
use crate::apery::{self, Apery, RECORD};
use crate::ybb::{Ybb, YbbWriter};
use crate::{BookError, BookMove, Format, Job, Result, Unit};

/// Positions between two looks at the clock.
const STEP: u64 = 1 << 13;

impl OverlaidBook {
    /// Writes the file anew with the edits, in one pass: to a temporary file, which takes the name when it is whole. Text keeps the
    /// bytes of all entries that were not changed, its header, line ends and byte order mark; in binary books the entries that were not
    /// changed stay the same.
    ///
    /// The caller has to hold the file's claim, and to know that it is the file that was opened.
    ///
    /// # Errors
    /// When the file cannot be read or written, or the job is cancelled; the old file is untouched then.
    pub fn save(&self, job: &Job) -> std::result::Result<(), EditError> {
        self.base.check_writable()?;
        match &self.base.kind {
            BaseKind::Db(book) => self.save_db(book, job)?,
            BaseKind::Ybb(book) => self.save_ybb(book, job)?,
            BaseKind::Apery(book) => self.save_apery(book, job)?,
            BaseKind::Sbk(_) => return Err(EditError::ReadOnly(".sbk")),
            BaseKind::Sliced(_) => return Err(EditError::Sliced),
        }
        Ok(())
    }

    fn changes(&self) -> impl Iterator<Item = (&str, &ChangedEntry)> {
        let all = self.changed.iter();
        all.flat_map(|(position, plies)| plies.iter().map(move |one| (position.as_str(), one)))
    }

    fn save_db(&self, book: &DbBase, job: &Job) -> Result<()> {
        let line_end = book.line_end();
        let mut patches = Vec::new();
        for (position, one) in self.changes() {
            let ply = one.ply.unwrap_or(1);
            let mut bytes = Vec::new();
            if let Some(entry) = &one.entry {
                push_entry(&mut bytes, entry, line_end);
            }
            let sfen = format!("{position} {ply}");
            let mut places = book.places(position, ply);
            if places.is_empty() {
                let place = book.place_for(&sfen);
                places.push(place..place);
            }
            // Further records of the entry are part of the first one now.
            for place in places {
                patches.push(Patch {
                    place,
                    key: sfen.clone().into_bytes(),
                    bytes: std::mem::take(&mut bytes),
                });
            }
        }
        write(book.path(), patches, Joint::Lines(line_end), job)
    }

    fn save_apery(&self, book: &Apery, job: &Job) -> Result<()> {
        let mut patches = Vec::new();
        for (position, one) in self.changes() {
            let key = apery::key(&parsed(book.path(), position)?);
            let moves = one.entry.as_ref().map_or(&[][..], |entry| &entry.moves);
            let mut bytes = Vec::new();
            for known in moves {
                let known = known.to_book_move(Format::Apery);
                let code = known.mv.and_then(Move16::decode);
                let code = code.map_or(0, |text| AperyMove16::encode(text).0);
                let count = u16::try_from(known.count).unwrap_or(u16::MAX);
                bytes.extend_from_slice(&key.to_le_bytes());
                bytes.extend_from_slice(&code.to_le_bytes());
                bytes.extend_from_slice(&count.to_le_bytes());
                bytes.extend_from_slice(&known.eval.to_le_bytes());
            }
            patches.push(Patch {
                place: place(book, key),
                key: key.to_be_bytes().to_vec(),
                bytes,
            });
        }
        write(book.path(), patches, Joint::Bytes, job)
    }

    fn save_ybb(&self, book: &Ybb, job: &Job) -> Result<()> {
        let path = book.path();
        let mut changed = BTreeMap::new();
        for (position, one) in self.changes() {
            let packed = PackedSfen::encode(&parsed(path, position)?)
                .map_err(|error| BookError::file(path, format!("{position}: {error}")))?;
            changed.insert(packed.0, one);
        }
        // A map of its own, which is read from front to back.
        let source = Ybb::open(path)?;
        job.progress
            .stage("write", Some(source.len()), Unit::Positions);
        let mut out = YbbWriter::create(path, job.temp_for(path), source.depths())?;
        for (number, entry) in source.entries().enumerate() {
            if (number as u64).is_multiple_of(STEP) {
                job.check()?;
                job.progress.advance(STEP);
            }
            let entry = entry?;
            while let Some(first) = changed
                .first_entry()
                .filter(|first| *first.key() < entry.packed.0)
            {
                let (packed, one) = first.remove_entry();
                push_ybb(&mut out, packed, one)?;
            }
            if let Some(one) = changed.remove(&entry.packed.0) {
                push_ybb(&mut out, entry.packed.0, one)?;
            } else {
                let moves: Vec<_> = entry.moves().collect();
                out.push(&entry.packed, entry.ply, &moves)?;
            }
        }
        for (packed, one) in changed {
            push_ybb(&mut out, packed, one)?;
        }
        out.commit()
    }
}

fn push_ybb(out: &mut YbbWriter, packed: [u8; 32], one: &ChangedEntry) -> Result<()> {
    let Some(entry) = &one.entry else {
        return Ok(());
    };
    let ply = one
        .ply
        .and_then(|ply| u16::try_from(ply).ok())
        .unwrap_or(u16::MAX);
    out.push(&PackedSfen(packed), ply, &book_moves(entry))
}

fn book_moves(entry: &EditableEntry) -> Vec<BookMove> {
    let moves = entry.moves.iter();
    moves.map(|known| known.to_book_move(Format::Ybb)).collect()
}

fn parsed(path: &Path, position: &str) -> Result<Position> {
    Position::from_sfen(position)
        .map_err(|error| BookError::file(path, format!("{position}: {error}")))
}

/// Where the records of a key stand, or are to stand.
fn place(book: &Apery, key: u64) -> Range<u64> {
    let first = book.first_from(key);
    let count = book.find(key).len() as u64;
    first..first + count * RECORD as u64
}
