//! The rules of a game, its random numbers, and how it ends.

use std::ops::RangeInclusive;

use pack_format::{EndReason, TeacherResult};
use shogi_core::{Color, EnteringKingRule};
use yane_base::random::RngExt;

use crate::{
    Adjudication, GameFormat, MultiPvSampling, SelfplaySettings, StartFilter, VisitSampling,
};

/// The random number generator: always the same numbers from the same seed.
pub(crate) type Random = yane_base::random::Stream;

/// The rules of a game.
#[derive(Clone, Debug)]
pub(crate) struct GameRules {
    /// Last ply that is played.
    pub(crate) max_game_ply: u32,
    /// Positions to search for each move.
    pub(crate) nodes: u64,
    /// The part of them by which a search has more or fewer at random.
    pub(crate) nodes_jitter: f64,
    /// Least and greatest number of random moves at the beginning.
    pub(crate) random_plies: RangeInclusive<u32>,
    /// Sampling of these moves.
    pub(crate) multi_pv: Option<MultiPvSampling>,
    /// The sampling of the moves after them by visits.
    pub(crate) visits: Option<VisitSampling>,
    /// The filter of the position after the random moves.
    pub(crate) start_filter: Option<StartFilter>,
    /// Rule by which a win may be declared.
    pub(crate) entering_king_rule: EnteringKingRule,
    /// Rules by which a game is adjudicated before its end.
    pub(crate) adjudication: Adjudication,
    /// The form of the record.
    pub(crate) format: GameFormat,
    /// True if the engine forgets everything before the game.
    pub(crate) forget: bool,
}

impl From<&SelfplaySettings> for GameRules {
    fn from(settings: &SelfplaySettings) -> Self {
        Self {
            max_game_ply: settings.max_game_ply,
            nodes: settings.nodes,
            nodes_jitter: settings.nodes_jitter,
            random_plies: settings.random_plies..=settings.random_plies,
            multi_pv: settings.random_multi_pv,
            visits: settings.random_visits,
            start_filter: settings.start_filter,
            entering_king_rule: settings.entering_king_rule,
            adjudication: settings.adjudication.clone(),
            format: settings.format.clone(),
            forget: settings.forget,
        }
    }
}

impl GameRules {
    /// The positions to search for a move.
    pub(super) fn nodes(&self, random: &mut Random) -> u64 {
        if self.nodes_jitter == 0.0 {
            return self.nodes;
        }
        let factor = 1.0 + self.nodes_jitter * random.random_range(-1.0..=1.0);
        ((self.nodes as f64 * factor) as u64).max(1)
    }
}

/// The result of a game and its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// The result.
    pub(crate) result: TeacherResult,
    /// The reason.
    pub(crate) reason: EndReason,
}

impl Verdict {
    pub(super) const fn draw(reason: EndReason) -> Self {
        Self {
            result: TeacherResult::Draw,
            reason,
        }
    }

    pub(super) const fn win(color: Color, reason: EndReason) -> Self {
        Self {
            result: TeacherResult::win_of(color),
            reason,
        }
    }

    pub(super) const fn loss(color: Color, reason: EndReason) -> Self {
        Self::win(color.flip(), reason)
    }
}
