//! `mate`: a mate by checks.

use std::time::Duration;

use page_messages::{EventSink, PageFailure, StopFlag};
use serde::{Deserialize, Serialize};
use shogi_core::{Game, Move};
use yane_clock::Instant;

use super::SearchFields;
use crate::engines::{Engines, MateAnswer, MateLength, MateState};
use crate::fields::{NamesChoice, usi_moves};

/// Between two events of a search.
const PAUSE: Duration = Duration::from_millis(50);

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct MateRequest {
    #[serde(flatten)]
    search: SearchFields,
}

/// What is known of a mate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct MateFields {
    state: &'static str,
    nodes: String,
    ms: u64,
    plies: Option<usize>,
    pv: Vec<String>,
    names: Vec<String>,
    shortest: Option<bool>,
}

impl MateFields {
    fn new(state: &'static str, at: &MateState) -> Self {
        Self {
            state,
            nodes: at.nodes.to_string(),
            ms: at.elapsed.as_millis() as u64,
            plies: None,
            pv: Vec::new(),
            names: Vec::new(),
            shortest: None,
        }
    }

    fn with_line(mut self, game: &Game, pv: &[Move], names: NamesChoice) -> Self {
        self.plies = Some(pv.len());
        self.pv = usi_moves(pv);
        self.names = names.line(game, pv);
        self
    }
}

/// Answers `mate`.
pub(crate) fn mate(
    request: &MateRequest,
    engines: &Engines,
    sink: &dyn EventSink,
    stop: &StopFlag,
) -> Result<(), PageFailure> {
    let engine = engines.get(request.search.engine.as_deref())?;
    let game = request.search.game()?;
    let time = request.search.time()?;
    let names = request.search.names;
    let tell = |fields: &MateFields| {
        let fields = serde_json::to_value(fields).unwrap_or_default();
        sink.state("mate", 0, fields);
    };
    let (begin, mut last) = (Instant::now(), None::<Instant>);
    let mut at = MateState {
        nodes: 0,
        elapsed: Duration::ZERO,
        found: None,
    };
    let answer = engine.mate(&game, time, stop, &mut |state| {
        at = state;
        if last.is_some_and(|last| last.elapsed() < PAUSE) {
            return;
        }
        last = Some(Instant::now());
        let fields = MateFields::new("searching", &at);
        tell(&match &at.found {
            Some(pv) => fields.with_line(&game, pv, names),
            None => fields,
        });
    })?;
    if at.elapsed.is_zero() {
        at.elapsed = begin.elapsed();
    }
    tell(&match &answer {
        MateAnswer::Mate(pv, length) => MateFields {
            shortest: Some(*length == MateLength::Shortest),
            ..MateFields::new("mate", &at).with_line(&game, pv, names)
        },
        MateAnswer::None => MateFields::new("none", &at),
        MateAnswer::Unknown => MateFields::new("unknown", &at),
    });
    Ok(())
}
