//! Edits as the journal beside the book keeps them.

use othello_book::store::PositionEdit;
use page_shelf::LoggedEdit;

/// An edit of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BookEdit(pub(super) PositionEdit);

impl LoggedEdit for BookEdit {
    const IDENTITY: &'static str = "othello book edits 1";

    fn to_bytes(&self) -> Vec<u8> {
        self.0.to_bytes().to_vec()
    }

    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        PositionEdit::of_bytes(bytes.try_into().ok()?).map(Self)
    }
}
