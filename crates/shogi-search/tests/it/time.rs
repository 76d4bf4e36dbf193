//! The time budget is the field's formula, row by row.

use shogi_search::{Clock, Params, TimeBudget, TimeOptions};

#[test]
fn golden_rows() {
    let text = test_support::fixture_text("shogi/timeman.jsonl");
    let mut rows = 0;
    for line in text.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let number = |name: &str| row[name].as_u64().unwrap();
        let option = |name: &str| number(name) as u32;
        let black = row["us"] == "b";
        let signed = |name: &str| row[name].as_i64().unwrap();
        let expected = ["minimum", "optimum", "maximum"].map(signed);
        if number("movetime") > 0 {
            let budget = TimeBudget::exactly(number("movetime"));
            assert_eq!(
                [budget.minimum, budget.optimum, budget.maximum],
                expected,
                "{line}"
            );
            rows += 1;
            continue;
        }
        let clock = Clock {
            time: number(if black { "btime" } else { "wtime" }),
            inc: number(if black { "binc" } else { "winc" }),
            byoyomi: number("byoyomi"),
            ..Clock::default()
        };
        let options = TimeOptions {
            network_delay: option("NetworkDelay"),
            network_delay2: option("NetworkDelay2"),
            minimum_thinking_time: option("MinimumThinkingTime"),
            slow_mover: option("SlowMover"),
            round_up_to_full_second: option("RoundUpToFullSecond") != 0,
            ponder: option("USI_Ponder") != 0,
            stochastic_ponder: option("Stochastic_Ponder") != 0,
            ..TimeOptions::default()
        };
        let budget = TimeBudget::new(
            &clock,
            option("ply"),
            option("max_moves_to_draw"),
            &options,
            &Params::default(),
        );
        assert_eq!(
            [budget.minimum, budget.optimum, budget.maximum],
            expected,
            "{line}"
        );
        assert_eq!(
            budget.final_push,
            row["final_push"].as_bool().unwrap(),
            "{line}"
        );
        assert_eq!(
            budget.search_end(number("elapsed"), 0),
            signed("search_end"),
            "{line}"
        );
        rows += 1;
    }
    assert_eq!(rows, 300);
}

#[test]
fn short_byoyomi_is_used() {
    let options = TimeOptions::default();
    let clock = Clock {
        byoyomi: 1000,
        ..Clock::default()
    };
    // The formula alone leaves next to nothing.
    assert_eq!(
        TimeBudget::new(&clock, 60, 0, &options, &Params::default()).maximum,
        100
    );
    let mended = TimeBudget::for_play(&clock, 60, 0, &options, &Params::default());
    assert_eq!((mended.minimum, mended.maximum), (900, 900));
    assert_eq!(mended.search_end(10, 0), 900);
    for byoyomi in [30, 100, 300, 2000, 10_000, 60_000] {
        let clock = Clock {
            byoyomi,
            ..Clock::default()
        };
        let budget = TimeBudget::for_play(&clock, 60, 0, &options, &Params::default());
        let end = budget.search_end(byoyomi, 0) as u64;
        assert!(end < byoyomi && end * 3 >= byoyomi, "{byoyomi} {budget:?}");
    }
    // Other budgets are those of the field's formula.
    let clock = Clock {
        time: 60_000,
        byoyomi: 1000,
        ..Clock::default()
    };
    assert_eq!(
        TimeBudget::for_play(&clock, 60, 0, &options, &Params::default()),
        TimeBudget::new(&clock, 60, 0, &options, &Params::default())
    );
}

/// The longest time of a move with these delays of the user's, as `[NetworkDelay, NetworkDelay2]`.
fn with_delays(delays: [Option<u32>; 2], time: u64, inc: u64, byoyomi: u64) -> i64 {
    let default = TimeOptions::default();
    let [delay, delay2] = delays;
    let options = TimeOptions {
        network_delay: delay.unwrap_or(default.network_delay),
        network_delay2: delay2.unwrap_or(default.network_delay2),
        network_delay_chosen: delay.is_some(),
        network_delay2_chosen: delay2.is_some(),
        minimum_thinking_time: 1000,
        ..default
    };
    let clock = Clock {
        time,
        inc,
        byoyomi,
        ..Clock::default()
    };
    let budget = TimeBudget::for_play(&clock, 30, 0, &options, &Params::default());
    assert_eq!(
        budget.search_end(1, 0).min(budget.maximum),
        budget.search_end(1, 0)
    );
    budget.maximum
}

#[test]
fn chosen_delays_are_kept_with_short_byoyomi() {
    // Games of 0.2 seconds a move.
    assert_eq!(with_delays([Some(800), Some(800)], 0, 0, 1000), 200);
    for (delay2, byoyomi) in [
        (500, 1000),
        (800, 1500),
        (900, 1000),
        (1300, 2000),
        (300, 400),
    ] {
        let left = i64::from(delay2);
        let expected = byoyomi as i64 - left;
        assert_eq!(
            with_delays([None, Some(delay2)], 0, 0, byoyomi),
            expected,
            "{delay2} {byoyomi}"
        );
        // What is left on the clock counts too.
        assert_eq!(
            with_delays([None, Some(delay2)], 50, 0, byoyomi),
            expected + 50
        );
    }
    // Longer than everything: the floor of the formula.
    assert_eq!(with_delays([None, Some(1400)], 0, 0, 1000), 100);
    // Increments too.
    assert_eq!(with_delays([None, Some(800)], 1000, 2000, 0), 200);
    // The usual delay alone is the margin of byoyomi.
    assert_eq!(with_delays([Some(300), None], 0, 0, 1000), 700);
    assert_eq!(with_delays([Some(800), None], 0, 0, 1000), 200);
    assert_eq!(with_delays([Some(2000), None], 0, 0, 1000), 100);
    assert_eq!(with_delays([Some(0), Some(0)], 0, 0, 1000), 970);
}

#[test]
fn rtime_varies_within_its_range() {
    let options = TimeOptions::default();
    let budget = |random, ply| {
        let clock = Clock {
            rtime: 1000,
            random,
            ..Clock::default()
        };
        TimeBudget::new(&clock, ply, 0, &options, &Params::default()).optimum
    };
    assert_eq!(budget(0, 1), 1000);
    assert_eq!(budget(499, 1), 1499);
    assert_eq!(budget(500, 1), 1000);
    // Late in the game the addition is small.
    assert!((0..500).all(|random| budget(random, 100) < 1100));
}

#[test]
fn pondering_counts_towards_the_minimum() {
    let clock = Clock {
        time: 600_000,
        ..Clock::default()
    };
    let options = TimeOptions {
        ponder: true,
        ..TimeOptions::default()
    };
    let budget = TimeBudget::new(&clock, 20, 0, &options, &Params::default());
    // Pondered for longer than the minimum: the answer may come within the first second.
    let end = budget.search_end(10_000, 10_000);
    assert!((10_000..=12_000).contains(&end), "{end}");
    assert!(budget.search_end(10, 0) >= budget.minimum);
}

#[test]
fn what_comes_back_with_every_move_is_used() {
    let options = TimeOptions::default();
    let maximum = |time, inc, byoyomi| {
        let clock = Clock {
            time,
            inc,
            byoyomi,
            ..Clock::default()
        };
        TimeBudget::for_play(&clock, 60, 0, &options, &Params::default()).maximum
    };
    // The clock runs down into byoyomi of a second: no move is played in a hurry.
    for time in [0, 100, 300, 500, 619] {
        assert_eq!(maximum(time, 0, 1000), 900, "{time}");
    }
    assert_eq!(maximum(620, 0, 1000), 500);
    // A clock that lives from its increments.
    assert_eq!(maximum(1000, 2000, 0), 500);
    assert_eq!(maximum(0, 2000, 0), 1000);
    // Sudden death: what is gone does not come back.
    assert_eq!(maximum(1000, 0, 0), 100);
    // No budget is longer than what there is.
    for time in [0, 50, 99, 100, 500, 1000, 2000] {
        for inc in [0, 50, 100, 1000] {
            for byoyomi in [0, 50, 100, 500, 1000] {
                let all = (time + inc + byoyomi).max(1) as i64;
                assert!(maximum(time, inc, byoyomi) <= all, "{time} {inc} {byoyomi}");
                if time + byoyomi > 0 && byoyomi > 0 {
                    assert!(maximum(time, inc, byoyomi) < all, "{time} {inc} {byoyomi}");
                }
            }
        }
    }
}
