//! Values that make no sense.

use tournament::Sprt;

use super::{CandidatePart, EvolveSettings, GatePart, RandomPlies, SelfplayPart, TrainingStart};
use crate::error::EvolveSettingsError;
use crate::kind::EvolveKind;

type Result<T> = std::result::Result<T, EvolveSettingsError>;

/// Checks a value.
fn ensure(is_right: bool, path: impl Into<String>, expected: &str) -> Result<()> {
    if is_right {
        return Ok(());
    }
    Err(EvolveSettingsError::value(path, expected))
}

/// Checks that a setting of another kind is not given.
fn refuse(is_given: bool, path: impl Into<String>, kind: EvolveKind) -> Result<()> {
    if !is_given {
        return Ok(());
    }
    let kind = kind.name();
    let path = path.into();
    Err(EvolveSettingsError::OtherKind { path, kind })
}

impl EvolveSettings {
    /// Finds a value that makes no sense.
    pub(super) fn check(&self) -> Result<()> {
        let positive = |number: f64| number.is_finite() && number > 0.0;
        ensure(is_word(&self.name), "name", WORD)?;
        ensure(
            !self.start.is_empty(),
            "start",
            "\"embedded\", \"none\" or a file",
        )?;
        ensure(self.generations > 0, "generations", "a number from 1 on")?;
        ensure(
            self.hours.is_none_or(positive),
            "hours",
            "a number above 0, or null",
        )?;
        ensure(
            self.threads != Some(0),
            "threads",
            "a number from 1 on, or null",
        )?;
        ensure(
            self.max_gb.is_none_or(positive),
            "max_gb",
            "a number above 0, or null",
        )?;
        self.selfplay.check(self.kind)?;
        self.check_mix()?;
        ensure(
            !self.training.is_empty(),
            "training",
            "at least one candidate",
        )?;
        for (index, candidate) in self.training.iter().enumerate() {
            candidate.check(&format!("training[{index}]"), self.kind)?;
            let mut before = self.training[..index].iter();
            let is_new = before.all(|other| other.name != candidate.name);
            ensure(
                is_new,
                format!("training[{index}].name"),
                "another name for each candidate",
            )?;
        }
        self.gate.check(self.kind)?;
        ensure(
            self.ladder.games.is_multiple_of(2),
            "ladder.games",
            "an even number",
        )?;
        let is_url = |url: &str| url.contains("://");
        let has_url = self.queue.as_ref().is_none_or(|queue| is_url(&queue.url));
        ensure(has_url, "queue.url", "an address such as nats://host:4222")
    }

    fn check_mix(&self) -> Result<()> {
        let mix = &self.mix;
        let is_weight = |weight: &f64| weight.is_finite() && *weight > 0.0 && *weight <= 100.0;
        ensure(
            mix.older.iter().all(is_weight),
            "mix.older",
            "weights above 0",
        )?;
        if !self.kind.is_shogi() {
            // Its trainer uses a share of the games of a file.
            let is_share = |weight: &f64| *weight <= 1.0;
            let expected = "shares above 0 and at most 1";
            ensure(mix.older.iter().all(is_share), "mix.older", expected)?;
            refuse(mix.dedup, "mix.dedup", self.kind)?;
        }
        let least = mix.older.len() as u32 + 1;
        let expected = format!("at least {least}, as training reads so many generations, or null");
        ensure(
            self.keep.is_none_or(|keep| keep >= least),
            "keep",
            &expected,
        )
    }
}

/// What a name may be.
const WORD: &str = "a name of letters, digits, - and _";

fn is_word(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    !name.is_empty() && name.len() <= 40 && name.chars().all(is_plain)
}

impl SelfplayPart {
    fn check(&self, kind: EvolveKind) -> Result<()> {
        let count = self.games.or(self.positions);
        let is_one = self.games.is_some() != self.positions.is_some();
        ensure(
            is_one,
            "selfplay.games",
            "a number, or null and a number of positions",
        )?;
        ensure(count > Some(0), "selfplay.games", "a number from 1 on")?;
        if kind.is_shogi() {
            refuse(self.depth.is_some(), "selfplay.depth", kind)?;
            ensure(self.nodes > Some(0), "selfplay.nodes", "a number from 1 on")?;
            let is_number = |plies: &RandomPlies| matches!(plies, RandomPlies::Number(_));
            let has_number = self.random_plies.as_ref().is_none_or(is_number);
            return ensure(has_number, "selfplay.random_plies", "a number, or null");
        }
        refuse(self.nodes.is_some(), "selfplay.nodes", kind)?;
        refuse(!self.starts.is_empty(), "selfplay.starts", kind)?;
        refuse(!self.settings.is_empty(), "selfplay.settings", kind)?;
        ensure(self.depth > Some(0), "selfplay.depth", "a number from 1 on")
    }
}

impl CandidatePart {
    fn check(&self, path: &str, kind: EvolveKind) -> Result<()> {
        ensure(is_word(&self.name), format!("{path}.name"), WORD)?;
        let rate = self.lr.is_none_or(|rate| rate.is_finite() && rate > 0.0);
        ensure(rate, format!("{path}.lr"), "a number above 0")?;
        ensure(
            self.epochs != Some(0),
            format!("{path}.epochs"),
            "a number from 1 on",
        )?;
        let lambda = self
            .lambda
            .is_none_or(|lambda| (0.0..=1.0).contains(&lambda));
        ensure(lambda, format!("{path}.lambda"), "a number from 0 to 1")?;
        if kind == EvolveKind::Othello {
            refuse(self.lambda.is_some(), format!("{path}.lambda"), kind)?;
            return ensure(
                self.arch.is_some() || self.from == TrainingStart::Nothing,
                format!("{path}.from"),
                "\"nothing\", as pattern tables are fitted anew, or an arch",
            );
        }
        Ok(())
    }
}

impl GatePart {
    fn check(&self, kind: EvolveKind) -> Result<()> {
        let sprt = Sprt::new(self.elo0, self.elo1, self.alpha, self.beta);
        if let Err(error) = sprt {
            return Err(EvolveSettingsError::value("gate", error.to_string()));
        }
        let games = self.games >= 2 && self.games.is_multiple_of(2);
        ensure(games, "gate.games", "an even number from 2 on")?;
        let score = self
            .undecided
            .is_none_or(|score| (0.0..=1.0).contains(&score));
        ensure(score, "gate.undecided", "a score from 0 to 1, or null")?;
        ensure(
            self.concurrency != Some(0),
            "gate.concurrency",
            "a number from 1 on, or null",
        )?;
        if kind.is_shogi() {
            refuse(self.level.is_some(), "gate.level", kind)?;
            let limits = [self.nodes, self.movetime].into_iter().flatten();
            let is_one = limits.clone().count() == 1 && limits.min() > Some(0);
            return ensure(
                is_one,
                "gate.nodes",
                "a number from 1 on, or null and a movetime",
            );
        }
        refuse(self.nodes.is_some(), "gate.nodes", kind)?;
        let is_one = self.level.is_some() != self.movetime.is_some();
        ensure(is_one, "gate.level", "a level, or null and a movetime")?;
        let seconds = self
            .movetime
            .is_none_or(|ms| ms >= 1000 && ms.is_multiple_of(1000));
        ensure(seconds, "gate.movetime", "whole seconds, in milliseconds")
    }
}
