//! Edits in messages and in the journal beside the book, where they are the same text.

use page_messages::PageFailure;
use page_shelf::LoggedEdit;
use serde::{Deserialize, Deserializer, Serialize};
use yane_book::edit::{EditError, EntryChange, EntryEdit, Field, MoveEdit, OverlaidBook};

use crate::fields::{move_of, usi};

/// One step of undo: changes of entries, as they stand in the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BookEdit(pub(super) Vec<EntryEdit>);

/// A change of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ChangeFields {
    Set(SetFields),
    Remove(String),
    First(String),
    Comment(String),
    RemovePosition(bool),
}

/// A move that is made or changed. A field that is there and `null` says that nothing is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::option_option, reason = "a field may be left out, or be null")]
pub(super) struct SetFields {
    #[serde(rename = "move")]
    mv: String,
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    reply: Option<Option<String>>,
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    score: Option<Option<i32>>,
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    depth: Option<Option<i32>>,
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    count: Option<Option<String>>,
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    comment: Option<Option<String>>,
}

#[expect(clippy::option_option, reason = "a field may be left out, or be null")]
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

#[expect(clippy::option_option, reason = "a field may be left out, or be null")]
fn field<T, U>(
    field: Option<Option<T>>,
    read: impl FnOnce(T) -> Result<U, PageFailure>,
) -> Result<Field<U>, PageFailure> {
    Ok(match field {
        None => Field::Keep,
        Some(None) => Field::Nothing,
        Some(Some(value)) => Field::Is(read(value)?),
    })
}

#[expect(clippy::option_option, reason = "a field may be left out, or be null")]
fn shown<T: Clone, U>(field: &Field<T>, show: impl FnOnce(T) -> U) -> Option<Option<U>> {
    match field {
        Field::Keep => None,
        Field::Nothing => Some(None),
        Field::Is(value) => Some(Some(show(value.clone()))),
    }
}

/// A count, which is text.
pub(super) fn count_of(text: &str) -> Result<u64, PageFailure> {
    text.parse().map_err(|_| {
        PageFailure::new(format!(
            "count '{}': a number was expected",
            text.escape_debug()
        ))
    })
}

impl ChangeFields {
    /// The change that a message asks for.
    pub(super) fn read(self) -> Result<EntryChange, PageFailure> {
        Ok(match self {
            Self::Set(set) => EntryChange::Set(MoveEdit {
                mv: move_of(&set.mv)?,
                reply: field(set.reply, |reply| move_of(&reply))?,
                score: field(set.score, Ok)?,
                depth: field(set.depth, Ok)?,
                count: field(set.count, |count| count_of(&count))?,
                comment: field(set.comment, Ok)?,
            }),
            Self::Remove(mv) => EntryChange::Remove(move_of(&mv)?),
            Self::First(mv) => EntryChange::First(move_of(&mv)?),
            Self::Comment(comment) => EntryChange::Comment(comment),
            Self::RemovePosition(true) => EntryChange::RemovePosition,
            Self::RemovePosition(false) => {
                return Err(PageFailure::new("remove_position: true was expected"));
            }
        })
    }

    fn of(change: &EntryChange) -> Self {
        match change {
            EntryChange::Set(change) => Self::Set(SetFields {
                mv: usi(change.mv),
                reply: shown(&change.reply, usi),
                score: shown(&change.score, |score| score),
                depth: shown(&change.depth, |depth| depth),
                count: shown(&change.count, |count| count.to_string()),
                comment: shown(&change.comment, |comment| comment),
            }),
            EntryChange::Remove(mv) => Self::Remove(usi(*mv)),
            EntryChange::First(mv) => Self::First(usi(*mv)),
            EntryChange::Comment(comment) => Self::Comment(comment.clone()),
            EntryChange::RemovePosition => Self::RemovePosition(true),
        }
    }
}

/// An edit of an entry in the journal.
#[derive(Serialize, Deserialize)]
struct LoggedEntry {
    position: String,
    ply: Option<u32>,
    changes: Vec<ChangeFields>,
}

impl BookEdit {
    /// Carries it out.
    ///
    /// # Errors
    ///
    /// What cannot be; parts of it may be done then.
    pub(super) fn apply(&self, book: &mut OverlaidBook) -> Result<(), EditError> {
        self.0.iter().try_for_each(|edit| book.edit(edit))
    }
}

impl LoggedEdit for BookEdit {
    const IDENTITY: &'static str = "shogi book edits 1";

    fn to_bytes(&self) -> Vec<u8> {
        let entries = self.0.iter().map(|edit| LoggedEntry {
            position: edit.position.clone(),
            ply: edit.ply,
            changes: edit.changes.iter().map(ChangeFields::of).collect(),
        });
        serde_json::to_vec(&entries.collect::<Vec<_>>()).unwrap_or_default()
    }

    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let entries: Vec<LoggedEntry> = serde_json::from_slice(bytes).ok()?;
        let entries = entries.into_iter().map(|entry| {
            let changes = entry.changes.into_iter().map(ChangeFields::read);
            Some(EntryEdit {
                position: entry.position,
                ply: entry.ply,
                changes: changes.collect::<Result<_, _>>().ok()?,
            })
        });
        entries.collect::<Option<_>>().map(Self)
    }
}
