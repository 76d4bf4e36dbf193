//! The options of the engine: one table of names, kinds, defaults and ranges, and the typed values that everything else reads.
//!
//! What a GUI sets is read once, when it is set: [`EngineOptions`] puts it into [`EngineSettings`], and no name of an option is looked up
//! afterwards. The table is in [`rows`]; [`eval`] and [`deep`] make of the values what an engine is asked for.

pub(crate) mod deep;
pub(crate) mod eval;
pub(crate) mod numa;
mod rows;
pub(crate) mod settings;

use std::collections::BTreeMap;

use shogi_usi::{OptionError, OptionValue, Options};
use yane_book::probe::Profile;

use rows::{Action, Row};
use settings::{Edition, EngineSettings};

/// The level of `SkillLevel` without a limit.
pub(crate) const FULL_SKILL: i64 = rows::FULL_SKILL;

/// Other names of options, as dlshogi and older versions of YaneuraOu's deep edition have them, and ours.
const ALIASES: [(&str, &str); 7] = [
    ("Draw_Ply", "MaxMovesToDraw"),
    ("Draw_Value_Black", "DrawValueBlack"),
    ("Draw_Value_White", "DrawValueWhite"),
    ("Const_Playout", "NodesLimit"),
    ("Time_Margin", "NetworkDelay2"),
    ("RootMateSearchNodesLimit", "PV_Mate_Search_Nodes"),
    ("MateSearchPly", "LeafDfpnNodesLimit"),
];

/// Options of these engines that have nothing to set here: beginnings of names.
const WITHOUT_USE: [&str; 8] = [
    "Byoyomi_Margin",
    "Mate_Root_Search",
    "DfPn_",
    "PV_Mate_Search_Depth",
    "Random_",
    "Random2_",
    "DNN_Model",
    "DNN_Batch_Size",
];

/// dlshogi's cards beside the first one, each with an option for its threads: the beginning of the name, and the numbers.
const THREADS_OF_DEVICE: (&str, std::ops::RangeInclusive<u32>) = ("UCT_Threads", 2..=8);

/// The options of an engine: the table that GUIs see, and the values in it as the engine uses them.
#[derive(Clone)]
pub(crate) struct EngineOptions {
    table: Options,
    /// What the options of the table set, in their order.
    actions: Vec<Action>,
    /// Threads of devices from the second one on, which the table does not have.
    device_threads: BTreeMap<u32, usize>,
    settings: EngineSettings,
}

impl EngineOptions {
    /// All options with their defaults; those that both engines know have the defaults of `edition`.
    pub(crate) fn new(profile: Profile, edition: Edition) -> Self {
        let mut table = Options::default();
        let define = |Row { spec, action }| {
            table.define(spec).expect("the table is well formed");
            action
        };
        let actions = rows::table(profile, edition).into_iter().map(define);
        let mut options = Self {
            actions: actions.collect(),
            device_threads: BTreeMap::new(),
            settings: EngineSettings::blank(profile, edition),
            table,
        };
        options.read();
        options
    }

    /// The table with the values as they were set.
    pub(crate) const fn table(&self) -> &Options {
        &self.table
    }

    /// The values as the engine uses them.
    pub(crate) const fn settings(&self) -> &EngineSettings {
        &self.settings
    }

    /// Sets an option by one of its names.
    ///
    /// # Errors
    /// When there is no such option, the value is invalid, or it is fixed.
    pub(crate) fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        if let Some(device) = device_of(name) {
            match self.threads_in(value)? {
                0 => self.device_threads.remove(&device),
                threads => self.device_threads.insert(device, threads as usize),
            };
        } else {
            set_by_any_name(&mut self.table, name, value)?;
        }
        self.read();
        Ok(())
    }

    /// [`Options::fix`].
    pub(crate) fn fix(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        self.table.fix(name, value)?;
        self.read();
        Ok(())
    }

    /// [`Options::release`].
    pub(crate) fn release(&mut self, name: &str) -> Result<(), OptionError> {
        self.table.release(name)?;
        self.read();
        Ok(())
    }

    /// Returns what is wrong with setting an option so.
    pub(crate) fn check(&self, name: &str, value: &str) -> Result<(), OptionError> {
        if device_of(name).is_some() {
            return self.threads_in(Some(value)).map(drop);
        }
        set_by_any_name(&mut self.table.clone(), name, Some(value))
    }

    /// A value of `UCT_Threads`.
    fn threads_in(&self, value: Option<&str>) -> Result<i64, OptionError> {
        const NAME: &str = "UCT_Threads";
        let mut tried = self.table.clone();
        tried.release(NAME)?;
        tried.set(NAME, value)?;
        let found = tried.iter().find(|(spec, _)| spec.name == NAME);
        Ok(match found {
            Some((_, OptionValue::Spin(threads))) => *threads,
            _ => 0,
        })
    }

    /// The values with those of `ini`, by name, where an option has its default.
    pub(crate) fn with_ini(&self, ini: &[(String, String)]) -> EngineSettings {
        let mut merged = self.clone();
        for (name, value) in ini {
            let mut tried = self.table.clone();
            if set_by_any_name(&mut tried, name, Some(value)).is_err() {
                continue;
            }
            let mut both = tried.iter().zip(self.table.iter());
            let changed = both.find(|((_, new), (_, old))| new != old);
            if let Some(((spec, value), (_, old))) = changed
                && spec.kind.default_value() == *old
            {
                merged.table.set(&spec.name, Some(&value.to_string())).ok();
            }
        }
        merged.read();
        merged.settings
    }

    /// Puts all values of the table into the settings.
    fn read(&mut self) {
        for (action, (spec, value)) in self.actions.iter().zip(self.table.iter()) {
            let is_fixed = self.table.is_fixed(&spec.name);
            action.apply(&mut self.settings, value, is_fixed);
        }
        self.settings
            .deep
            .device_threads
            .clone_from(&self.device_threads);
    }
}

/// The device, from 1, whose threads an option of dlshogi sets.
fn device_of(name: &str) -> Option<u32> {
    let (begin, numbers) = THREADS_OF_DEVICE;
    let (head, number) = name.split_at_checked(begin.len())?;
    let number = number.parse().ok()?;
    (head.eq_ignore_ascii_case(begin) && numbers.contains(&number)).then_some(number)
}

/// Sets an option by one of its names.
fn set_by_any_name(
    options: &mut Options,
    name: &str,
    value: Option<&str>,
) -> Result<(), OptionError> {
    let is_alias = |(alias, _): &&(&str, &str)| alias.eq_ignore_ascii_case(name);
    match ALIASES.iter().find(is_alias) {
        None => options.set(name, value),
        Some(&("MateSearchPly", own)) => {
            // An odd-ply search of the leaves, which the solver replaces.
            let is_off = value.is_some_and(|plies| plies.trim() == "0");
            options.set(own, Some(if is_off { "0" } else { "40" }))
        }
        Some(&(_, own)) => options.set(own, value),
    }
}

/// Returns whether `name` is an option of other deep engines, in any case, that has nothing to set in this one.
pub fn is_foreign_deep_option(name: &str) -> bool {
    let begins = |start: &&'static str| {
        let head = name.get(..start.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(start))
    };
    WITHOUT_USE.iter().any(begins)
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

#[cfg(test)]
mod tests {
    use shogi_search::{Params, SearchOptions, TimeOptions};
    use yane_book::probe::ProbeOptions;

    use super::*;

    fn options(edition: Edition) -> EngineOptions {
        EngineOptions::new(Profile::Classic, edition)
    }

    #[test]
    fn parameters_are_options_for_tuning_only() {
        let mut options = options(Edition::AlphaBeta);
        let spec = &Params::SPECS[0];
        let value = spec.default + spec.step;
        let set = options.set(spec.name, Some(&value.to_string()));
        assert_eq!(set.is_ok(), cfg!(feature = "tune"));
        let expected = if set.is_ok() { value } else { spec.default };
        assert_eq!(options.settings().params.get(spec.name), Some(expected));
    }

    #[test]
    fn defaults_are_those_of_the_libraries() {
        let options = options(Edition::AlphaBeta);
        let settings = options.settings();
        assert_eq!(settings.time, TimeOptions::default());
        assert_eq!(settings.params, Params::default());
        let (search, default) = (settings.search_options(), SearchOptions::default());
        assert_eq!(search.draw_value_cp, default.draw_value_cp);
        assert_eq!(search.entering_king_rule, default.entering_king_rule);
        assert_eq!(search.multi_pv, default.multi_pv);
        assert_eq!(search.max_moves_to_draw, default.max_moves_to_draw);
        assert_eq!(
            search.generate_all_legal_moves,
            default.generate_all_legal_moves
        );
        assert_eq!(search.extend_lines, default.extend_lines);
        assert_eq!(settings.numa_problem(), None);
    }

    #[test]
    fn defaults_are_those_of_the_book_crate() {
        for profile in [Profile::Classic, Profile::V2] {
            let mut options = EngineOptions::new(profile, Edition::AlphaBeta);
            let book = &options.settings().book;
            assert_eq!(book.probe, ProbeOptions::new(profile));
            assert!(!book.is_named && book.is_wanted());
            options.set("BookFile", Some("my book.db")).unwrap();
            let book = &options.settings().book;
            assert!(book.file == "my book.db" && book.is_named);
            options.set("BookFile", Some("no_book")).unwrap();
            assert!(!options.settings().book.is_wanted());
        }
    }

    #[test]
    fn both_sides_have_book_limits() {
        let sides = |profile: Profile, values: &[(&str, &str)]| {
            let mut options = EngineOptions::new(profile, Edition::AlphaBeta);
            for (name, value) in values {
                options.set(name, Some(value)).unwrap();
            }
            let probe = &options.settings().book.probe;
            (probe.eval_diff.0, probe.depth_limit.0)
        };
        let classic = [("BookEvalDiff", "7"), ("BookDepthLimit", "8")];
        assert_eq!(sides(Profile::Classic, &classic), ([7, 7], [8, 8]));
        let names = [shogi_core::Color::Black, shogi_core::Color::White];
        let [black, white] = names.map(|side| Profile::V2.eval_diff_name(side));
        let v2 = [(black, "1"), (white, "2")];
        assert_eq!(sides(Profile::V2, &v2).0, [1, 2]);
    }

    #[test]
    fn a_delay_that_is_the_default_is_not_chosen() {
        for edition in [Edition::AlphaBeta, Edition::Deep] {
            let mut options = options(edition);
            let chosen = |options: &EngineOptions| {
                let time = &options.settings().time;
                [time.network_delay_chosen, time.network_delay2_chosen]
            };
            assert_eq!(chosen(&options), [false, false]);
            options.set("NetworkDelay", Some("77")).unwrap();
            options.set("NetworkDelay2", Some("88")).unwrap();
            assert_eq!(chosen(&options), [true, true]);
            let default = edition.network_delays().0.to_string();
            options.set("NetworkDelay", Some(&default)).unwrap();
            assert_eq!(chosen(&options), [false, true]);
        }
    }

    #[test]
    fn words_are_levels() {
        let mut options = options(Edition::AlphaBeta);
        let skill = |options: &EngineOptions| options.settings().skill;
        assert_eq!((skill(&options).level, skill(&options).named), (20, None));
        options.set("SkillLevel", Some("5")).unwrap();
        assert_eq!(skill(&options).level, 5);
        let mut last = -1;
        for word in [
            "first_games",
            "beginner",
            "casual_player",
            "club_player",
            "master",
        ] {
            options.set("PlayAs", Some(word)).unwrap();
            let level = skill(&options).named.unwrap();
            assert!(level > last, "{word}");
            last = level;
        }
        assert!(options.set("PlayAs", Some("dragon")).is_err());
    }

    #[test]
    fn options_have_other_names() {
        let mut options = options(Edition::Deep);
        for (name, value) in [
            ("Draw_Ply", "320"),
            ("draw_value_black", "400"),
            ("Const_Playout", "77"),
            ("RootMateSearchNodesLimit", "9"),
            ("MateSearchPly", "0"),
            ("C_init", "150"),
        ] {
            options.set(name, Some(value)).unwrap();
        }
        let settings = options.settings();
        assert_eq!(settings.max_moves_to_draw(), 320);
        assert!((settings.draw_win_rate(shogi_core::Color::Black) - 0.4).abs() < 1e-6);
        assert_eq!(settings.nodes_limit, Some(77));
        assert_eq!(settings.deep.mate_nodes, 9);
        assert_eq!(settings.deep.params.leaf_mate_nodes, 0);
        assert!((settings.deep.params.c_init - 1.5).abs() < 1e-6);
        options.set("MateSearchPly", Some("5")).unwrap();
        assert_eq!(options.settings().deep.params.leaf_mate_nodes, 40);
        assert!(options.set("Draw_Ply", Some("many")).is_err());
        assert!(options.set("DNN_Model2", Some("1")).is_err());
        for name in ["DNN_Batch_Size2", "dnn_model8", "Random_Ply", "DfPn_Hash"] {
            assert!(is_foreign_deep_option(name), "{name}");
        }
        assert!(!is_foreign_deep_option("Draw"));
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
}
