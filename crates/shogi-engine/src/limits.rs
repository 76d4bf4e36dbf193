//! From a `go` command and the options to the limits of a search.

use std::time::Duration;

use shogi_core::{Color, Game, Move};
use shogi_search::{Clock, Limits, TimeBudget, TimeLimit};
use shogi_usi::{GoCommand, Options};

use crate::option_table::time_options;

/// The limits for searching `game` after `go`, whose moves to search are `search_moves`. `random` makes
/// the times of `rtime` differ.
pub(crate) fn limits(
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::option_table::engine_options;
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
