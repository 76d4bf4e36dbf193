//! `analyze`: what each move of a game loses.

use std::time::Duration;

use page_messages::{EventSink, PageFailure, StopFlag};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shogi_core::{Game, Move, MoveText, Position};
use shogi_engine::ThinkLimits;
use shogi_kifu::{GameNodeId, GameRecord, Step};
use shogi_review::{
    AnnotateOptions, BookState, CommentForm, GameReview, Judge, Language, MistakeKind, PlayerSums,
    ReviewBook, ReviewError, ReviewOptions, ReviewSide, ReviewedMove, Reviewer, annotate,
    review_chart, review_page,
};

use super::NodesField;
use super::thinker::PageThinker;
use crate::books::PageBooks;
use crate::engines::{Engines, OWN};
use crate::fields::{NamesChoice, usi_moves, within};
use crate::game_fields::GameFields;

/// Nodes of a search unless the request says something else.
const NODES: u64 = 200_000;

/// Moves of a better line that is written beside a bad move at most.
const MOST_VARIATION: usize = 100;

/// Bytes of a page at most.
const MOST_PAGE: usize = 800_000;

/// The worst moves that are told.
const WORST: usize = 10;

/// A limit of time that is never reached: with one, our engine ends its search at a proved mate.
const NO_TIME: Duration = Duration::from_secs(86_400);

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct AnalyzeRequest {
    game: GameFields,
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

/// A move and what it loses.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct AnalyzedFields {
    key: usize,
    index: usize,
    node: Option<usize>,
    ply: usize,
    side: ReviewSide,
    #[serde(rename = "move")]
    mv: String,
    name: Option<String>,
    score: Value,
    best: Option<String>,
    best_name: Option<String>,
    best_score: Value,
    loss: Option<i32>,
    loss_percent: f64,
    depth: u32,
    pv: Vec<String>,
    names: Vec<String>,
    judge: Option<Judge>,
    kinds: Vec<MistakeKind>,
    book: Option<BookState>,
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
    sink.event(
        "summary",
        summary(request, &record, &review, &teller, &nodes)?,
    );
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

/// Names moves as the page knows them.
struct Teller<'a> {
    record: &'a GameRecord,
    /// The nodes in the order in which the request has them.
    ids: &'a [GameNodeId],
    names: NamesChoice,
}

impl Teller<'_> {
    /// The number of a node in the request.
    fn number(&self, id: GameNodeId) -> Option<usize> {
        self.ids.iter().position(|&other| other == id)
    }

    /// The game before the move of a node.
    fn before(&self, id: GameNodeId) -> Game {
        let record = self.record;
        let parents =
            std::iter::successors(record.node(id).parent(), |&id| record.node(id).parent());
        let mut moves: Vec<Move> = parents
            .filter_map(|id| match record.node(id).step() {
                Some(Step::Move(m)) => Some(*m),
                _ => None,
            })
            .collect();
        moves.reverse();
        let mut game = Game::new(record.start().clone());
        for m in moves {
            if game.try_play(m).is_err() {
                break;
            }
        }
        game
    }

    fn analyzed(&self, mv: &ReviewedMove, id: Option<GameNodeId>) -> AnalyzedFields {
        let game = id.map(|id| self.before(id));
        let moves = |texts: &[MoveText]| {
            let Some(game) = &game else {
                return Vec::new();
            };
            let mut position = game.position().clone();
            let mut found = Vec::new();
            for &text in texts {
                let Some(m) = position.move_from_text(text) else {
                    break;
                };
                let _ = position.do_move_unchecked(m);
                found.push(m);
            }
            found
        };
        let name = |m: Option<&Move>| {
            let (game, &m) = (game.as_ref()?, m?);
            self.names.next(game, m)
        };
        let pv = moves(&mv.pv);
        let score = |score| serde_json::to_value(score).unwrap_or_default();
        AnalyzedFields {
            key: mv.index,
            index: mv.index,
            node: id.and_then(|id| self.number(id)),
            ply: mv.ply,
            side: mv.side,
            mv: mv.mv.to_string(),
            name: name(moves(&[mv.mv]).first()),
            score: score(mv.score),
            best: mv.best.map(|best| best.to_string()),
            best_name: name(pv.first()),
            best_score: score(mv.best_score),
            loss: mv.loss_cp,
            loss_percent: percent(mv.loss),
            depth: mv.depth,
            names: game
                .as_ref()
                .map(|game| self.names.line(game, &pv))
                .unwrap_or_default(),
            pv: usi_moves(&pv),
            judge: mv.judge,
            kinds: mv.kind.into_iter().collect(),
            book: mv.book,
        }
    }
}

/// A part as a percentage with one digit behind the point.
fn percent(part: f64) -> f64 {
    (part * 1000.0).round() / 10.0
}

fn summary(
    request: &AnalyzeRequest,
    record: &GameRecord,
    review: &GameReview,
    teller: &Teller<'_>,
    nodes: &[Option<GameNodeId>],
) -> Result<Value, PageFailure> {
    let options = AnnotateOptions {
        form: CommentForm::ShogiHome,
        variation_moves: within(
            "variation_moves",
            request.variation_moves,
            0..=MOST_VARIATION,
        )?,
        language: request.language(),
    };
    let annotated = annotate(record, review, options);
    let number = |mv: &ReviewedMove| {
        let id = nodes.get(mv.index).copied().flatten()?;
        teller.number(id)
    };
    let worst = review.worst().into_iter().take(WORST).map(|mv| {
        json!({
            "index": mv.index,
            "node": number(mv),
            "ply": mv.ply,
            "side": mv.side,
            "loss_percent": percent(mv.loss),
            "judge": mv.judge,
        })
    });
    Ok(json!({
        "black": sums(&review.sums[0]),
        "white": sums(&review.sums[1]),
        "worst": worst.collect::<Vec<_>>(),
        "opening": review.opening,
        "castles": { "black": review.castles[0], "white": review.castles[1] },
        "left_book_at": review.left_book_at,
        "engine": review.engine,
        "game": GameFields::of(&annotated, teller.names),
    }))
}

/// The sums of a player.
fn sums(sums: &PlayerSums) -> Value {
    let phase = |name: &str, phase: &shogi_review::PhaseSums| {
        json!({
            "phase": name,
            "moves": phase.moves,
            "accuracy": percent(phase.accuracy),
            "loss_percent": percent(phase.loss),
        })
    };
    json!({
        "moves": sums.moves,
        "accuracy": percent(sums.accuracy),
        "loss_percent": percent(sums.loss),
        "best": sums.best,
        "inaccuracies": sums.inaccuracies,
        "mistakes": sums.mistakes,
        "blunders": sums.blunders,
        "missed_mates": sums.missed_mates,
        "overlooked_mates": sums.overlooked_mates,
        "hanging_pieces": sums.hanging_pieces,
        "strategic": sums.strategic,
        "book": sums.book,
        "time_ms": sums.time_ms,
        "phases": [
            phase("opening", &sums.opening),
            phase("middle", &sums.middle),
            phase("end", &sums.end),
        ],
    })
}
