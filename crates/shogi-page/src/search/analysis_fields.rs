//! What an analysis tells: each move, and the sums.

use serde::Serialize;
use serde_json::{Value, json};
use shogi_core::{Game, Move, MoveText};
use shogi_kifu::{GameNodeId, GameRecord, Step};
use shogi_review::{
    BookState, GameReview, Judgement, MistakeKind, PhaseSums, PlayerSums, ReviewSide, ReviewedMove,
};

use crate::fields::{NamesChoice, usi_moves};
use crate::game_fields::RecordFields;

/// The worst moves that are told.
const WORST: usize = 10;

/// A move and what it loses.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct AnalyzedFields {
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
    judge: Option<Judgement>,
    kinds: Vec<MistakeKind>,
    book: Option<BookState>,
}

/// Names moves as the page knows them.
pub(super) struct Teller<'a> {
    pub(super) record: &'a GameRecord,
    /// The nodes in the order in which the request has them.
    pub(super) ids: &'a [GameNodeId],
    pub(super) names: NamesChoice,
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

    /// What is told of a move.
    pub(super) fn analyzed(&self, mv: &ReviewedMove, id: Option<GameNodeId>) -> AnalyzedFields {
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

/// The sums of a game, and the game with what was found written into it.
pub(super) fn summary(
    annotated: &GameRecord,
    review: &GameReview,
    teller: &Teller<'_>,
    nodes: &[Option<GameNodeId>],
) -> Value {
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
    json!({
        "black": sums(review, ReviewSide::Black),
        "white": sums(review, ReviewSide::White),
        "worst": worst.collect::<Vec<_>>(),
        "opening": review.opening,
        "castles": { "black": review.castles[0], "white": review.castles[1] },
        "left_book_at": review.left_book_at,
        "engine": review.engine,
        "game": RecordFields::of(annotated, teller.names),
    })
}

/// The sums of a player.
fn sums(review: &GameReview, side: ReviewSide) -> Value {
    let sums: &PlayerSums = &review.sums[match side {
        ReviewSide::Black => 0,
        ReviewSide::White => 1,
    }];
    let own = review.main_line().filter(|mv| mv.side == side);
    let loss: i64 = own.filter_map(|mv| mv.loss_cp).map(i64::from).sum();
    let phase = |name: &str, phase: &PhaseSums| {
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
        "loss": loss,
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
