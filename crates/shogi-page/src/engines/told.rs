//! What searches tell, whichever engine makes them.

use std::time::Duration;

use shogi_core::{Game, Move, Repetition};
use shogi_engine::{PvEnd, score_bound, usi_score};
use shogi_search::SearchInfo;
use shogi_usi::{Info, PvItem, Score, ScoreBound};

/// A line that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundLine {
    /// Its number, 1 for the best.
    pub(crate) number: usize,
    pub(crate) score: Score,
    pub(crate) bound: Option<ScoreBound>,
    pub(crate) depth: u32,
    pub(crate) sel_depth: Option<u32>,
    /// The moves, all legal; at least one.
    pub(crate) pv: Vec<Move>,
    /// What its last position is.
    pub(crate) end: Option<&'static str>,
    pub(crate) nodes: Option<u64>,
}

/// Numbers of a whole search, as far as they are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) nodes: Option<u64>,
    pub(crate) nps: Option<u64>,
    /// Per mille.
    pub(crate) hashfull: Option<u32>,
    pub(crate) time: Option<Duration>,
}

impl FoundLine {
    /// A line of our search; `None` if it has no move.
    pub(crate) fn of_search(info: &SearchInfo, end: Option<PvEnd>) -> Option<Self> {
        (!info.pv.is_empty()).then(|| Self {
            number: info.multi_pv.max(1),
            score: usi_score(info.score),
            bound: score_bound(info.bound),
            depth: info.depth,
            sel_depth: Some(info.sel_depth),
            pv: info.pv.clone(),
            end: end.map(|end| match end {
                PvEnd::Repetition(_) => "repetition",
                PvEnd::Win => "declaration",
                PvEnd::Resign => "mate",
            }),
            nodes: Some(info.nodes),
        })
    }

    /// A line of an engine, from the end of a game; `None` if it has no score or no legal move. What is not legal ends it.
    pub(crate) fn of_info(info: &Info, game: &Game) -> Option<Self> {
        let score = info.score?;
        let mut position = game.position().clone();
        let (mut pv, mut end) = (Vec::new(), None);
        for item in &info.pv {
            let text = match item {
                PvItem::Move(text) => *text,
                PvItem::Resign => {
                    end = Some("mate");
                    break;
                }
                PvItem::Win => {
                    end = Some("declaration");
                    break;
                }
                PvItem::Repetition(kind) => {
                    end = (*kind != Repetition::None).then_some("repetition");
                    break;
                }
            };
            let Some(m) = position.move_from_text(text) else {
                break;
            };
            let _ = position.do_move_unchecked(m);
            pv.push(m);
        }
        (!pv.is_empty()).then(|| Self {
            number: info.multi_pv.unwrap_or(1).max(1) as usize,
            score,
            bound: info.bound,
            depth: info.depth.unwrap_or(0),
            sel_depth: info.sel_depth,
            pv,
            end,
            nodes: info.nodes,
        })
    }
}

impl Totals {
    /// Of our search.
    pub(crate) fn of_search(info: &SearchInfo) -> Self {
        let seconds = info.elapsed.as_secs_f64().max(1e-4);
        Self {
            nodes: Some(info.nodes),
            nps: Some((info.nodes as f64 / seconds) as u64),
            hashfull: Some(info.hash_full),
            time: Some(info.elapsed),
        }
    }

    /// Of an engine's line.
    pub(crate) const fn of_info(info: &Info) -> Self {
        Self {
            nodes: info.nodes,
            nps: info.nps,
            hashfull: info.hash_full,
            time: info.time,
        }
    }

    /// Takes over what is newer.
    pub(crate) fn update(&mut self, newer: Self) {
        self.nodes = newer.nodes.or(self.nodes);
        self.nps = newer.nps.or(self.nps);
        self.hashfull = newer.hashfull.or(self.hashfull);
        self.time = newer.time.or(self.time);
    }
}
