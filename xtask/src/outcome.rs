//! What comes of a task.

/// The outcome of a task that could be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// No problems found.
    Clean,
    /// The task ran to its end and found something wrong, which it has printed.
    Findings,
}

impl Outcome {
    /// [`Outcome::Findings`] if `found`.
    pub(crate) fn from_found(found: bool) -> Self {
        if found { Self::Findings } else { Self::Clean }
    }
}
