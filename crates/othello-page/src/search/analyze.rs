//! `analyze`: each move of a line against the best other one, from the end backwards, and a summary.

use othello_core::{Game, Move, Side};
use othello_engine::{AnalysedMove, Judge, Session, analysis_sums};
use page_messages::{EventSink, PageFailure, StopFlag};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::value::ValueFields;
use super::{SearchFields, control};
use crate::fields::SideName;

/// Moves of the summary's list of the worst.
const WORST: usize = 5;

/// The phases of a game, by the number of the move.
const PHASES: [(u32, u32); 3] = [(1, 20), (21, 40), (41, 60)];

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct AnalyzeRequest {
    #[serde(flatten)]
    search: SearchFields,
    /// Moves of the end that are analysed.
    #[serde(default = "all")]
    last: usize,
}

const fn all() -> usize {
    usize::MAX
}

/// An analysed move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct AnalyzedFields {
    key: u32,
    index: usize,
    ply: u32,
    side: SideName,
    #[serde(flatten)]
    played: ValueFields,
    alternative: Option<ValueFields>,
    loss: u32,
    judge: Option<&'static str>,
    others: u32,
}

/// The sums of a player.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct SumFields {
    moves: u32,
    loss: u32,
    disagree: u32,
    disagree_loss: u32,
    mistake: u32,
    mistake_loss: u32,
    average: f64,
    phases: Vec<PhaseFields>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct PhaseFields {
    from: u32,
    to: u32,
    loss: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct WorstFields {
    index: usize,
    ply: u32,
    side: SideName,
    #[serde(rename = "move")]
    mv: String,
    loss: u32,
}

/// Answers `analyze`.
pub(crate) fn analyze(
    request: &AnalyzeRequest,
    engine: &Session,
    sink: &dyn EventSink,
    stop: &StopFlag,
) -> Result<(), PageFailure> {
    let session = request.search.session(engine)?;
    session.clear();
    let game = session.game().clone();
    let indices = indices(&game);
    let index = |mv: &AnalysedMove| indices.get(mv.ply as usize).copied().unwrap_or_default();
    let tail = game.moves().iter().rev().take(request.last);
    let total = tail.filter(|&&mv| mv != Move::Pass).count();
    let mut done = 0;
    sink.state("progress", 0, json!({ "done": done, "total": total }));
    let mut tell = |mv: &AnalysedMove| {
        let fields = AnalyzedFields::of(mv, index(mv));
        let fields = serde_json::to_value(fields).unwrap_or_default();
        sink.state("analyzed", u64::from(mv.ply), fields);
        done += 1;
        sink.state("progress", 0, json!({ "done": done, "total": total }));
    };
    let analysed = session.analyse(request.last, &control(stop), &mut tell);
    let mut worst: Vec<_> = analysed.iter().filter(|mv| mv.loss() > 0).collect();
    worst.sort_by_key(|mv| (std::cmp::Reverse(mv.loss()), mv.ply));
    let worst = worst.into_iter().take(WORST).map(|mv| WorstFields {
        index: index(mv),
        ply: mv.ply,
        side: mv.side.into(),
        mv: crate::fields::move_name(mv.played.mv),
        loss: mv.loss(),
    });
    let summary = json!({
        "black": SumFields::of(&analysed, Side::Black),
        "white": SumFields::of(&analysed, Side::White),
        "worst": worst.collect::<Vec<_>>(),
    });
    sink.event("summary", summary);
    Ok(())
}

/// The index of each move in the line, by its number; that of a game from the start position begins with 1.
fn indices(game: &Game) -> Vec<usize> {
    let mut indices = vec![0; 65];
    let moves = game.moves().iter().zip(game.positions()).enumerate();
    for (n, (&mv, before)) in moves {
        if mv != Move::Pass {
            let ply = before.board().discs().saturating_sub(3);
            if let Some(index) = indices.get_mut(ply as usize) {
                *index = n;
            }
        }
    }
    indices
}

impl AnalyzedFields {
    fn of(mv: &AnalysedMove, index: usize) -> Self {
        Self {
            key: mv.ply,
            index,
            ply: mv.ply,
            side: mv.side.into(),
            played: ValueFields::of_hint(&mv.played),
            alternative: mv.alternative.as_ref().map(ValueFields::of_hint),
            loss: mv.loss(),
            judge: mv.judge().map(|judge| match judge {
                Judge::Disagree => "disagree",
                Judge::Mistake => "mistake",
            }),
            others: mv.others,
        }
    }
}

impl SumFields {
    fn of(analysed: &[AnalysedMove], side: Side) -> Self {
        let sums = analysis_sums(analysed, side);
        let loss = |from, to| -> u32 {
            let moves = analysed.iter().filter(|mv| mv.side == side);
            let moves = moves.filter(|mv| (from..=to).contains(&mv.ply));
            moves.map(AnalysedMove::loss).sum()
        };
        Self {
            moves: sums.moves,
            loss: sums.disagree_loss + sums.mistake_loss,
            disagree: sums.disagree,
            disagree_loss: sums.disagree_loss,
            mistake: sums.mistake,
            mistake_loss: sums.mistake_loss,
            average: sums.average_error(),
            phases: PHASES
                .iter()
                .map(|&(from, to)| PhaseFields {
                    from,
                    to,
                    loss: loss(from, to),
                })
                .collect(),
        }
    }
}
