//! One `go` as the search thread gets it: what the command and the options say, resolved once.

use std::sync::Arc;
use std::time::Duration;

use shogi_core::movegen::{Legal, LegalAll};
use shogi_core::{Color, Game, Move, Position};
use shogi_search::{Clock, Limits, Params, SearchOptions, ThreadPlacement, TimeBudget, TimeLimit};
use shogi_usi::{GoCommand, Options};
use yane_book::probe::{Books, ProbeOptions};

use super::reporter::ReportOptions;
use crate::options::{placement, search_options, search_params, threads, time_options};

/// Everything that a search needs beside the memory of its [`super::SearchCore`].
pub(crate) struct SearchRequest {
    /// The game that is searched: for a ponder search with `Stochastic_Ponder` the one before the last move.
    pub(crate) game: Arc<Game>,
    /// When it ends: depth, nodes, time control; and the moves to search.
    pub(crate) limits: Limits,
    /// Multi-PV, draw values and rules.
    pub(crate) search: SearchOptions,
    /// The parameters of the search.
    pub(crate) params: Params,
    /// Number of threads that search.
    pub(crate) threads: usize,
    /// Where they run.
    pub(crate) placement: ThreadPlacement,
    /// Scores of at most this many centipawns below zero are resigned.
    pub(crate) resign_value: i64,
    /// Which lines are shown.
    pub(crate) report: ReportOptions,
    /// The book, probed before searching; `None` when the search itself is wanted.
    pub(crate) book: Option<BookRequest>,
}

/// The book probe of one decision.
pub(crate) struct BookRequest {
    pub(crate) books: Arc<Books>,
    pub(crate) options: ProbeOptions,
    /// Decides among moves that are equally good to the book.
    pub(crate) seed: u64,
}

impl SearchRequest {
    /// The request for searching `game` after `go`, whose moves to search are `search_moves`. `random` makes
    /// the times of `rtime` differ.
    pub(crate) fn new(
        go: &GoCommand,
        game: Arc<Game>,
        search_moves: Vec<Move>,
        options: &Options,
        random: u64,
        book: Option<BookRequest>,
    ) -> Self {
        let limits = limits(go, search_moves, &game, options, random);
        let mut search = search_options(options);
        let line_count = fit_options(&mut search, game.position(), &limits);
        let threads = threads(options);
        Self {
            params: search_params(options),
            threads,
            placement: placement(options, threads),
            resign_value: options.spin("ResignValue"),
            report: ReportOptions::new(options, line_count, limits.infinite),
            game,
            limits,
            search,
            book,
        }
    }
}

/// The limits for searching `game` after `go`, whose moves to search are `search_moves`. `random` makes
/// the times of `rtime` differ.
fn limits(
    go: &GoCommand,
    search_moves: Vec<Move>,
    game: &Game,
    options: &Options,
    random: u64,
) -> Limits {
    let or_option = |given: Option<u64>, name| {
        given
            .map(|limit| limit.max(1))
            .or_else(|| match options.spin(name) {
                0 => None,
                limit => Some(limit.unsigned_abs()),
            })
    };
    let depth = or_option(go.depth.map(u64::from), "DepthLimit");
    Limits {
        depth: depth.map(|depth| depth.min(u64::from(u32::MAX)) as u32),
        nodes: or_option(go.nodes, "NodesLimit"),
        time: time_limit(go, game, options, random),
        search_moves,
        infinite: go.infinite,
    }
}

/// Time is managed unless the command says otherwise; without any clock it is as with empty clocks,
/// so that a bare `go` is answered soon.
fn time_limit(go: &GoCommand, game: &Game, options: &Options, random: u64) -> TimeLimit {
    if let Some(time) = go.movetime {
        return TimeLimit::MoveTime(time);
    }
    if go.infinite || ((go.depth.is_some() || go.nodes.is_some()) && go.rtime.is_none()) {
        return TimeLimit::None;
    }
    let position = game.position();
    let (time, increment) = match position.side_to_move() {
        Color::Black => (go.clock.btime, go.clock.binc),
        Color::White => (go.clock.wtime, go.clock.winc),
    };
    let ms = |time: Option<Duration>| time.unwrap_or_default().as_millis() as u64;
    let clock = Clock {
        time: ms(time),
        inc: ms(increment),
        byoyomi: ms(go.clock.byoyomi),
        rtime: ms(go.rtime),
        random,
    };
    let max_moves = options.spin("MaxMovesToDraw") as u32;
    let budget = TimeBudget::for_play(&clock, position.ply(), max_moves, &time_options(options));
    TimeLimit::Budget(budget)
}

/// Fits `options` to the moves to search: one that was asked for is searched even when it is a pointless
/// non-promotion. Returns the number of lines that there will be.
pub(crate) fn fit_options(
    options: &mut SearchOptions,
    position: &Position,
    limits: &Limits,
) -> usize {
    let named = &limits.search_moves;
    options.generate_all_legal_moves |= named
        .iter()
        .any(|&m| position.is_pointless_non_promotion(m));
    let root_moves = match (named.len(), options.generate_all_legal_moves) {
        (0, false) => position.count_moves::<Legal>(),
        (0, true) => position.count_moves::<LegalAll>(),
        (named, _) => named,
    };
    options.multi_pv.min(root_moves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::engine_options;
    use shogi_core::Position;
    use yane_book::probe::Profile;

    fn limits_of(go: &str, options: &Options) -> Limits {
        let game = Game::new(Position::startpos());
        limits(&go.parse().unwrap(), Vec::new(), &game, options, 7)
    }

    #[test]
    fn what_is_given_overrides_the_options() {
        let mut options = engine_options(Profile::Classic);
        options.set("DepthLimit", Some("7")).unwrap();
        let by_option = limits_of("btime 60000", &options);
        assert_eq!((by_option.depth, by_option.nodes), (Some(7), None));
        assert!(matches!(by_option.time, TimeLimit::Budget(_)));
        let given = limits_of("depth 3 nodes 0", &options);
        assert_eq!((given.depth, given.nodes), (Some(3), Some(1)));
        assert_eq!(given.time, TimeLimit::None);
    }

    #[test]
    fn each_side_has_its_clock() {
        let options = engine_options(Profile::Classic);
        let optimum = |go: &str| match limits_of(go, &options).time {
            TimeLimit::Budget(budget) => budget.optimum,
            other => panic!("{other:?}"),
        };
        assert!(optimum("btime 600000 wtime 10000") > optimum("btime 10000 wtime 600000"));
        assert!(optimum("") <= 100);
        assert_eq!(
            limits_of("infinite btime 5", &options).time,
            TimeLimit::None
        );
        let movetime = TimeLimit::MoveTime(Duration::from_millis(10));
        assert_eq!(limits_of("movetime 10", &options).time, movetime);
        assert!((100..150).contains(&optimum("rtime 100")));
    }
}
