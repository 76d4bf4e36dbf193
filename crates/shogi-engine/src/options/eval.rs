//! The options about the evaluation: names, kinds, defaults and ranges, and their conversion.

use std::path::PathBuf;

use shogi_deep::DeepRuntime;
use shogi_eval::MaterialLevel;
use shogi_eval::loader::Evaluation;
use shogi_eval::nnue::FvScale;
use shogi_eval::nnue::arch::Architecture;
use shogi_search::SearchUnit;
use shogi_usi::{OptionSpec, Options};

use super::deep::deep_runtime;

/// Default of `EvalDir`.
const DEFAULT_DIR: &str = "eval";
/// Default of `EvalSaveDir`.
const DEFAULT_SAVE_DIR: &str = "evalsave";
/// Largest value of `SearchUnit`, in per cent.
const MAX_SEARCH_UNIT: i64 = 1600;
/// Value of `EvalArchitecture` for the architecture that the file states.
const BY_FILE: &str = "auto";

/// A value of the option `Evaluation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EvalChoice {
    /// The files in `EvalDir`.
    Auto,
    /// Material, refined by `MaterialLevel`.
    Material,
    /// The network built into the program.
    Embedded,
    /// The positional evaluation.
    Positional,
    /// A policy and value network in `EvalDir`, for the deep engine.
    Deep,
}

impl EvalChoice {
    const ALL: [Self; 5] = [
        Self::Auto,
        Self::Material,
        Self::Embedded,
        Self::Positional,
        Self::Deep,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Material => "material",
            Self::Embedded => "embedded",
            Self::Positional => "positional",
            Self::Deep => "deep",
        }
    }
}

/// The evaluation that the options ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EvalRequest {
    pub(crate) choice: EvalChoice,
    /// `MaterialLevel`; the first unless the choice is material.
    pub(crate) level: MaterialLevel,
    /// `EvalDir`.
    pub(crate) dir: String,
    /// True if the user has named it, rather than left the default.
    pub(crate) dir_is_named: bool,
    /// `DNN_Model`: the name of a policy and value network in it.
    pub(crate) model: String,
    /// What evaluates that.
    pub(crate) runtime: DeepRuntime,
    /// `EvalArchitecture`; `None`: the architecture that the file states.
    pub(crate) architecture: Option<String>,
    /// `SkipLoadingEval`.
    pub(crate) skip: bool,
    /// `EvalShare`.
    pub(crate) share: bool,
}

/// The options with their defaults.
pub(crate) fn eval_options() -> Vec<OptionSpec> {
    let scale = FvScale::DEFAULT.get().into();
    vec![
        OptionSpec::combo(
            "Evaluation",
            EvalChoice::Auto.name(),
            &EvalChoice::ALL.map(EvalChoice::name),
        ),
        OptionSpec::spin(
            "MaterialLevel",
            MaterialLevel::FIRST.get().into(),
            MaterialLevel::FIRST.get().into(),
            MaterialLevel::LAST.get().into(),
        ),
        OptionSpec::string("EvalDir", DEFAULT_DIR),
        OptionSpec::string("EvalSaveDir", DEFAULT_SAVE_DIR),
        OptionSpec::string("EvalArchitecture", BY_FILE),
        OptionSpec::spin("FV_SCALE", scale, 1, FvScale::MAX.into()),
        OptionSpec::spin("SearchUnit", 75, 1, MAX_SEARCH_UNIT),
        OptionSpec::check("EvalShare", false),
        OptionSpec::check("SkipLoadingEval", false),
    ]
}

/// The material level that is asked for with `choice`: others ignore the option, so that a change of it
/// does not reload them.
fn material_level(options: &Options, choice: EvalChoice) -> MaterialLevel {
    let number = options.spin("MaterialLevel");
    u8::try_from(number)
        .ok()
        .filter(|_| choice == EvalChoice::Material)
        .and_then(MaterialLevel::new)
        .unwrap_or_default()
}

/// The folder that `EvalSaveDir` names; relative to the first of `folders`.
pub(crate) fn save_dir(options: &Options, folders: &[PathBuf]) -> PathBuf {
    let dir = options.text("EvalSaveDir");
    let dir = if dir.is_empty() {
        DEFAULT_SAVE_DIR
    } else {
        dir
    };
    folders
        .first()
        .map_or_else(|| dir.into(), |folder| folder.join(dir))
}

impl EvalRequest {
    /// The request in `options`.
    pub(crate) fn of(options: &Options) -> Self {
        let chosen = options.text("Evaluation");
        let choice = EvalChoice::ALL.into_iter().find(|c| c.name() == chosen);
        let choice = choice.unwrap_or(EvalChoice::Auto);
        let dir = options.text("EvalDir");
        let architecture = options.text("EvalArchitecture");
        let by_file = architecture.is_empty() || architecture.eq_ignore_ascii_case(BY_FILE);
        Self {
            choice,
            level: material_level(options, choice),
            dir: dir.to_owned(),
            dir_is_named: dir != DEFAULT_DIR,
            model: options.text("DNN_Model").to_owned(),
            runtime: deep_runtime(options),
            architecture: (!by_file).then(|| architecture.to_owned()),
            skip: options.check("SkipLoadingEval"),
            share: options.check("EvalShare"),
        }
    }

    /// The architecture that is asked for.
    ///
    /// # Errors
    /// When there is none of this name.
    pub(crate) fn architecture(
        &self,
    ) -> Result<Option<Architecture>, <Architecture as std::str::FromStr>::Err> {
        self.architecture.as_deref().map(str::parse).transpose()
    }
}

/// The divisor of the output of a network; `None`: by the network's own divisor.
///
/// GUIs send every option, with the default when the user has not changed it: the default is no choice of the user,
/// except when it comes from a file.
fn fv_scale(options: &Options) -> Option<FvScale> {
    let scale = FvScale::new(options.spin("FV_SCALE") as i32)?;
    (scale != FvScale::DEFAULT || options.is_fixed("FV_SCALE")).then_some(scale)
}

/// The divisor of `evaluation` with these options; `None` when it has none.
pub(crate) fn scale_in_use(options: &Options, evaluation: &Evaluation) -> Option<FvScale> {
    let own = evaluation.own_scale()?;
    Some(fv_scale(options).unwrap_or(own.scale))
}

/// The unit of the search: so many per cent as `SearchUnit` says are what an evaluation counts in it.
pub(crate) fn search_unit(options: &Options) -> SearchUnit {
    SearchUnit::times(options.spin("SearchUnit") as f64 / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::deep::deep_options;

    fn options() -> Options {
        let mut options = Options::default();
        for spec in eval_options().into_iter().chain(deep_options()) {
            options.define(spec).unwrap();
        }
        options
    }

    #[test]
    fn options_make_a_request() {
        let mut options = options();
        let request = EvalRequest::of(&options);
        assert_eq!(
            (request.choice, request.dir_is_named),
            (EvalChoice::Auto, false)
        );
        assert!(request.architecture().unwrap().is_none());
        assert!(!request.skip && !request.share);
        for (name, value) in [
            ("Evaluation", "MATERIAL"),
            ("EvalDir", "../nets"),
            ("EvalArchitecture", "kp_256x2-32-32"),
            ("EvalShare", "true"),
            ("SkipLoadingEval", "true"),
        ] {
            options.set(name, Some(value)).unwrap();
        }
        let request = EvalRequest::of(&options);
        assert_eq!(
            (request.choice, request.dir_is_named),
            (EvalChoice::Material, true)
        );
        assert_eq!(request.dir, "../nets");
        let architecture = request.architecture().unwrap().unwrap();
        assert_eq!(architecture.to_string(), "kp_256x2-32-32");
        assert!(request.skip && request.share);
        options.set("EvalArchitecture", Some("kp_of_some")).unwrap();
        assert!(EvalRequest::of(&options).architecture().is_err());
        options.set("MaterialLevel", Some("9")).unwrap();
        assert_eq!(EvalRequest::of(&options).level, MaterialLevel::LAST);
        options.set("Evaluation", Some("auto")).unwrap();
        assert_eq!(EvalRequest::of(&options).level, MaterialLevel::FIRST);
    }

    #[test]
    fn the_default_divisor_counts_only_from_a_file() {
        let mut options = options();
        let scale = |options: &Options| fv_scale(options).map(FvScale::get);
        assert_eq!(scale(&options), None);
        options.set("FV_SCALE", Some("24")).unwrap();
        assert_eq!(scale(&options), Some(24));
        options.set("FV_SCALE", Some("16")).unwrap();
        assert_eq!(scale(&options), None);
        options.fix("FV_SCALE", "16").unwrap();
        assert_eq!(scale(&options), Some(16));
        assert_eq!(
            scale_in_use(&options, &Evaluation::material(MaterialLevel::LAST)),
            None
        );
    }
}
