//! Results that are there: in a journal, so that an interrupted run goes on, or in memory.

use std::path::Path;

use anyhow::Context as _;
use shogi_review::GameReview;
use yane_io::{Flush, Journal, RunIdentity};

/// The results by the number of the game.
pub(super) enum Store {
    /// In memory, as nothing is written that a run could be resumed for.
    Memory(Vec<Option<GameReview>>),
    /// In a journal.
    Journal(Box<Journal>),
}

impl Store {
    /// Opens the store: a journal at `path`, if there is one, for the run `identity`; `anew` forgets the results of another run.
    pub(super) fn open(
        path: Option<&Path>,
        identity: &RunIdentity,
        anew: Anew,
        games: usize,
    ) -> anyhow::Result<Self> {
        let Some(path) = path else {
            return Ok(Self::Memory(vec![None; games]));
        };
        let opened = match Journal::open(path, identity, Flush::Always) {
            Err(yane_io::Error::OtherRun { .. }) if anew == Anew::Yes => {
                Journal::begin(path, identity, Flush::Always)?
            }
            Err(error @ yane_io::Error::OtherRun { .. }) => {
                return Err(error).context(
                    "pass --force to discard what is finished there, or choose another output",
                );
            }
            opened => opened?.tell(|note| eprintln!("{note}")),
        };
        Ok(Self::Journal(Box::new(opened)))
    }

    /// Returns whether the result of a game is there.
    pub(super) fn contains(&self, game: usize) -> bool {
        match self {
            Self::Memory(reviews) => reviews.get(game).is_some_and(Option::is_some),
            Self::Journal(journal) => journal.contains(game as u64),
        }
    }

    /// Keeps a result.
    pub(super) fn put(&mut self, game: usize, review: GameReview) -> anyhow::Result<()> {
        match self {
            Self::Memory(reviews) => {
                if let Some(place) = reviews.get_mut(game) {
                    *place = Some(review);
                }
            }
            Self::Journal(journal) => journal.put(game as u64, &serde_json::to_vec(&review)?)?,
        }
        Ok(())
    }

    /// The result of a game.
    pub(super) fn get(&mut self, game: usize) -> anyhow::Result<Option<GameReview>> {
        match self {
            Self::Memory(reviews) => Ok(reviews.get(game).cloned().flatten()),
            Self::Journal(journal) => {
                let bytes = journal.get(game as u64)?;
                let review = bytes
                    .map(|bytes| serde_json::from_slice(&bytes))
                    .transpose();
                review.context("the journal has a result that this version does not know")
            }
        }
    }

    /// Removes the journal: all results are written elsewhere.
    pub(super) fn remove(self) -> anyhow::Result<()> {
        match self {
            Self::Memory(_) => Ok(()),
            Self::Journal(journal) => Ok(journal.remove()?),
        }
    }
}

/// Whether the journal of another run is forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anew {
    /// It is.
    Yes,
    /// It is an error.
    No,
}
