//! What is searched for.

use page_messages::PageFailure;
use page_shelf::library::{TextQuery, TextSearch};
use serde::Deserialize;
use shogi_openings::{CastleName, OPENINGS, OpeningName, castle_names};

use super::entry::Entry;
use super::fold::fold;
use crate::fields::position_of;

/// What is searched for: games that fit everything that is given.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SearchFields {
    #[serde(flatten)]
    texts: TextSearch,
    opening: Option<String>,
    position: Option<String>,
}

/// What is searched for, prepared.
pub(super) struct Query {
    texts: TextQuery,
    names: Option<Names>,
    /// The number of the position.
    position: Option<u64>,
}

/// Openings and castles of which a game has to have one.
struct Names {
    openings: Vec<&'static OpeningName>,
    castles: Vec<&'static CastleName>,
}

impl Query {
    /// Prepares a search.
    ///
    /// # Errors
    ///
    /// A position that is none.
    pub(super) fn of(fields: &SearchFields) -> Result<Self, PageFailure> {
        let opening = fields.opening.as_deref().unwrap_or_default().trim();
        let position = fields.position.as_deref().map(position_of).transpose()?;
        Ok(Self {
            texts: TextQuery::new(&fields.texts, fold),
            names: (!opening.is_empty()).then(|| Names::of(opening)),
            position: position.map(|position| position.key()),
        })
    }

    /// Returns whether a game fits.
    pub(super) fn accepts(&self, game: &Entry) -> bool {
        self.names.as_ref().is_none_or(|names| names.fit(game))
            && self.texts.accepts(&game.texts)
            && self.position.is_none_or(|key| game.keys.contains(key))
    }
}

impl Names {
    /// What has this name, and its kinds; where nothing has it, what has it as a part of the name.
    fn of(text: &str) -> Self {
        let openings: Vec<_> = { OPENINGS.iter() }
            .filter(|one| one.is_called(text))
            .collect();
        let wanted = fold(text);
        let castles = castle_names().filter(|one| [one.ja, one.en].map(fold).contains(&wanted));
        let names = Self {
            openings,
            castles: castles.collect(),
        };
        if !names.openings.is_empty() || !names.castles.is_empty() {
            return names;
        }
        let has_part = |ja: &str, en: &str| [ja, en].iter().any(|one| fold(one).contains(&wanted));
        Self {
            openings: { OPENINGS.iter() }
                .filter(|one| {
                    let mut kinds = std::iter::successors(Some(*one), |one| one.parent());
                    kinds.any(|one| has_part(one.ja, one.en))
                })
                .collect(),
            castles: castle_names()
                .filter(|one| has_part(one.ja, one.en))
                .collect(),
        }
    }

    fn fit(&self, game: &Entry) -> bool {
        let has_opening =
            |one: &OpeningName| self.openings.iter().any(|own| std::ptr::eq(*own, one));
        let has_castle =
            |one: &&'static CastleName| self.castles.iter().any(|own| own.ja == one.ja);
        game.opening.is_some_and(has_opening) || game.castles.iter().any(has_castle)
    }
}
