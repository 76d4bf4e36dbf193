//! A book of `ShogiGUI`, in memory.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::entry::{EditableEntry, EditableMove};
use crate::Result;
use crate::db::CommentSubject;
use crate::sbk::{SbkBook, SbkEntry};

/// A book in memory.
#[derive(Debug)]
pub(super) struct SbkBase {
    path: PathBuf,
    pub(super) entries: Vec<EditableEntry>,
    /// Places by canonical SFENs without ply.
    places: HashMap<String, usize>,
}

impl SbkBase {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let book = SbkBook::read(path)?;
        let entries: Vec<_> = book.entries.iter().map(entry).collect();
        let places = entries.iter().enumerate();
        let places = places.map(|(at, entry)| (entry.position.clone(), at));
        Ok(Self {
            path: path.to_owned(),
            places: places.collect(),
            entries,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn find(&self, position: &str) -> Option<&EditableEntry> {
        self.places.get(position).map(|&at| &self.entries[at])
    }
}

fn entry(read: &SbkEntry) -> EditableEntry {
    let moves = read.moves.iter().map(|known| EditableMove {
        mv: known.mv,
        reply: known.ponder,
        count: Some(known.count),
        comment: read.comments.text(CommentSubject::Move(known.mv)),
        ..EditableMove::default()
    });
    EditableEntry {
        position: read.position.to_sfen_without_ply(),
        ply: Some(read.position.ply()),
        comment: read.comments.text(CommentSubject::Position),
        moves: moves.collect(),
        ..EditableEntry::default()
    }
}
