//! `analyze`: what each move of a game loses.

use std::time::Duration;

use page_messages::{EventSink, PageFailure, StopFlag};
use serde::Deserialize;
use serde_json::json;
use shogi_core::{Game, MoveText, Position};
use shogi_engine::ThinkLimits;
use shogi_review::{
    AnnotateOptions, CommentForm, Language, ReviewBook, ReviewError, ReviewOptions, Reviewer,
    annotate, review_chart, review_page,
};

use super::NodesField;
use super::analysis_fields::{Teller, summary};
use super::thinker::PageThinker;
use crate::books::PageBooks;
use crate::engines::{Engines, OWN};
use crate::fields::{NamesChoice, within};
use crate::game_fields::RecordFields;

/// Nodes of a search unless the request says something else.
const NODES: u64 = 200_000;

/// Moves of a better line that is written beside a bad move at most.
const MOST_VARIATION: usize = 100;

/// Bytes of a page at most.
const MOST_PAGE: usize = 800_000;

/// A limit of time that is never reached: with one, our engine ends its search at a proved mate.
const NO_TIME: Duration = Duration::from_secs(86_400);

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct AnalyzeRequest {
    game: RecordFields,
    #[serde(default)]
    engine: Option<String>,
    #[serde(default)]
    depth: Option<u32>,
    #[serde(default)]
    nodes: Option<NodesField>,
    #[serde(default)]
    time_ms: Option<u64>,
    #[serde(default = "one")]
    lines: usize,
    /// True if variations are analysed too.
    #[serde(default)]
    variations: bool,
    /// Moves of a better line beside a bad move.
    #[serde(default = "ten")]
    variation_moves: usize,
    /// True if a page and a graph are made.
    #[serde(default)]
    report: bool,
    #[serde(default)]
    lang: NamesChoice,
    #[serde(default)]
    names: Option<NamesChoice>,
}

const fn one() -> usize {
    1
}

const fn ten() -> usize {
    10
}

/// The opened books as analyses ask them.
struct Books<'a>(&'a dyn PageBooks);

impl ReviewBook for Books<'_> {
    fn moves(&self, position: &Position) -> Vec<MoveText> {
        let found = self.0.moves(&Game::new(position.clone()));
        let texts = found.iter().map(|one| one.mv.to_string());
        texts.filter_map(|text| MoveText::from_usi(&text)).collect()
    }
}

impl AnalyzeRequest {
    /// The limits of each search.
    fn limits(&self, thinker: &PageThinker<'_>, is_own: bool) -> Result<ThinkLimits, PageFailure> {
        let nodes = self.nodes.as_ref().map(NodesField::read).transpose()?;
        let time = self.time_ms.map(Duration::from_millis);
        let is_free = nodes.is_none() && time.is_none() && self.depth.is_none();
        Ok(ThinkLimits {
            depth: self.depth,
            nodes: nodes.or(is_free.then_some(NODES)),
            time: time.or(is_own.then_some(NO_TIME)),
            lines: within("lines", self.lines, 1..=100)?,
            stop: Some(thinker.stop()),
            ..ThinkLimits::default()
        })
    }

    /// What is written into the game.
    fn annotation(&self) -> Result<AnnotateOptions, PageFailure> {
        Ok(AnnotateOptions {
            form: CommentForm::ShogiHome,
            variation_moves: within("variation_moves", self.variation_moves, 0..=MOST_VARIATION)?,
            language: self.language(),
        })
    }

    /// The language of texts.
    const fn language(&self) -> Language {
        match self.lang {
            NamesChoice::En => Language::English,
            NamesChoice::Ja | NamesChoice::None => Language::Japanese,
        }
    }
}

/// Answers `analyze`.
pub(crate) fn analyze(
    request: &AnalyzeRequest,
    engines: &Engines,
    books: &dyn PageBooks,
    sink: &dyn EventSink,
    stop: &StopFlag,
) -> Result<(), PageFailure> {
    let engine = engines.get(request.engine.as_deref())?;
    let (record, ids) = request.game.record_with_ids()?;
    let mut thinker = PageThinker::new(engine, stop);
    let books = Books(books);
    let options = ReviewOptions {
        think: request.limits(&thinker, engine.label() == OWN)?,
        variations: request.variations,
        book: Some(&books),
        ..ReviewOptions::default()
    };
    let mut reviewer = Reviewer::new(&record, options);
    let teller = Teller {
        record: &record,
        ids: &ids,
        names: request.names.unwrap_or(request.lang),
    };
    let annotation = request.annotation()?;
    let total = reviewer.total();
    let tell_progress = |done: usize| {
        sink.state("progress", 0, json!({ "done": done, "total": total }));
    };
    tell_progress(0);
    loop {
        let step = match reviewer.step(&mut thinker) {
            Ok(Some(step)) => step,
            Ok(None) => break,
            Err(ReviewError::Stopped) => return Ok(()),
            Err(_) if stop.is_stopped() => return Ok(()),
            Err(error) => {
                let failure = thinker.take_failure();
                return Err(failure.unwrap_or_else(|| PageFailure::of(&error)));
            }
        };
        if stop.is_stopped() {
            // The last search may have been cut short.
            return Ok(());
        }
        for mv in &step.moves {
            let fields = teller.analyzed(mv, reviewer.node(mv.index));
            let fields = serde_json::to_value(fields).unwrap_or_default();
            sink.state("analyzed", mv.index as u64, fields);
        }
        tell_progress(step.done);
    }
    let nodes: Vec<_> = (0..total.saturating_sub(1))
        .map(|index| reviewer.node(index))
        .collect();
    let Some(review) = reviewer.finish() else {
        return Err(PageFailure::new("the analysis did not end"));
    };
    let annotated = annotate(&record, &review, annotation);
    sink.event("summary", summary(&annotated, &review, &teller, &nodes));
    if request.report {
        let language = request.language();
        let html = review_page(&record, &review, language);
        let svg = review_chart(&review, language);
        // A game with very many boards does not fit into a message.
        let html = Some(html).filter(|html| html.len() <= MOST_PAGE);
        sink.event("report", json!({ "html": html, "svg": svg }));
    }
    Ok(())
}
