//! An option: as it is announced, and what it sets.

use shogi_usi::{OptionSpec, OptionValue};

use crate::options::settings::EngineSettings;

/// What a value of an option does.
#[derive(Clone, Copy)]
pub(super) enum Effect {
    Check(fn(&mut EngineSettings, bool)),
    Spin(fn(&mut EngineSettings, i64)),
    Text(fn(&mut EngineSettings, &str)),
    /// It is a number of the search, of this name.
    Param(&'static str),
}

/// What an option sets.
#[derive(Clone, Copy)]
pub(in crate::options) struct Action {
    pub(super) effect: Effect,
    /// What it does that a file fixes the option, or does not.
    pub(super) fixing: Option<fn(&mut EngineSettings, bool)>,
}

impl Action {
    /// Puts the value of the option into `settings`; `is_fixed` if it comes from a file.
    pub(in crate::options) fn apply(
        &self,
        settings: &mut EngineSettings,
        value: &OptionValue,
        is_fixed: bool,
    ) {
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
pub(in crate::options) struct Row {
    pub(in crate::options) spec: OptionSpec,
    pub(in crate::options) action: Action,
}

impl Row {
    pub(super) const fn new(spec: OptionSpec, effect: Effect) -> Self {
        let action = Action {
            effect,
            fixing: None,
        };
        Self { spec, action }
    }

    /// On or off.
    pub(super) fn check(name: &str, default: bool, put: fn(&mut EngineSettings, bool)) -> Self {
        let spec = if default {
            OptionSpec::check_on(name)
        } else {
            OptionSpec::check_off(name)
        };
        Self::new(spec, Effect::Check(put))
    }

    /// A whole number: `default`, least, most.
    pub(super) fn spin(
        name: &str,
        range: (i64, i64, i64),
        put: fn(&mut EngineSettings, i64),
    ) -> Self {
        let (default, least, most) = range;
        let spec = OptionSpec::spin(name, default, least, most);
        Self::new(spec, Effect::Spin(put))
    }

    /// One of `words`, of which the first is the default.
    pub(super) fn combo(name: &str, words: &[&str], put: fn(&mut EngineSettings, &str)) -> Self {
        let default = words.first().copied().unwrap_or_default();
        Self::combo_of(name, default, words, put)
    }

    /// One of `words`.
    pub(super) fn combo_of(
        name: &str,
        default: &str,
        words: &[&str],
        put: fn(&mut EngineSettings, &str),
    ) -> Self {
        let spec = OptionSpec::combo(name, default, words);
        Self::new(spec, Effect::Text(put))
    }

    /// Any text, for which GUIs offer `words`.
    pub(super) fn suggestions(
        name: &str,
        default: &str,
        words: &[&str],
        put: fn(&mut EngineSettings, &str),
    ) -> Self {
        let spec = OptionSpec::suggestions(name, default, words);
        Self::new(spec, Effect::Text(put))
    }

    /// Any text.
    pub(super) fn string(name: &str, default: &str, put: fn(&mut EngineSettings, &str)) -> Self {
        Self::new(OptionSpec::string(name, default), Effect::Text(put))
    }

    /// The same option, of which it also counts whether a file fixes it.
    pub(super) fn or_fixed(mut self, put: fn(&mut EngineSettings, bool)) -> Self {
        self.action.fixing = Some(put);
        self
    }
}
