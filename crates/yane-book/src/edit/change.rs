//! What people change in a book.

use shogi_core::{Move16, Position};

use super::entry::{BookColumns, EditableEntry, EditableMove};
use super::error::{EditError, LONGEST_COMMENT};
use crate::Format;
use crate::book_move::flip_move;
use crate::records::legal_move;
use crate::ybb::MoveDepths;

/// A field of a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Field<T> {
    /// The field stays as it is.
    #[default]
    Keep,
    /// Nothing is known from now on.
    Nothing,
    /// The field is this from now on.
    Is(T),
}

impl<T> Field<T> {
    fn change(self, field: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Nothing => *field = None,
            Self::Is(value) => *field = Some(value),
        }
    }

    fn value(&self) -> Option<&T> {
        match self {
            Self::Is(value) => Some(value),
            Self::Keep | Self::Nothing => None,
        }
    }
}

/// A move that is made or changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveEdit {
    /// The move.
    pub mv: Move16,
    /// The expected reply.
    pub reply: Field<Move16>,
    /// Centipawns for the side to move.
    pub score: Field<i32>,
    /// Depth in plies.
    pub depth: Field<i32>,
    /// The count.
    pub count: Field<u64>,
    /// The comment; an empty one is none.
    pub comment: Field<String>,
}

impl MoveEdit {
    /// A move of which nothing else is changed.
    pub const fn new(mv: Move16) -> Self {
        Self {
            mv,
            reply: Field::Keep,
            score: Field::Keep,
            depth: Field::Keep,
            count: Field::Keep,
            comment: Field::Keep,
        }
    }
}

/// A change of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryChange {
    /// Makes the move, or changes fields of it. Moves that are in the usual order (by count, then by score) stay in it; in any other
    /// order a new one comes last.
    Set(MoveEdit),
    /// Removes a move. An entry without moves is removed too.
    Remove(Move16),
    /// Puts a move in front of the others.
    First(Move16),
    /// Sets the comment of the position; an empty one is none.
    Comment(String),
    /// Removes the entry.
    RemovePosition,
}

impl EntryChange {
    /// The change of the position turned by 180 degrees.
    pub(super) fn flip(&self) -> Self {
        match self {
            Self::Set(change) => Self::Set(MoveEdit {
                mv: flip_move(change.mv),
                reply: match change.reply {
                    Field::Is(reply) => Field::Is(flip_move(reply)),
                    other => other,
                },
                ..change.clone()
            }),
            Self::Remove(mv) => Self::Remove(flip_move(*mv)),
            Self::First(mv) => Self::First(flip_move(*mv)),
            Self::Comment(_) | Self::RemovePosition => self.clone(),
        }
    }
}

/// Changes of one entry, as it stands in the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryEdit {
    /// The canonical SFEN without ply.
    pub position: String,
    /// The ply; `None` in a book that has none.
    pub ply: Option<u32>,
    /// The changes, in their order.
    pub changes: Vec<EntryChange>,
}

/// What a book can hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct FormatRules {
    pub(super) format: Format,
    pub(super) columns: BookColumns,
}

impl FormatRules {
    pub(super) const fn new(format: Format, depths: MoveDepths) -> Self {
        let columns = match format {
            Format::Db => BookColumns::ALL,
            Format::Ybb => BookColumns {
                reply: false,
                depth: matches!(depths, MoveDepths::Stored),
                count: false,
                comment: false,
                ..BookColumns::ALL
            },
            Format::Apery => BookColumns {
                reply: false,
                depth: false,
                comment: false,
                ..BookColumns::ALL
            },
            Format::Sbk => BookColumns {
                score: false,
                depth: false,
                ..BookColumns::ALL
            },
        };
        Self { format, columns }
    }

    const fn name(self) -> &'static str {
        match self.format {
            Format::Db => ".db",
            Format::Ybb => ".ybb",
            Format::Apery => "Apery",
            Format::Sbk => ".sbk",
        }
    }

    fn kept(self, is_kept: bool, column: &'static str) -> Result<(), EditError> {
        let format = self.name();
        is_kept
            .then_some(())
            .ok_or(EditError::NotKept { format, column })
    }

    fn within(
        self,
        column: &'static str,
        value: i128,
        least: i128,
        most: i128,
    ) -> Result<(), EditError> {
        if (least..=most).contains(&value) {
            return Ok(());
        }
        Err(EditError::Range {
            format: self.name(),
            column,
            value,
            least,
            most,
        })
    }

    /// Refuses what cannot be held.
    fn check(self, change: &MoveEdit) -> Result<(), EditError> {
        let columns = self.columns;
        let none = |field: bool| !field;
        self.kept(
            columns.reply || none(change.reply.value().is_some()),
            "replies",
        )?;
        self.kept(
            columns.score || none(change.score.value().is_some()),
            "scores",
        )?;
        self.kept(
            columns.depth || none(change.depth.value().is_some()),
            "depths",
        )?;
        self.kept(
            columns.count || none(change.count.value().is_some()),
            "counts",
        )?;
        if let Some(comment) = change.comment.value() {
            self.check_comment(comment)?;
        }
        let score = change.score.value().map(|&score| i128::from(score));
        let depth = change.depth.value().map(|&depth| i128::from(depth));
        let count = change.count.value().map(|&count| i128::from(count));
        match self.format {
            Format::Ybb => {
                self.within(
                    "score",
                    score.unwrap_or(0),
                    i16::MIN.into(),
                    i16::MAX.into(),
                )?;
                self.within("depth", depth.unwrap_or(0), 0, u16::MAX.into())
            }
            Format::Apery => self.within("count", count.unwrap_or(0), 0, u16::MAX.into()),
            Format::Db | Format::Sbk => Ok(()),
        }
    }

    fn check_comment(self, comment: &str) -> Result<(), EditError> {
        self.kept(self.columns.comment || comment.is_empty(), "comments")?;
        let is_bad = |c: char| c.is_control() && c != '\n' && c != '\t';
        if comment.len() > LONGEST_COMMENT || comment.contains(is_bad) {
            return Err(EditError::Comment);
        }
        Ok(())
    }

    /// Numbers that the format has for every move.
    fn complete(self, known: &mut EditableMove) {
        match self.format {
            Format::Ybb => {
                known.score.get_or_insert(0);
                if self.columns.depth {
                    known.depth.get_or_insert(0);
                }
            }
            Format::Apery => {
                known.score.get_or_insert(0);
                known.count.get_or_insert(1);
            }
            Format::Db | Format::Sbk => {}
        }
    }
}

fn spell(mv: Move16) -> String {
    mv.decode()
        .map_or_else(|| format!("{:#06x}", mv.0), |text| text.to_string())
}

impl EditableEntry {
    /// Carries out a change.
    pub(super) fn change(
        &mut self,
        change: &EntryChange,
        rules: FormatRules,
    ) -> Result<(), EditError> {
        match change {
            EntryChange::Set(change) => self.set(change, rules),
            EntryChange::Remove(mv) => {
                let at = self.place(*mv)?;
                self.moves.remove(at);
                Ok(())
            }
            EntryChange::First(mv) => {
                let at = self.place(*mv)?;
                self.moves[..=at].rotate_right(1);
                self.moves[0].is_edited = true;
                Ok(())
            }
            EntryChange::Comment(comment) => {
                rules.check_comment(comment)?;
                self.comment.clone_from(comment);
                self.notes.clear();
                Ok(())
            }
            EntryChange::RemovePosition => {
                self.moves.clear();
                Ok(())
            }
        }
    }

    fn place(&self, mv: Move16) -> Result<usize, EditError> {
        let place = self.moves.iter().position(|known| known.mv == Some(mv));
        place.ok_or_else(|| EditError::NoSuchMove(spell(mv)))
    }

    fn set(&mut self, change: &MoveEdit, rules: FormatRules) -> Result<(), EditError> {
        rules.check(change)?;
        let is_in_order = self.is_in_order();
        let at = self.place(change.mv).ok();
        self.check_legality(change, at.is_none())?;
        let at = at.unwrap_or_else(|| {
            self.moves.push(EditableMove {
                mv: Some(change.mv),
                ..EditableMove::default()
            });
            self.moves.len() - 1
        });
        let known = &mut self.moves[at];
        change.reply.change(&mut known.reply);
        change.score.change(&mut known.score);
        change.depth.change(&mut known.depth);
        change.count.change(&mut known.count);
        match &change.comment {
            Field::Keep => known.rewrite_line(),
            Field::Nothing => known.set_comment(""),
            Field::Is(comment) => known.set_comment(comment),
        }
        rules.complete(known);
        known.is_edited = true;
        if is_in_order {
            self.sort();
        }
        Ok(())
    }

    /// Refuses moves and replies that the rules of shogi do not allow. A move that the book has already may be changed whatever
    /// it is.
    fn check_legality(&self, change: &MoveEdit, is_new: bool) -> Result<(), EditError> {
        let reply = change.reply.value();
        if !is_new && reply.is_none() {
            return Ok(());
        }
        let mut position = Position::from_sfen(&self.sfen())?;
        let Some(m) = legal_move(&position, change.mv) else {
            return Err(EditError::Illegal(spell(change.mv)));
        };
        let _ = position.do_move_unchecked(m);
        match reply {
            Some(&reply) if legal_move(&position, reply).is_none() => {
                Err(EditError::IllegalReply {
                    mv: spell(change.mv),
                    reply: spell(reply),
                })
            }
            _ => Ok(()),
        }
    }
}
