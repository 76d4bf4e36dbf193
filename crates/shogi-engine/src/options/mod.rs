//! The options of the engine: names, kinds, defaults and ranges, and their conversion for a search.
//!
//! Names, ranges, defaults and order are those of `YaneuraOu`, which GUIs know and translate. `DebugLogFile` and
//! `PARAMETERS_LOG_FILE_PATH` are implemented by the program that talks to the GUI.

pub(crate) mod deep;
pub(crate) mod eval;
pub(crate) mod numa;

use shogi_core::{ByColor, Color, EnteringKingRule};
use shogi_search::{Params, SearchOptions, ThreadPlacement, TimeOptions};
use shogi_usi::{OptionSpec, Options};
use yane_book::probe::{OpenOptions, ProbeOptions, Profile};

use crate::mate::mate_options;
use crate::skill::skill_options;

use deep::{Edition, deep_options, draw_value_cp};
use eval::eval_options;
use numa::NumaPolicy;

/// Most threads that can be asked for on a machine with few.
const MAX_THREADS: i64 = 1024;
/// The same for each thread that the machine runs at once.
const MAX_THREADS_PER_CPU: i64 = 4;
/// Largest transposition table, in mebibytes.
const MAX_HASH_MIB: i64 = 33_554_432;

/// Returns all options with their defaults; those that both engines know have the defaults of `edition`.
pub(crate) fn engine_options(profile: Profile, edition: Edition) -> Options {
    let rules = EnteringKingRule::ALL.map(EnteringKingRule::name);
    let (draw, least, most) = edition.draw_value();
    let (delay, delay2) = edition.network_delays();
    let log = OptionSpec::string("PARAMETERS_LOG_FILE_PATH", "");
    let specs = [
        OptionSpec::spin("Threads", 4, 1, max_threads()),
        OptionSpec::string("NumaPolicy", "auto"),
        OptionSpec::check("USI_Ponder", false),
        OptionSpec::check("Stochastic_Ponder", false),
        OptionSpec::spin("DepthLimit", 0, 0, i64::from(i32::MAX)),
        OptionSpec::spin("NodesLimit", 0, 0, i64::MAX),
        OptionSpec::string("DebugLogFile", ""),
        OptionSpec::spin("USI_Hash", 1024, 1, MAX_HASH_MIB),
        OptionSpec::spin("MultiPV", 1, 1, 600),
        OptionSpec::spin("DrawValueBlack", draw, least, most),
        OptionSpec::spin("DrawValueWhite", draw, least, most),
        OptionSpec::spin("ResignValue", 99_999, 0, 99_999),
        OptionSpec::spin("MaxMovesToDraw", 0, 0, 100_000),
        OptionSpec::spin("PvInterval", 300, 0, 100_000_000),
        OptionSpec::check("ConsiderationMode", false),
        OptionSpec::check("OutputFailLHPV", true),
        OptionSpec::check("GenerateAllLegalMoves", false),
        OptionSpec::combo(
            "EnteringKingRule",
            EnteringKingRule::default().name(),
            &rules,
        ),
        OptionSpec::spin("NetworkDelay", delay, 0, 10_000),
        OptionSpec::spin("NetworkDelay2", delay2, 0, 10_000),
        OptionSpec::spin("MinimumThinkingTime", 2000, 0, 100_000),
        OptionSpec::spin("SlowMover", 100, 1, 1000),
        OptionSpec::check("RoundUpToFullSecond", true),
    ];
    let mut options = Options::default();
    let specs = specs.into_iter().chain(book_options(profile));
    let specs = specs.chain(mate_options()).chain(eval_options());
    let specs = specs.chain(skill_options()).chain([log]);
    let specs = specs.chain(deep_options());
    for spec in specs.chain(tuning_options()) {
        options.define(spec).expect("the table is well formed");
    }
    options
}

/// The parameters of the search under their own names, with the feature `tune`; else nothing.
fn tuning_options() -> impl Iterator<Item = OptionSpec> {
    let specs = if cfg!(feature = "tune") {
        Params::SPECS
    } else {
        &[]
    };
    specs.iter().map(|spec| {
        let [default, min, max] = [spec.default, spec.min, spec.max].map(i64::from);
        OptionSpec::spin(spec.name, default, min, max)
    })
}

/// The parameters of the search: the defaults unless the feature `tune` lets them be set.
pub(crate) fn search_params(options: &Options) -> Params {
    let mut params = Params::default();
    if cfg!(feature = "tune") {
        for spec in Params::SPECS {
            params.set(spec.name, options.spin(spec.name) as i32);
        }
    }
    params
}

fn max_threads() -> i64 {
    let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get() as i64);
    MAX_THREADS.max(cpus.saturating_mul(MAX_THREADS_PER_CPU))
}

/// Returns the value of a spin whose range fits in 32 bits and has no negative numbers.
fn spin_u32(options: &Options, name: &str) -> u32 {
    options.spin(name).clamp(0, i64::from(u32::MAX)) as u32
}

/// Size of the transposition table in mebibytes.
pub(crate) fn hash_mib(options: &Options) -> usize {
    options.spin("USI_Hash") as usize
}

/// Number of threads that search.
pub(crate) fn threads(options: &Options) -> usize {
    options.spin("Threads").max(1) as usize
}

/// The placement of so many threads. An invalid `NumaPolicy` counts as `auto`:
/// [`Session::numa_problem`](crate::Session::numa_problem) returns the error.
pub(crate) fn placement(options: &Options, threads: usize) -> ThreadPlacement {
    NumaPolicy::parse(options.text("NumaPolicy"))
        .unwrap_or(NumaPolicy::Auto)
        .placement(threads)
}

/// The rule about entering kings.
pub(crate) fn entering_king_rule(options: &Options) -> EnteringKingRule {
    EnteringKingRule::from_name(options.text("EnteringKingRule")).unwrap_or_default()
}

/// The options of the search.
pub(crate) fn search_options(options: &Options) -> SearchOptions {
    SearchOptions {
        multi_pv: spin_u32(options, "MultiPV") as usize,
        draw_value_cp: ["DrawValueBlack", "DrawValueWhite"]
            .map(|name| draw_value_cp(options, name)),
        max_moves_to_draw: spin_u32(options, "MaxMovesToDraw"),
        entering_king_rule: entering_king_rule(options),
        generate_all_legal_moves: options.check("GenerateAllLegalMoves"),
        extend_lines: options.check("ConsiderationMode"),
    }
}

/// The options of time management.
pub(crate) fn time_options(options: &Options) -> TimeOptions {
    TimeOptions {
        network_delay_chosen: is_chosen(options, "NetworkDelay"),
        network_delay2_chosen: is_chosen(options, "NetworkDelay2"),
        network_delay: spin_u32(options, "NetworkDelay"),
        network_delay2: spin_u32(options, "NetworkDelay2"),
        minimum_thinking_time: spin_u32(options, "MinimumThinkingTime"),
        slow_mover: spin_u32(options, "SlowMover"),
        round_up_to_full_second: options.check("RoundUpToFullSecond"),
        ponder: options.check("USI_Ponder"),
        stochastic_ponder: options.check("Stochastic_Ponder"),
    }
}

/// The name and value in a line of an option file: `option name N type T default V ...`, `N V` or
/// `N=V`. The value is one word. `None` for a blank line; a name without a value gets the empty
/// text.
///
/// ```
/// use shogi_engine::parse_option_line;
/// assert_eq!(parse_option_line("option name A type spin default 5 min 1"), Some(("A", "5")));
/// assert_eq!(parse_option_line("A = 5"), Some(("A", "5")));
/// ```
pub fn parse_option_line(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let mut words = line.split_ascii_whitespace();
    if words.next()? == "option" && words.next() == Some("name") {
        let name = words.next()?;
        let mut words = words.skip_while(|word| *word != "default").skip(1);
        return Some((name, words.next().unwrap_or_default()));
    }
    let end = line
        .find(|c: char| c == '=' || c.is_ascii_whitespace())
        .unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    let rest = rest.trim_start();
    let value = rest.strip_prefix('=').unwrap_or(rest);
    Some((
        name,
        value.split_ascii_whitespace().next().unwrap_or_default(),
    ))
}

// The options about the opening book: names, kinds, defaults and ranges, and their conversion.

/// `BookFile` for "no book".
pub(crate) const NO_BOOK: &str = "no_book";
/// Default of `BookFile`.
const DEFAULT_BOOK: &str = "standard_book.db";
/// Suggestions of `BookFile` in GUIs.
const BOOK_FILES: [&str; 10] = [
    NO_BOOK,
    DEFAULT_BOOK,
    "yaneura_book1.db",
    "yaneura_book2.db",
    "yaneura_book3.db",
    "yaneura_book4.db",
    "user_book1.db",
    "user_book2.db",
    "user_book3.db",
    "book.bin",
];
/// Longest line of the book that can be shown, in plies.
const MAX_PV_MOVES: i64 = 246;
/// Largest value, difference of values and depth that an option can have.
const MAX_LIMIT: i64 = 99_999;

/// The options of a profile, with the defaults of [`ProbeOptions::new`].
pub(crate) fn book_options(profile: Profile) -> Vec<OptionSpec> {
    let v2 = profile == Profile::V2;
    let default = ProbeOptions::new(profile);
    let colors = if v2 {
        &[Color::Black, Color::White][..]
    } else {
        &[Color::Black]
    };
    let file = if v2 { "user_book1.db" } else { DEFAULT_BOOK };
    let mut specs = vec![OptionSpec::check("USI_OwnBook", default.own_book)];
    if !v2 {
        specs.push(OptionSpec::check("NarrowBook", default.narrow));
    }
    specs.extend([
        OptionSpec::spin("BookMoves", default.max_ply.into(), 0, 10_000),
        OptionSpec::spin("BookIgnoreRate", default.ignore_rate.into(), 0, 100),
        OptionSpec::suggestions("BookFile", file, &BOOK_FILES),
        OptionSpec::string("BookDir", if v2 { "." } else { "book" }),
    ]);
    let of_sides = |name: fn(Profile, Color) -> &'static str, values: ByColor<i32>, min| {
        colors.iter().map(move |&side| {
            OptionSpec::spin(name(profile, side), values[side].into(), min, MAX_LIMIT)
        })
    };
    specs.extend(of_sides(Profile::eval_diff_name, default.eval_diff, 0));
    specs.extend([Color::Black, Color::White].map(|side| {
        let value = default.eval_limit[side].into();
        OptionSpec::spin(profile.eval_limit_name(side), value, -MAX_LIMIT, MAX_LIMIT)
    }));
    specs.extend(of_sides(Profile::depth_limit_name, default.depth_limit, 0));
    specs.push(OptionSpec::check("BookOnTheFly", v2));
    if !v2 {
        specs.push(OptionSpec::check(
            "ConsiderBookMoveCount",
            default.consider_count,
        ));
    }
    specs.extend([
        OptionSpec::spin("BookPvMoves", default.pv_moves.into(), 1, MAX_PV_MOVES),
        OptionSpec::check("IgnoreBookPly", v2),
        OptionSpec::check("FlippedBook", default.flipped),
    ]);
    specs
}

/// The options of the book probe.
pub(crate) fn probe_options(options: &Options, profile: Profile) -> ProbeOptions {
    let number = |name| options.spin(name) as i32;
    let of_sides = |name: fn(Profile, Color) -> &'static str| {
        ByColor([Color::Black, Color::White].map(|side| number(name(profile, side))))
    };
    let classic = profile == Profile::Classic;
    ProbeOptions {
        profile,
        own_book: options.check("USI_OwnBook"),
        narrow: classic && options.check("NarrowBook"),
        max_ply: options.spin("BookMoves") as u32,
        ignore_rate: options.spin("BookIgnoreRate") as u32,
        eval_diff: of_sides(Profile::eval_diff_name),
        eval_limit: of_sides(Profile::eval_limit_name),
        depth_limit: of_sides(Profile::depth_limit_name),
        consider_count: classic && options.check("ConsiderBookMoveCount"),
        pv_moves: options.spin("BookPvMoves") as u32,
        flipped: options.check("FlippedBook"),
    }
}

/// The options of opening the file.
pub(crate) fn open_options(options: &Options) -> OpenOptions {
    OpenOptions {
        on_the_fly: options.check("BookOnTheFly"),
        ignore_ply: options.check("IgnoreBookPly"),
    }
}

/// Returns whether the user has named a book, rather than left the default.
pub(crate) fn is_book_named(options: &Options) -> bool {
    is_chosen(options, "BookFile")
}

/// Returns whether an option has another value than its default: GUIs set every option, so the default counts as not chosen.
fn is_chosen(options: &Options, name: &str) -> bool {
    options
        .get(name)
        .is_some_and(|(spec, value)| spec.kind.default_value() != *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_options_for_tuning_only() {
        let mut options = engine_options(Profile::Classic, Edition::AlphaBeta);
        let spec = &Params::SPECS[0];
        let value = spec.default + spec.step;
        let set = options.set(spec.name, Some(&value.to_string()));
        assert_eq!(set.is_ok(), cfg!(feature = "tune"));
        let expected = if set.is_ok() { value } else { spec.default };
        assert_eq!(search_params(&options).get(spec.name), Some(expected));
    }

    #[test]
    fn defaults_are_those_of_the_libraries() {
        let options = engine_options(Profile::Classic, Edition::AlphaBeta);
        assert_eq!(time_options(&options), TimeOptions::default());
        let search = search_options(&options);
        let default = SearchOptions::default();
        assert_eq!(search.draw_value_cp, default.draw_value_cp);
        assert_eq!(search.entering_king_rule, default.entering_king_rule);
        assert_eq!(search.multi_pv, default.multi_pv);
        assert_eq!(search_params(&options), Params::default());
        assert_eq!(search.max_moves_to_draw, default.max_moves_to_draw);
        assert_eq!(
            search.generate_all_legal_moves,
            default.generate_all_legal_moves
        );
        assert_eq!(search.extend_lines, default.extend_lines);
    }

    #[test]
    fn all_three_forms() {
        for (line, expected) in [
            ("", None),
            ("   ", None),
            (
                "option name Dir type string default <empty>",
                Some(("Dir", "<empty>")),
            ),
            ("option name B type button", Some(("B", ""))),
            ("option name", None),
            ("Threads 4", Some(("Threads", "4"))),
            ("  Threads  4  more", Some(("Threads", "4"))),
            ("Threads=4", Some(("Threads", "4"))),
            ("Threads =4\r", Some(("Threads", "4"))),
            ("Threads", Some(("Threads", ""))),
            ("// x", Some(("//", "x"))),
        ] {
            assert_eq!(parse_option_line(line), expected, "{line:?}");
        }
    }

    #[test]
    fn defaults_are_those_of_the_book_crate() {
        for profile in [Profile::Classic, Profile::V2] {
            let mut options = Options::default();
            for spec in book_options(profile) {
                options.define(spec).unwrap();
            }
            assert_eq!(probe_options(&options, profile), ProbeOptions::new(profile));
            assert!(!is_book_named(&options));
            options.set("BookFile", Some("my book.db")).unwrap();
            assert_eq!(options.text("BookFile"), "my book.db");
            assert!(is_book_named(&options));
        }
    }
}
