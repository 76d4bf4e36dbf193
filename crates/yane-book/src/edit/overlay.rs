//! A book with edits above its file.

use std::collections::HashMap;
use std::sync::Arc;

use shogi_core::Position;

use super::base::BookBase;
use super::change::{EntryChange, EntryEdit};
use super::entry::{EditableEntry, EditableMove};
use super::error::EditError;
use crate::book_move::flip_move;
use crate::lookup::Match;
use crate::probe::PositionBook;
use crate::{BookMove, Format, Result};

/// Which entries are those of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryMatching {
    /// A position that is not there is looked up turned by 180 degrees.
    pub flipped: bool,
    /// An entry at another ply is one of the position; of several that with the smallest.
    pub ignore_ply: bool,
}

impl Default for EntryMatching {
    /// Both.
    fn default() -> Self {
        Self {
            flipped: true,
            ignore_ply: true,
        }
    }
}

/// An entry that was found for a position.
#[derive(Clone, Debug)]
pub struct FoundEntry {
    /// The way in which it was found.
    pub matched: Match,
    /// The entry as it stands in the book.
    pub entry: EditableEntry,
}

impl FoundEntry {
    /// Returns whether the entry is that of the position turned by 180 degrees.
    pub(crate) const fn is_flipped(&self) -> bool {
        matches!(self.matched, Match::Flipped | Match::FlippedOtherPly)
    }

    /// The moves as they are played in the position that was asked for, in the order of the book.
    pub fn into_moves(self) -> Vec<EditableMove> {
        let is_flipped = self.is_flipped();
        let mut moves = self.entry.moves;
        if is_flipped {
            // Bits that are no move stay as they are.
            let flip = |mv: shogi_core::Move16| mv.decode().map_or(mv, |_| flip_move(mv));
            for known in &mut moves {
                known.mv = known.mv.map(flip);
                known.reply = known.reply.map(flip);
            }
        }
        moves
    }
}

/// An entry that edits made, changed or removed.
#[derive(Clone, Debug)]
pub(super) struct ChangedEntry {
    pub(super) ply: Option<u32>,
    /// Whether the file has the entry.
    pub(super) is_in_file: bool,
    /// `None` if it was removed.
    pub(super) entry: Option<Arc<EditableEntry>>,
}

/// A book with edits above its file. Cheap to clone: the file is shared.
#[derive(Clone, Debug)]
pub struct OverlaidBook {
    pub(super) base: Arc<BookBase>,
    /// By canonical SFENs without ply.
    pub(super) changed: Arc<HashMap<String, Vec<ChangedEntry>>>,
    /// Positions more than in the file.
    more: i64,
}

impl OverlaidBook {
    /// A book without edits.
    pub fn new(base: Arc<BookBase>) -> Self {
        Self {
            base,
            changed: Arc::default(),
            more: 0,
        }
    }

    /// The file.
    pub const fn base(&self) -> &Arc<BookBase> {
        &self.base
    }

    /// Positions that the book has more than its file; fewer if negative.
    pub const fn more(&self) -> i64 {
        self.more
    }

    /// Returns whether there are no edits.
    pub fn is_unchanged(&self) -> bool {
        self.changed.is_empty()
    }

    /// The entries of a position by their plies.
    ///
    /// # Errors
    /// A binary file that is damaged at this position.
    pub fn entries(&self, position: &Position) -> Result<Vec<EditableEntry>> {
        let mut entries = self.base.entries(position)?;
        if self.changed.is_empty() {
            return Ok(entries);
        }
        if let Some(changed) = self.changed.get(&position.to_sfen_without_ply()) {
            for one in changed {
                entries.retain(|entry| entry.ply != one.ply);
                entries.extend(one.entry.as_deref().cloned());
            }
            entries.sort_by_key(|entry| entry.ply);
        }
        Ok(entries)
    }

    /// The entry of a position: as it is, else at another ply, else turned, else turned at another ply.
    ///
    /// # Errors
    /// A binary file that is damaged at this position.
    pub fn find(&self, position: &Position, finding: EntryMatching) -> Result<Option<FoundEntry>> {
        let found = self.find_one_way(position, finding.ignore_ply)?;
        if let Some((is_exact, entry)) = found {
            let matched = if is_exact {
                Match::Exact
            } else {
                Match::OtherPly
            };
            return Ok(Some(FoundEntry { matched, entry }));
        }
        if !finding.flipped {
            return Ok(None);
        }
        let flipped = position.flip().with_ply(position.ply());
        let found = self.find_one_way(&flipped, finding.ignore_ply)?;
        Ok(found.map(|(is_exact, entry)| FoundEntry {
            matched: if is_exact {
                Match::Flipped
            } else {
                Match::FlippedOtherPly
            },
            entry,
        }))
    }

    /// Returns whether the book has an entry of a position.
    ///
    /// # Errors
    /// A binary file that is damaged at this position.
    pub fn contains(&self, position: &Position, finding: EntryMatching) -> Result<bool> {
        if self.contains_one_way(position, finding.ignore_ply)? {
            return Ok(true);
        }
        let flipped = || position.flip().with_ply(position.ply());
        Ok(finding.flipped && self.contains_one_way(&flipped(), finding.ignore_ply)?)
    }

    fn contains_one_way(&self, position: &Position, ignore_ply: bool) -> Result<bool> {
        let mut plies = self.base.plies(position)?;
        if !self.changed.is_empty()
            && let Some(changed) = self.changed.get(&position.to_sfen_without_ply())
        {
            for one in changed {
                plies.retain(|ply| *ply != one.ply);
                plies.extend(one.entry.is_some().then_some(one.ply));
            }
        }
        let is_it = |ply: &Option<u32>| ignore_ply || ply.is_none_or(|ply| ply == position.ply());
        Ok(plies.iter().any(is_it))
    }

    fn find_one_way(
        &self,
        position: &Position,
        ignore_ply: bool,
    ) -> Result<Option<(bool, EditableEntry)>> {
        let mut entries = self.entries(position)?;
        let is_exact = |entry: &EditableEntry| entry.ply.is_none_or(|ply| ply == position.ply());
        if let Some(at) = entries.iter().position(is_exact) {
            return Ok(Some((true, entries.swap_remove(at))));
        }
        let first = entries.into_iter().next().filter(|_| ignore_ply);
        Ok(first.map(|entry| (false, entry)))
    }

    /// The book's moves of a position, as the engine plays them; none when it is not there.
    ///
    /// # Errors
    /// A binary file that is damaged at this position.
    pub fn book_moves(&self, position: &Position, finding: EntryMatching) -> Result<Vec<BookMove>> {
        let format = self.base.format();
        let found = self.find(position, finding)?;
        let moves = found.map_or_else(Vec::new, FoundEntry::into_moves);
        Ok(moves
            .iter()
            .map(|known| known.to_book_move(format))
            .collect())
    }

    /// The edit that changes what the book says of a position: of the entry that is found, as it stands there, or else of a new
    /// one. Nothing is changed yet.
    ///
    /// # Errors
    /// A book that cannot be read at this position.
    pub fn edit_of(
        &self,
        position: &Position,
        finding: EntryMatching,
        changes: &[EntryChange],
    ) -> std::result::Result<EntryEdit, EditError> {
        // Such a book has a position once, whatever its ply is.
        let ignore_ply = finding.ignore_ply || self.base.format() == Format::Ybb;
        let found = self.find(
            position,
            EntryMatching {
                ignore_ply,
                ..finding
            },
        )?;
        let Some(found) = found else {
            return Ok(EntryEdit {
                position: position.to_sfen_without_ply(),
                ply: (self.base.format() != Format::Apery).then_some(position.ply()),
                changes: changes.to_vec(),
            });
        };
        let is_flipped = found.is_flipped();
        let change = |change: &EntryChange| {
            if is_flipped {
                change.flip()
            } else {
                change.clone()
            }
        };
        Ok(EntryEdit {
            position: found.entry.position,
            ply: found.entry.ply,
            changes: changes.iter().map(change).collect(),
        })
    }

    /// Carries out an edit.
    ///
    /// # Errors
    /// What the rules of shogi or the format do not allow; what is not there. Nothing is changed then.
    pub fn edit(&mut self, edit: &EntryEdit) -> std::result::Result<(), EditError> {
        self.base.check_writable()?;
        let position = Position::from_sfen(&edit.position)?;
        let now = self
            .entries(&position)?
            .into_iter()
            .find(|entry| entry.ply == edit.ply);
        let was_there = now.is_some();
        if let Some(problem) = now.as_ref().and_then(EditableEntry::problem) {
            return Err(EditError::Damaged(problem.to_string()));
        }
        let mut entry = now.unwrap_or_else(|| EditableEntry {
            position: edit.position.clone(),
            ply: edit.ply,
            ..EditableEntry::default()
        });
        let rules = self.base.rules();
        for change in &edit.changes {
            if *change == EntryChange::RemovePosition && entry.moves.is_empty() {
                return Err(EditError::NoSuchPosition);
            }
            entry.change(change, rules)?;
        }
        let entry = Some(entry).filter(|entry| !entry.moves.is_empty());
        if !was_there && entry.is_none() {
            return Err(EditError::NoSuchPosition);
        }
        self.more += i64::from(entry.is_some()) - i64::from(was_there);
        self.put(edit, was_there, entry.map(Arc::new));
        Ok(())
    }

    fn put(&mut self, edit: &EntryEdit, was_there: bool, entry: Option<Arc<EditableEntry>>) {
        let changed = Arc::make_mut(&mut self.changed);
        let plies = changed.entry(edit.position.clone()).or_default();
        match plies.iter_mut().find(|one| one.ply == edit.ply) {
            Some(one) => one.entry = entry,
            None => plies.push(ChangedEntry {
                ply: edit.ply,
                is_in_file: was_there,
                entry,
            }),
        }
        plies.retain(|one| one.is_in_file || one.entry.is_some());
        if plies.is_empty() {
            changed.remove(&edit.position);
        }
    }

    /// Entries that edits made or changed, in no order.
    pub(super) fn changed_entries(&self) -> impl Iterator<Item = &EditableEntry> {
        let all = self.changed.values().flatten();
        all.filter_map(|one| one.entry.as_deref())
    }

    /// Returns whether an entry of the file is another one now.
    pub(super) fn is_changed(&self, position: &str, ply: Option<u32>) -> bool {
        let plies = self.changed.get(position);
        plies.is_some_and(|plies| plies.iter().any(|one| one.ply == ply))
    }
}

impl PositionBook for OverlaidBook {
    /// At whatever ply.
    fn moves_of(&self, position: &Position) -> Result<Vec<BookMove>> {
        let finding = EntryMatching {
            flipped: false,
            ignore_ply: true,
        };
        self.book_moves(position, finding)
    }
}
