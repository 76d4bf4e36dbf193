//! `random`: a position by random moves that are not too bad.

use othello_engine::{RandomRule, Session};
use page_messages::{EventSink, PageFailure, StopFlag};
use serde::Deserialize;
use serde_json::json;

use super::play::seed;
use super::{SearchFields, control};
use crate::fields::move_names;

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

/// Answers `random`.
pub(crate) fn random(
    request: &RandomRequest,
    engine: &Session,
    sink: &dyn EventSink,
    stop: &StopFlag,
) -> Result<(), PageFailure> {
    if !(1..=60).contains(&request.plies) {
        let plies = request.plies;
        return Err(PageFailure::new(format!(
            "plies {plies}: 1 to 60 was expected"
        )));
    }
    let mut session = request.search.session(engine)?;
    session.set_seed(seed(request.seed.as_deref())?);
    let rule = match request.black_value {
        Some((least, most)) => RandomRule::InRange(least..=most),
        None => RandomRule::Manual,
    };
    let found = session.random_game(request.plies, &rule, &control(stop));
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
