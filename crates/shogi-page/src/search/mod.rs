//! What needs an engine: lines, mates, moves.

mod analyze;
mod mate;
mod play;
mod reporter;
mod think;
mod thinker;

use std::time::Duration;

use page_messages::PageFailure;
use serde::Deserialize;
use shogi_core::{Game, Move};

pub(crate) use analyze::analyze;
pub(crate) use mate::mate;
pub(crate) use play::play;
pub(crate) use think::think;

use crate::engines::SearchLimits;
use crate::fields::{NamesChoice, within};
use crate::line::LineFields;
use crate::position::game_end;

/// The longest time for a search.
const MOST_TIME: u64 = 7 * 86_400_000;

/// How to search, as requests say it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct SearchFields {
    #[serde(flatten)]
    pub(crate) line: LineFields,
    #[serde(default)]
    pub(crate) engine: Option<String>,
    #[serde(default)]
    depth: Option<u32>,
    #[serde(default)]
    nodes: Option<NodesField>,
    #[serde(default)]
    time_ms: Option<u64>,
    #[serde(default)]
    pub(crate) names: NamesChoice,
}

/// A number of nodes: a number, or a text where it is large.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum NodesField {
    Number(u64),
    Text(String),
}

impl NodesField {
    pub(crate) fn read(&self) -> Result<u64, PageFailure> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Text(text) => text.parse().map_err(|_| {
                let text = text.escape_debug();
                PageFailure::new(format!("nodes '{text}': a number was expected"))
            }),
        }
    }
}

impl SearchFields {
    /// The game, which is not over.
    pub(super) fn game(&self) -> Result<Game, PageFailure> {
        self.line.game()
    }

    /// The limits.
    pub(super) fn limits(&self) -> Result<SearchLimits, PageFailure> {
        let nodes = self.nodes.as_ref().map(NodesField::read).transpose()?;
        let depth = self.depth.map(|depth| within("depth", depth, 1..=1_000));
        let nodes = nodes.map(|nodes| within("nodes", nodes, 1..=u64::MAX));
        let time = self
            .time_ms
            .map(|time| within("time_ms", time, 1..=MOST_TIME));
        Ok(SearchLimits {
            depth: depth.transpose()?,
            nodes: nodes.transpose()?,
            time: time.transpose()?.map(Duration::from_millis),
            clock: None,
        })
    }

    /// The time alone.
    pub(super) fn time(&self) -> Result<Option<Duration>, PageFailure> {
        Ok(self.limits()?.time)
    }
}

/// The legal moves of names.
fn legal_moves(game: &Game, names: &[String]) -> Result<Vec<Move>, PageFailure> {
    let legal = |name: &String| {
        let m = game.position().move_from_usi(name);
        m.map_err(|_| {
            let name = name.escape_debug();
            PageFailure::new(format!("search_moves: '{name}' is not legal"))
        })
    };
    names.iter().map(legal).collect()
}

/// Fails if a game is over.
fn check_going_on(game: &Game) -> Result<(), PageFailure> {
    match game_end(game) {
        None => Ok(()),
        Some(end) => Err(PageFailure::new(format!(
            "the game is over: {}",
            end.replace('_', " ")
        ))),
    }
}
