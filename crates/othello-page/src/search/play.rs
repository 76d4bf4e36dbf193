//! `play`: the engine's move, of an opening that is to be played, the book, or a search.

use othello_core::Move;
use othello_engine::{BookChoice, HintSource, PlayLoss, PlayedMove, Session};
use page_messages::{EventSink, PageFailure, StopFlag};
use serde::{Deserialize, Serialize};

use super::forced::{ForcedOpening, forced_move};
use super::hint::SearchReporter;
use super::value::ValueFields;
use super::{SearchFields, control};
use crate::fields::{move_name, send};

/// Groups of four discs in a loss curve.
const GROUPS: usize = 15;

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct PlayRequest {
    #[serde(flatten)]
    search: SearchFields,
    #[serde(default)]
    book_variation: u32,
    /// Worse moves on purpose: once for the game, or for each group of four discs.
    #[serde(default)]
    losses: Vec<LossFields>,
    #[serde(default)]
    forced: Vec<ForcedOpening>,
    /// The seed of random choices, a number of 64 bits; another each time if there is none.
    #[serde(default)]
    seed: Option<String>,
}

/// How often a worse move is played, and how much worse it may be.
#[derive(Clone, Copy, Debug, Deserialize)]
struct LossFields {
    most: u32,
    percent: u32,
}

/// The move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct PlayFields {
    #[serde(rename = "move")]
    mv: String,
    from: &'static str,
    v: Option<i32>,
    #[serde(flatten)]
    value: Option<ValueFields>,
    nodes: String,
    ms: u64,
}

/// Answers `play`; the other seed is for requests without one.
pub(crate) fn play(
    request: &PlayRequest,
    engine: &Session,
    other_seed: u64,
    sink: &dyn EventSink,
    stop: &StopFlag,
) -> Result<(), PageFailure> {
    let mut session = request.search.session(engine)?;
    let seed = seed(request.seed.as_deref(), other_seed)?;
    session.set_seed(seed);
    session.book_choice = BookChoice::Variation(request.book_variation.min(BookChoice::MOST));
    session.play_loss = request.loss(session.position().board().discs())?;
    if let Some(mv) = forced_move(session.game(), &request.forced, seed)? {
        send(sink, "play", &PlayFields::unknown(mv, "forced"));
        return Ok(());
    }
    let mut reporter = SearchReporter::new(session.position().side(), sink);
    let Some(played) = session.choose(&control(stop), &mut reporter) else {
        return Err(PageFailure::new("the game is over"));
    };
    send(sink, "play", &PlayFields::of(&played));
    Ok(())
}

/// The seed of a request, or another one.
pub(super) fn seed(text: Option<&str>, other: u64) -> Result<u64, PageFailure> {
    let Some(text) = text else { return Ok(other) };
    text.parse()
        .map_err(|_| PageFailure::new(format!("seed '{text}': a number of 64 bits was expected")))
}

impl PlayRequest {
    /// The worse moves that are wanted with so many discs on the board.
    fn loss(&self, discs: u32) -> Result<Option<PlayLoss>, PageFailure> {
        let group = (discs.saturating_sub(4) / 4) as usize;
        let loss = match self.losses.len() {
            0 => None,
            1 => self.losses.first(),
            GROUPS => self.losses.get(group.min(GROUPS - 1)),
            other => {
                let text = format!("losses: {other} entries; 1 or {GROUPS} were expected");
                return Err(PageFailure::new(text));
            }
        };
        let loss = loss.filter(|loss| loss.percent > 0 && loss.most > 0);
        Ok(loss.map(|loss| PlayLoss {
            percent: loss.percent.min(100),
            most: loss.most.min(128),
        }))
    }
}

impl PlayFields {
    /// A move of which nothing else is known.
    fn unknown(mv: Move, from: &'static str) -> Self {
        Self {
            mv: move_name(mv),
            from,
            v: None,
            value: None,
            nodes: "0".to_owned(),
            ms: 0,
        }
    }

    fn of(played: &PlayedMove) -> Self {
        let from = match (&played.hint, played.mv) {
            (None, Move::Pass) => "pass",
            (None, Move::Place(_)) => "only",
            (Some(hint), _) => match hint.source {
                HintSource::Book { .. } => "book",
                HintSource::Search { .. } => "search",
            },
        };
        Self {
            v: played.hint.as_ref().map(|hint| hint.score),
            value: played.hint.as_ref().map(ValueFields::of_hint),
            nodes: played.nodes.to_string(),
            ms: played.elapsed.as_millis() as u64,
            ..Self::unknown(played.mv, from)
        }
    }
}
