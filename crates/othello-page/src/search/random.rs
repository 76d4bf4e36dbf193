//! `random`: a position by random moves that are not too bad.

use othello_engine::{RandomRule, Session};
use page_messages::{EventSink, PageFailure, StopFlag};
use serde::Deserialize;
use serde_json::json;

use super::play::seed;
use super::{SearchFields, control};
use crate::fields::{move_names, within};

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct RandomRequest {
    #[serde(flatten)]
    search: SearchFields,
    plies: u32,
    /// The least and the greatest value for black.
    #[serde(default)]
    black_value: Option<(i32, i32)>,
    #[serde(default)]
    seed: Option<String>,
}

/// Answers `random`; the other seed is for requests without one.
pub(crate) fn random(
    request: &RandomRequest,
    engine: &Session,
    other_seed: u64,
    sink: &dyn EventSink,
    stop: &StopFlag,
) -> Result<(), PageFailure> {
    let plies = within("plies", request.plies, 1..=60)?;
    let mut session = request.search.session(engine)?;
    session.set_seed(seed(request.seed.as_deref(), other_seed)?);
    let rule = match request.black_value {
        Some((least, most)) => RandomRule::InRange(least..=most),
        None => RandomRule::Manual,
    };
    let found = session.random_game(plies, &rule, &control(stop));
    match found {
        Some(game) => {
            let moves = move_names(game.moves());
            let board = game.position().to_string();
            sink.event("random", json!({ "moves": moves, "board": board }));
            Ok(())
        }
        None if stop.is_stopped() => Ok(()),
        None => Err(PageFailure::new("no such position was found in 40 games")),
    }
}
