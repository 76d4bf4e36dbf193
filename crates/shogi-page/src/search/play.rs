//! `play`: the engine's move, of a book or of a search.

use std::time::Duration;

use page_messages::{EventSink, PageFailure, StopFlag};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shogi_core::movegen::LegalAll;
use shogi_core::{Declaration, EnteringKingRule, Game, Move};
use shogi_usi::{ClockTimes, Score};

use super::reporter::Reporter;
use super::{SearchFields, check_going_on};
use crate::books::PageBooks;
use crate::engines::{Decided, Engines, Purpose, SearchLimits, SearchTask, Told};
use crate::fields::{NamesChoice, score_value, send, usi_moves, within};

/// The levels of strength.
const LEVELS: std::ops::RangeInclusive<u8> = 0..=20;

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct PlayRequest {
    #[serde(flatten)]
    search: SearchFields,
    #[serde(default)]
    clock: Option<ClockFields>,
    #[serde(default)]
    skill_level: Option<u8>,
    /// False if no book is asked.
    #[serde(default = "yes")]
    book: bool,
}

const fn yes() -> bool {
    true
}

/// The clocks of a game, in milliseconds.
#[expect(clippy::struct_field_names, reason = "the names of messages")]
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct ClockFields {
    black_ms: u64,
    white_ms: u64,
    byoyomi_ms: u64,
    black_increment_ms: u64,
    white_increment_ms: u64,
}

impl ClockFields {
    fn times(self) -> ClockTimes {
        let time = |ms: u64| Some(Duration::from_millis(ms.min(super::MOST_TIME)));
        let if_any = |ms: u64| time(ms).filter(|time| !time.is_zero());
        ClockTimes {
            btime: time(self.black_ms),
            wtime: time(self.white_ms),
            byoyomi: if_any(self.byoyomi_ms),
            binc: if_any(self.black_increment_ms),
            winc: if_any(self.white_increment_ms),
        }
    }
}

/// The move.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct PlayFields {
    answer: &'static str,
    #[serde(rename = "move")]
    mv: Option<String>,
    name: Option<String>,
    from: &'static str,
    score: Option<Value>,
    depth: Option<u32>,
    pv: Vec<String>,
    names: Vec<String>,
    ms: u64,
}

/// Answers `play`; the number chooses among moves of books.
pub(crate) fn play(
    request: &PlayRequest,
    engines: &Engines,
    books: &dyn PageBooks,
    random: u64,
    sink: &dyn EventSink,
    stop: &StopFlag,
) -> Result<(), PageFailure> {
    let engine = engines.get(request.search.engine.as_deref())?;
    let game = request.search.game()?;
    check_going_on(&game)?;
    let task = SearchTask {
        game: &game,
        purpose: Purpose::Play(
            request
                .skill_level
                .map(|level| within("skill_level", level, LEVELS))
                .transpose()?,
        ),
        limits: request.limits()?,
        lines: 1,
        search_moves: Vec::new(),
        uses_book: request.book,
    };
    let names = request.search.names;
    if let Some(found) = at_once(&game, request.book.then_some(books), random, names) {
        send(sink, "play", &found);
        return Ok(());
    }
    let mut reporter = Reporter::new(sink, engine.label(), &game, names);
    let mut has_book = false;
    let decided = engine.search(&task, stop, &mut |told| {
        has_book |= matches!(told, Told::Book(_));
        reporter.hear(told);
    })?;
    if decided == Decided::Nothing {
        return Ok(());
    }
    let best = reporter.best();
    let mut fields = PlayFields {
        from: if best.is_none() && has_book {
            "book"
        } else {
            "search"
        },
        ms: reporter.elapsed().as_millis() as u64,
        ..PlayFields::default()
    };
    match decided {
        Decided::Move(m) => {
            let line = best.filter(|line| line.pv.first() == Some(&m));
            fields.score = line.map(|line| score_value(line.score));
            fields.depth = line.map(|line| line.depth);
            fields.set_move(&game, line.map_or(&[m], |line| &line.pv), names);
        }
        Decided::Win => fields.answer = "win",
        Decided::Resign | Decided::Nothing => fields.answer = "resign",
    }
    send(sink, "play", &fields);
    Ok(())
}

/// The answer that needs no search: a declaration, the only move, a move of the opened books.
fn at_once(
    game: &Game,
    books: Option<&dyn PageBooks>,
    random: u64,
    names: NamesChoice,
) -> Option<PlayFields> {
    let rule = EnteringKingRule::default();
    if game.position().declaration(rule) == Some(Declaration::Win) {
        return Some(PlayFields {
            answer: "win",
            from: "only",
            ..PlayFields::default()
        });
    }
    let mut fields = PlayFields {
        from: "only",
        ..PlayFields::default()
    };
    if let [only] = game.position().moves::<LegalAll>()[..] {
        fields.set_move(game, &[only], names);
        return Some(fields);
    }
    let found = books?.choose(game, random)?;
    fields.from = "book";
    fields.score = found.score.map(|cp| score_value(Score::Cp(cp)));
    fields.depth = found.depth;
    fields.set_move(game, &[found.mv], names);
    Some(fields)
}

impl PlayFields {
    fn set_move(&mut self, game: &Game, pv: &[Move], names: NamesChoice) {
        self.answer = "move";
        self.pv = usi_moves(pv);
        self.mv = self.pv.first().cloned();
        self.names = names.line(game, pv);
        self.name = self.names.first().cloned();
    }
}

impl PlayRequest {
    /// The clock, or else the limits; one of them has to be there.
    fn limits(&self) -> Result<SearchLimits, PageFailure> {
        let limits = self.search.limits()?;
        match self.clock {
            Some(clock) => Ok(SearchLimits {
                clock: Some(clock.times()),
                ..SearchLimits::default()
            }),
            None if limits.is_endless() => Err(PageFailure::new(
                "play: a clock, time_ms, depth or nodes was expected",
            )),
            None => Ok(limits),
        }
    }
}
