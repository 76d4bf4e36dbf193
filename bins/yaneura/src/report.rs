//! From what a search finds to the lines of the protocol.

use std::sync::mpsc::Sender;
use std::time::Duration;

use shogi_core::MoveText;
use shogi_engine::{BookNews, LineEnd, Listener, Message, Outcome, score_bound, usi_score};
use shogi_search::{SearchInfo, Value};
use shogi_usi::{BestMove, Info, PvItem, Response};

use crate::input::Event;
use crate::news::tell_book;
use crate::output::OutputHandle;
use crate::picture::BestLine;

/// Prints what a search finds and tells the command loop about its end.
pub(crate) struct Reporter {
    pub(crate) output: OutputHandle,
    pub(crate) events: Sender<Event>,
    /// Where the best line found so far is kept, for pictures of the board.
    pub(crate) best_line: BestLine,
}

impl Listener for Reporter {
    fn line(&self, info: &SearchInfo) {
        self.best_line.keep(info);
        self.output
            .respond(&Response::Info(Box::new(info_of(info))));
    }

    fn line_with_end(&self, info: &SearchInfo, end: LineEnd) {
        self.best_line.keep(info);
        let mut info = info_of(info);
        info.pv.push(match end {
            LineEnd::Repetition(kind) => PvItem::Repetition(kind),
            LineEnd::Win => PvItem::Win,
            LineEnd::Resign => PvItem::Resign,
        });
        self.output.respond(&Response::Info(Box::new(info)));
    }

    fn decided(&self, outcome: &Outcome) {
        if let Some(info) = without_search(outcome) {
            self.output.respond(&Response::Info(Box::new(info)));
        }
    }

    fn book(&self, message: &Message) {
        self.output.line(format!("info {message}"));
    }

    fn book_news(&self, news: &BookNews) {
        tell_book(&self.output, news);
    }

    fn finished(&self, outcome: &Outcome) {
        if matches!(outcome, Outcome::Failed { .. }) {
            self.output
                .error("the search failed; any legal move is played");
        }
        self.output.respond(&Response::BestMove(answer(outcome)));
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
        score: Some(usi_score(info.score)),
        bound: score_bound(info.bound),
        nodes: Some(info.nodes),
        nps: Some(info.nodes.saturating_mul(1000) / ms),
        hash_full: Some(info.hash_full),
        time: Some(Duration::from_millis(ms)),
        pv: info.pv.iter().map(|&m| PvItem::Move(m.into())).collect(),
        ..Info::default()
    }
}

/// The answer.
fn answer(outcome: &Outcome) -> BestMove {
    let plain = |m: shogi_core::Move| BestMove::Move {
        best: m.into(),
        ponder: None,
    };
    match *outcome {
        Outcome::Move { best, ponder } => BestMove::Move {
            best: best.into(),
            ponder: ponder.map(MoveText::from),
        },
        Outcome::DeclareWin => BestMove::Win,
        Outcome::Try(m) => plain(m),
        Outcome::Mated | Outcome::Resign => BestMove::Resign,
        Outcome::Failed { fallback } => plain(fallback),
    }
}

/// The `info` line of a decision that was made without a search.
fn without_search(outcome: &Outcome) -> Option<Info> {
    match *outcome {
        Outcome::DeclareWin => Some(decided(Value::mate_in(1), PvItem::Win)),
        Outcome::Try(m) => Some(decided(Value::mate_in(1), PvItem::Move(m.into()))),
        Outcome::Mated => Some(decided(Value::mated_in(1), PvItem::Resign)),
        Outcome::Move { .. } | Outcome::Resign | Outcome::Failed { .. } => None,
    }
}

/// The line of a position that needs no search.
fn decided(value: Value, item: PvItem) -> Info {
    Info {
        depth: Some(0),
        multi_pv: Some(1),
        score: Some(usi_score(value)),
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
    fn decisions_without_search() {
        let text = |outcome: Outcome| {
            let info = without_search(&outcome);
            (
                info.map(|info| info.to_string()),
                answer(&outcome).to_string(),
            )
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
