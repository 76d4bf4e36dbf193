//! The choice among engines: requests name one, or mean ours.

use std::sync::Arc;

use othello_core::{Game, Move, Position};
use page_messages::{AllPages, Effort, EventSink, PageFailure, PageRequest, PageService, StopFlag};
use serde::Deserialize;
use serde_json::{Value, json};
use tournament::MoveLimit;

use super::other::{OtherEngine, OtherMove};

/// The name of our engine in requests.
const OWN: &str = "own";

/// A service with our engine, and other programs whose moves requests may ask for.
#[derive(Debug)]
pub struct EngineChoice<S> {
    own: S,
    others: Vec<OtherEngine>,
}

/// The fields of `play` that matter to another engine.
#[derive(Deserialize)]
struct PlayFields {
    #[serde(default)]
    board: Option<String>,
    #[serde(default)]
    moves: Vec<String>,
    #[serde(default)]
    level: Option<u32>,
    #[serde(default)]
    depth: Option<u32>,
    #[serde(default)]
    time_ms: Option<u64>,
}

impl<S: PageService> EngineChoice<S> {
    /// A choice among our engine's service and other engines.
    pub const fn new(own: S, others: Vec<OtherEngine>) -> Self {
        Self { own, others }
    }

    /// The engine that a request chooses; `None` for ours.
    fn chosen(&self, request: &PageRequest) -> Result<Option<&OtherEngine>, PageFailure> {
        let chosen = request.fields.get("engine").and_then(Value::as_str);
        let Some(name) = chosen.filter(|name| *name != OWN) else {
            return Ok(None);
        };
        let engine = self.others.iter().find(|engine| engine.label() == name);
        engine.map(Some).ok_or_else(|| {
            let name = name.escape_debug();
            let text = "this server was started without it: choose an engine in the settings";
            PageFailure::new(format!("engine '{name}': {text}"))
        })
    }
}

impl PlayFields {
    fn game(&self) -> Result<Game, PageFailure> {
        let start: Position = match &self.board {
            Some(board) => board
                .parse()
                .map_err(|error| PageFailure::new(format!("board: {error}")))?,
            None => Position::START,
        };
        let mut game = Game::new(start);
        for (n, name) in self.moves.iter().enumerate() {
            let is_played = match name.as_str() {
                "pass" => game.try_play(Move::Pass).is_ok(),
                name => name
                    .parse()
                    .is_ok_and(|square| game.try_play_square(square).is_ok()),
            };
            if !is_played {
                let text = format!("move {}: '{}' is not legal", n + 1, name.escape_debug());
                return Err(PageFailure::new(text));
            }
        }
        Ok(game)
    }

    /// The limits that fit, of which an engine takes the first that its protocol has words for.
    fn limits(&self) -> Vec<MoveLimit> {
        let time = self.time_ms.map(MoveLimit::MoveTime);
        let depth = self.depth.or(self.level).filter(|depth| *depth > 0);
        time.into_iter()
            .chain(depth.map(MoveLimit::Depth))
            .collect()
    }
}

fn message(played: &OtherMove) -> Value {
    let Move::Place(square) = played.mv else {
        return json!({});
    };
    let answer = &played.answer;
    let discs = answer
        .score_cp
        .map(|score| (score as f64 / 100.0).round() as i64);
    json!({
        "move": square.to_string(),
        "from": "search",
        "v": discs,
        "depth": answer.depth,
        "prob": null,
        "exact": false,
        "pv": [square.to_string()],
        "nodes": answer.nodes.unwrap_or_default().to_string(),
        "ms": answer.elapsed.as_millis() as u64,
    })
}

impl<S: PageService> PageService for EngineChoice<S> {
    fn start(&self, pages: &Arc<dyn AllPages>) {
        self.own.start(pages);
    }

    fn capabilities(&self) -> Vec<String> {
        self.own.capabilities()
    }

    fn effort(&self, op: &str) -> Option<Effort> {
        self.own.effort(op)
    }

    fn seat(&self, request: &PageRequest) -> String {
        self.own.seat(request)
    }

    fn answer(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        stop: &StopFlag,
    ) -> Result<(), PageFailure> {
        let sink: &dyn EventSink = &Listed {
            sink,
            others: &self.others,
        };
        let other = match request.op.as_str() {
            "play" => self.chosen(request)?,
            _ => None,
        };
        let Some(engine) = other else {
            return self.own.answer(request, sink, stop);
        };
        let fields: PlayFields = request.read()?;
        let played = engine.play(&fields.game()?, &fields.limits(), stop)?;
        if let Some(played) = played {
            sink.event("play", message(&played));
        }
        Ok(())
    }
}

/// Adds the other engines to lists of engines.
struct Listed<'a> {
    sink: &'a dyn EventSink,
    others: &'a [OtherEngine],
}

impl Listed<'_> {
    fn with_others(&self, mut fields: Value) -> Value {
        if let Some(engines) = fields.get_mut("engines").and_then(Value::as_array_mut) {
            let others = self.others.iter();
            engines.extend(
                others.map(|engine| json!({ "engine": engine.label(), "name": engine.name() })),
            );
        }
        fields
    }
}

impl EventSink for Listed<'_> {
    fn event(&self, name: &str, fields: Value) {
        match name {
            "engines" => self.sink.event(name, self.with_others(fields)),
            _ => self.sink.event(name, fields),
        }
    }

    fn state(&self, name: &str, key: u64, fields: Value) {
        self.sink.state(name, key, fields);
    }

    fn broadcast(&self, name: &str, fields: Value) {
        match name {
            "engine" => self.sink.broadcast(name, self.with_others(fields)),
            _ => self.sink.broadcast(name, fields),
        }
    }
}
