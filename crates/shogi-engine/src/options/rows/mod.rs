//! The table of all options: the name, kind, default and range of each as GUIs see it, and what it sets, in the order in which
//! options are announced.
//!
//! Names, ranges, defaults and order are those of `YaneuraOu`, which GUIs know and translate. `DebugLogFile` and
//! `PARAMETERS_LOG_FILE_PATH` are implemented by the program that talks to the GUI.

mod book;
mod deep;
mod eval;
mod general;
mod mate;
mod skill;

use shogi_search::Params;
use shogi_usi::{OptionSpec, OptionValue};
use yane_book::probe::Profile;

use super::settings::{Edition, EngineSettings};

pub(super) use skill::FULL_SKILL;

/// What a value of an option does.
#[derive(Clone, Copy)]
enum Effect {
    Check(fn(&mut EngineSettings, bool)),
    Spin(fn(&mut EngineSettings, i64)),
    Text(fn(&mut EngineSettings, &str)),
    /// It is a number of the search, of this name.
    Param(&'static str),
}

/// What an option sets.
#[derive(Clone, Copy)]
pub(super) struct Action {
    effect: Effect,
    /// What it does that a file fixes the option, or does not.
    fixing: Option<fn(&mut EngineSettings, bool)>,
}

impl Action {
    /// Puts the value of the option into `settings`; `is_fixed` if it comes from a file.
    pub(super) fn apply(&self, settings: &mut EngineSettings, value: &OptionValue, is_fixed: bool) {
        match (self.effect, value) {
            (Effect::Check(put), &OptionValue::Check(on)) => put(settings, on),
            (Effect::Spin(put), &OptionValue::Spin(number)) => put(settings, number),
            (Effect::Text(put), OptionValue::Text(text)) => put(settings, text),
            (Effect::Param(name), &OptionValue::Spin(number)) => {
                settings.params.set(name, number as i32);
            }
            _ => unreachable!("a row is made with an effect of its kind"),
        }
        if let Some(put) = self.fixing {
            put(settings, is_fixed);
        }
    }
}

/// An option: as it is announced, and what it sets.
pub(super) struct Row {
    pub(super) spec: OptionSpec,
    pub(super) action: Action,
}

impl Row {
    const fn new(spec: OptionSpec, effect: Effect) -> Self {
        let action = Action {
            effect,
            fixing: None,
        };
        Self { spec, action }
    }

    /// On or off.
    fn check(name: &str, default: bool, put: fn(&mut EngineSettings, bool)) -> Self {
        Self::new(OptionSpec::check(name, default), Effect::Check(put))
    }

    /// A whole number: `default`, least, most.
    fn spin(name: &str, range: (i64, i64, i64), put: fn(&mut EngineSettings, i64)) -> Self {
        let (default, least, most) = range;
        let spec = OptionSpec::spin(name, default, least, most);
        Self::new(spec, Effect::Spin(put))
    }

    /// One of `words`, of which the first is the default.
    fn combo(name: &str, words: &[&str], put: fn(&mut EngineSettings, &str)) -> Self {
        let default = words.first().copied().unwrap_or_default();
        Self::combo_of(name, default, words, put)
    }

    /// One of `words`.
    fn combo_of(
        name: &str,
        default: &str,
        words: &[&str],
        put: fn(&mut EngineSettings, &str),
    ) -> Self {
        let spec = OptionSpec::combo(name, default, words);
        Self::new(spec, Effect::Text(put))
    }

    /// Any text, for which GUIs offer `words`.
    fn suggestions(
        name: &str,
        default: &str,
        words: &[&str],
        put: fn(&mut EngineSettings, &str),
    ) -> Self {
        let spec = OptionSpec::suggestions(name, default, words);
        Self::new(spec, Effect::Text(put))
    }

    /// Any text.
    fn string(name: &str, default: &str, put: fn(&mut EngineSettings, &str)) -> Self {
        Self::new(OptionSpec::string(name, default), Effect::Text(put))
    }

    /// The same option, of which it also counts whether a file fixes it.
    fn or_fixed(mut self, put: fn(&mut EngineSettings, bool)) -> Self {
        self.action.fixing = Some(put);
        self
    }
}

/// All options; those that both engines know have the defaults of `edition`.
pub(super) fn table(profile: Profile, edition: Edition) -> Vec<Row> {
    let log = Row::string("PARAMETERS_LOG_FILE_PATH", "", |s, file| {
        file.clone_into(&mut s.parameters_log);
    });
    let mut rows = general::rows(edition);
    rows.extend(book::rows(profile));
    rows.extend(mate::rows());
    rows.extend(eval::rows());
    rows.extend(skill::rows());
    rows.push(log);
    rows.extend(deep::rows());
    rows.extend(tuning());
    rows
}

/// The parameters of the search under their own names, with the feature `tune`; else nothing.
fn tuning() -> impl Iterator<Item = Row> {
    let specs = if cfg!(feature = "tune") {
        Params::SPECS
    } else {
        &[]
    };
    specs.iter().map(|spec| {
        let [default, min, max] = [spec.default, spec.min, spec.max].map(i64::from);
        Row::new(
            OptionSpec::spin(spec.name, default, min, max),
            Effect::Param(spec.name),
        )
    })
}
