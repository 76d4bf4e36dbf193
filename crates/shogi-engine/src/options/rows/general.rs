//! The options that both engines have: threads, limits, time management, rules and reports.

use std::time::Duration;

use shogi_core::EnteringKingRule;

use super::Row;
use crate::options::numa::NumaPolicy;
use crate::options::settings::Edition;

/// Most threads that can be asked for on a machine with few.
const MAX_THREADS: i64 = 1024;
/// The same for each thread that the machine runs at once.
const MAX_THREADS_PER_CPU: i64 = 4;
/// Largest transposition table, in mebibytes.
const MAX_HASH_MIB: i64 = 33_554_432;

fn max_threads() -> i64 {
    let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get() as i64);
    MAX_THREADS.max(cpus.saturating_mul(MAX_THREADS_PER_CPU))
}

/// A limit: 0 is none.
fn limit(number: i64) -> Option<u64> {
    (number != 0).then(|| number.unsigned_abs())
}

pub(super) fn rows(edition: Edition) -> Vec<Row> {
    let rules = EnteringKingRule::ALL.map(EnteringKingRule::name);
    let rule = EnteringKingRule::default().name();
    let draw = edition.draw_value();
    let mut rows = vec![
        Row::spin("Threads", (4, 1, max_threads()), |s, n| {
            s.threads = n.max(1) as usize;
        }),
        Row::string("NumaPolicy", "auto", |s, text| {
            s.numa = NumaPolicy::parse(text);
        }),
        Row::check("USI_Ponder", false, |s, on| s.time.ponder = on),
        Row::check("Stochastic_Ponder", false, |s, on| {
            s.time.stochastic_ponder = on;
        }),
        Row::spin("DepthLimit", (0, 0, i64::from(i32::MAX)), |s, n| {
            s.depth_limit = limit(n);
        }),
        Row::spin("NodesLimit", (0, 0, i64::MAX), |s, n| {
            s.nodes_limit = limit(n);
        }),
        Row::string("DebugLogFile", "", |s, file| {
            file.clone_into(&mut s.debug_log);
        }),
        Row::spin("USI_Hash", (1024, 1, MAX_HASH_MIB), |s, n| {
            s.hash_mib = n as usize;
        }),
        Row::spin("MultiPV", (1, 1, 600), |s, n| {
            s.search.multi_pv = n as usize;
        }),
        Row::spin("DrawValueBlack", draw, |s, n| s.draw_value[0] = n),
        Row::spin("DrawValueWhite", draw, |s, n| s.draw_value[1] = n),
        Row::spin("ResignValue", (99_999, 0, 99_999), |s, n| {
            s.resign_value = n;
        }),
        Row::spin("MaxMovesToDraw", (0, 0, 100_000), |s, n| {
            s.search.max_moves_to_draw = n as u32;
        }),
        Row::spin("PvInterval", (300, 0, 100_000_000), |s, n| {
            s.interval = Duration::from_millis(n.unsigned_abs());
        }),
        Row::check("ConsiderationMode", false, |s, on| s.consideration = on),
        Row::check("OutputFailLHPV", true, |s, on| s.shows_bounds = on),
        Row::check("GenerateAllLegalMoves", false, |s, on| {
            s.search.generate_all_legal_moves = on;
        }),
        Row::combo_of("EnteringKingRule", rule, &rules, |s, word| {
            s.search.entering_king_rule = EnteringKingRule::from_name(word).unwrap_or_default();
        }),
    ];
    rows.extend(time(edition));
    rows
}

/// Time management. GUIs send every option, so that a delay which is the default counts as not chosen.
fn time(edition: Edition) -> [Row; 5] {
    let (delay, delay2) = edition.network_delays();
    [
        Row::spin("NetworkDelay", (delay, 0, 10_000), |s, n| {
            s.time.network_delay = n as u32;
            s.time.network_delay_chosen = n != s.edition.network_delays().0;
        }),
        Row::spin("NetworkDelay2", (delay2, 0, 10_000), |s, n| {
            s.time.network_delay2 = n as u32;
            s.time.network_delay2_chosen = n != s.edition.network_delays().1;
        }),
        Row::spin("MinimumThinkingTime", (2000, 0, 100_000), |s, n| {
            s.time.minimum_thinking_time = n as u32;
        }),
        Row::spin("SlowMover", (100, 1, 1000), |s, n| {
            s.time.slow_mover = n as u32;
        }),
        Row::check("RoundUpToFullSecond", true, |s, on| {
            s.time.round_up_to_full_second = on;
        }),
    ]
}
