//! What a file is, in words.

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileKind {
    /// The name of the kind, to stand behind "this is": `a gzip file`.
    pub name: &'static str,
    /// Advice, as a request: `unpack it first`. Empty when there is nothing to say.
    pub advice: &'static str,
    /// Returns whether it is plain text that says of itself no more than that.
    pub(super) is_text: bool,
}

impl FileKind {
    /// A kind with this name, which stands behind "this is".
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            advice: "",
            is_text: false,
        }
    }

    /// The same kind, with what to do about it.
    #[must_use]
    pub const fn with_advice(self, advice: &'static str) -> Self {
        Self { advice, ..self }
    }

    /// Returns whether it is text that says nothing about what it holds.
    pub const fn is_text(&self) -> bool {
        self.is_text
    }
}
