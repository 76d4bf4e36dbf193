//! Reports a search while it runs.

use std::time::Duration;

use page_messages::EventSink;
use serde::Serialize;
use serde_json::Value;
use shogi_core::Game;
use yane_clock::Instant;

use crate::books::{AdviceFields, BookAdvice};
use crate::engines::{FoundLine, Told, Totals};
use crate::fields::{NamesChoice, SideName, bound_name, score_value, usi_moves};

/// Between two events of a search. None in a tab, where nothing comes between the lines of a search to tell one that was held back; the page
/// takes the latest.
const PAUSE: Duration = if cfg!(target_family = "wasm") {
    Duration::ZERO
} else {
    Duration::from_millis(20)
};

/// The most lines that are kept, whatever an engine says.
const MOST_LINES: usize = 600;

/// The lines of a search in messages.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct ThoughtFields<'a> {
    engine: &'a str,
    side: SideName,
    lines: Vec<LineOut>,
    book: &'a [AdviceFields],
    nodes: Option<String>,
    nps: Option<String>,
    hashfull: Option<u32>,
    ms: u64,
    #[serde(rename = "final")]
    is_final: bool,
}

/// A line in messages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct LineOut {
    line: usize,
    #[serde(rename = "move")]
    mv: String,
    name: Option<String>,
    score: Value,
    bound: Option<&'static str>,
    depth: u32,
    sel_depth: Option<u32>,
    pv: Vec<String>,
    names: Vec<String>,
    end: Option<&'static str>,
    nodes: Option<String>,
}

impl LineOut {
    pub(super) fn of(game: &Game, line: &FoundLine, names: NamesChoice) -> Self {
        let named = names.line(game, &line.pv);
        let pv = usi_moves(&line.pv);
        Self {
            line: line.number,
            mv: pv.first().cloned().unwrap_or_default(),
            name: named.first().cloned(),
            score: score_value(line.score),
            bound: line.bound.map(bound_name),
            depth: line.depth,
            sel_depth: line.sel_depth,
            pv,
            names: named,
            end: line.end,
            nodes: line.nodes.map(|nodes| nodes.to_string()),
        }
    }
}

/// Reports a search while it runs.
pub(super) struct Reporter<'a> {
    sink: &'a dyn EventSink,
    engine: &'a str,
    game: &'a Game,
    names: NamesChoice,
    /// The latest state of each line, by its number.
    lines: Vec<FoundLine>,
    book: Vec<AdviceFields>,
    totals: Totals,
    begin: Instant,
    last: Option<Instant>,
    /// True if something has not been told.
    is_new: bool,
}

impl<'a> Reporter<'a> {
    pub(super) fn new(
        sink: &'a dyn EventSink,
        engine: &'a str,
        game: &'a Game,
        names: NamesChoice,
    ) -> Self {
        Self {
            sink,
            engine,
            game,
            names,
            lines: Vec::new(),
            book: Vec::new(),
            totals: Totals::default(),
            begin: Instant::now(),
            last: None,
            is_new: false,
        }
    }

    /// The best line.
    pub(super) fn best(&self) -> Option<&FoundLine> {
        self.lines.first()
    }

    /// The time since the request.
    pub(super) fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// Adds moves of books.
    pub(super) fn add_book(&mut self, advice: &[BookAdvice]) {
        let fields = |one| AdviceFields::of(self.game, one, self.names);
        self.book.extend(advice.iter().map(fields));
    }

    /// Takes what the search tells, and reports it if the last report is long enough ago.
    pub(super) fn hear(&mut self, told: Told) {
        match told {
            Told::Line(line) => self.take(line),
            Told::Totals(totals) => self.totals.update(totals),
            Told::Book(advice) => self.add_book(&[advice]),
            Told::Nothing if !self.is_new => return,
            Told::Nothing => {}
        }
        self.is_new = true;
        let now = Instant::now();
        if self.last.is_none_or(|last| now - last >= PAUSE) && !self.lines.is_empty() {
            self.tell(false);
            self.last = Some(now);
            self.is_new = false;
        }
    }

    fn take(&mut self, line: FoundLine) {
        let found = self
            .lines
            .binary_search_by_key(&line.number, |one| one.number);
        match found {
            Ok(at) => self.lines[at] = line,
            Err(at) if self.lines.len() < MOST_LINES => self.lines.insert(at, line),
            Err(_) => {}
        }
    }

    /// Reports the state.
    pub(super) fn tell(&self, is_final: bool) {
        let line = |one| LineOut::of(self.game, one, self.names);
        let fields = ThoughtFields {
            engine: self.engine,
            side: self.game.position().side_to_move().into(),
            lines: self.lines.iter().map(line).collect(),
            book: &self.book,
            nodes: self.totals.nodes.map(|nodes| nodes.to_string()),
            nps: self.totals.nps.map(|nps| nps.to_string()),
            hashfull: self.totals.hashfull,
            ms: self
                .totals
                .time
                .unwrap_or_else(|| self.begin.elapsed())
                .as_millis() as u64,
            is_final,
        };
        let fields = serde_json::to_value(fields).unwrap_or_default();
        self.sink.state("thought", 0, fields);
    }
}
