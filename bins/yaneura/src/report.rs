//! From what a search finds to the lines of the protocol.

use std::num::NonZeroI32;
use std::sync::mpsc::Sender;
use std::time::Duration;

use shogi_core::MoveText;
use shogi_engine::{Listener, Message, Outcome};
use shogi_search::{Bound, SearchInfo, Value};
use shogi_usi::{BestMove, Info, PvItem, Response, Score, ScoreBound};

use crate::input::Event;
use crate::output::OutputHandle;

/// Prints what a search finds and tells the command loop about its end.
pub(crate) struct Reporter {
    pub(crate) output: OutputHandle,
    pub(crate) events: Sender<Event>,
}

impl Listener for Reporter {
    fn line(&self, info: &SearchInfo) {
        self.output
            .respond(&Response::Info(Box::new(info_of(info))));
    }

    fn book(&self, message: &Message) {
        self.output.line(format!("info {message}"));
    }

    fn finished(&self, outcome: &Outcome) {
        let (info, best) = answer(outcome);
        if let Some(info) = info {
            self.output.respond(&Response::Info(Box::new(info)));
        }
        self.output.respond(&Response::BestMove(best));
        // Fails only when the loop has ended.
        self.events.send(Event::SearchDone).ok();
    }
}

/// A line of a search.
pub(crate) fn info_of(info: &SearchInfo) -> Info {
    let ms = (info.elapsed.as_millis() as u64).max(1);
    Info {
        depth: Some(info.depth),
        sel_depth: Some(info.sel_depth).filter(|&depth| depth > 0),
        multi_pv: Some(info.multi_pv as u32),
        score: Some(score_of(info.score)),
        bound: match info.bound {
            Bound::Exact => None,
            Bound::Lower => Some(ScoreBound::Lower),
            Bound::Upper => Some(ScoreBound::Upper),
        },
        nodes: Some(info.nodes),
        nps: Some(info.nodes.saturating_mul(1000) / ms),
        hash_full: Some(info.hash_full),
        time: Some(Duration::from_millis(ms)),
        pv: info.pv.iter().map(|&m| PvItem::Move(m.into())).collect(),
        ..Info::default()
    }
}

fn score_of(value: Value) -> Score {
    match value.mate_plies() {
        None => Score::Cp(value.centipawns()),
        // Mated on the spot: nearer than one ply cannot be written.
        Some(plies) => {
            Score::Mate(NonZeroI32::new(plies).unwrap_or(NonZeroI32::new(-1).expect("-1 is not 0")))
        }
    }
}

/// A last `info` line, if the decision was made without a search, and the answer.
fn answer(outcome: &Outcome) -> (Option<Info>, BestMove) {
    let plain = |m: shogi_core::Move| BestMove::Move {
        best: m.into(),
        ponder: None,
    };
    match *outcome {
        Outcome::Move { best, ponder } => (
            None,
            BestMove::Move {
                best: best.into(),
                ponder: ponder.map(MoveText::from),
            },
        ),
        Outcome::DeclareWin => (Some(decided(Value::mate_in(1), PvItem::Win)), BestMove::Win),
        Outcome::Try(m) => (
            Some(decided(Value::mate_in(1), PvItem::Move(m.into()))),
            plain(m),
        ),
        Outcome::Mated => (
            Some(decided(Value::mated_in(1), PvItem::Resign)),
            BestMove::Resign,
        ),
        Outcome::Resign => (None, BestMove::Resign),
        Outcome::Failed { fallback } => (
            Some(Info::text(
                "Error! the search failed; any legal move is played",
            )),
            plain(fallback),
        ),
    }
}

/// The line of a position that needs no search.
fn decided(value: Value, item: PvItem) -> Info {
    Info {
        depth: Some(0),
        multi_pv: Some(1),
        score: Some(score_of(value)),
        nodes: Some(0),
        nps: Some(0),
        hash_full: Some(0),
        time: Some(Duration::from_millis(1)),
        pv: vec![item],
        ..Info::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores() {
        let text = |value| score_of(value).to_string();
        assert_eq!(text(Value(90)), "cp 100");
        assert_eq!(text(Value(-89)), "cp -98");
        assert_eq!(text(Value::mate_in(3)), "mate 3");
        assert_eq!(text(Value::mated_in(2)), "mate -2");
        assert_eq!(text(Value::mated_in(0)), "mate -1");
    }

    #[test]
    fn decisions_without_search() {
        let text = |outcome: Outcome| {
            let (info, best) = answer(&outcome);
            (info.map(|info| info.to_string()), best.to_string())
        };
        let line = |rest: &str| Some(format!("info depth 0 multipv 1 score mate {rest}"));
        assert_eq!(
            text(Outcome::Mated),
            (
                line("-1 nodes 0 nps 0 hashfull 0 time 1 pv resign"),
                "resign".to_owned()
            )
        );
        assert_eq!(
            text(Outcome::DeclareWin),
            (
                line("1 nodes 0 nps 0 hashfull 0 time 1 pv win"),
                "win".to_owned()
            )
        );
        assert_eq!(text(Outcome::Resign), (None, "resign".to_owned()));
    }
}
