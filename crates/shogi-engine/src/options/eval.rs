//! What evaluation is asked for.

use shogi_deep::DeepRuntime;
use shogi_eval::MaterialLevel;
use shogi_eval::nnue::arch::Architecture;

use super::deep::deep_runtime;
use super::settings::{EngineSettings, EvalChoice};

/// The evaluation that the options ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EvalRequest {
    pub(crate) choice: EvalChoice,
    /// `MaterialLevel`; the first unless the choice is material: others ignore the option, so that a change of it does not reload
    /// them.
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

impl EvalRequest {
    /// The request in the options.
    pub(crate) fn of(settings: &EngineSettings) -> Self {
        let eval = &settings.eval;
        Self {
            choice: eval.choice,
            level: match eval.choice {
                EvalChoice::Material => eval.level,
                _ => MaterialLevel::default(),
            },
            dir: eval.dir.clone(),
            dir_is_named: eval.dir_is_named(),
            model: settings.deep.model.clone(),
            runtime: deep_runtime(settings),
            architecture: eval.architecture.clone(),
            skip: eval.skip,
            share: eval.share,
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use shogi_eval::loader::Evaluation;
    use shogi_eval::nnue::FvScale;
    use yane_book::probe::Profile;

    use super::*;
    use crate::options::EngineOptions;
    use crate::options::settings::Edition;

    fn options() -> EngineOptions {
        EngineOptions::new(Profile::Classic, Edition::AlphaBeta)
    }

    #[test]
    fn options_make_a_request() {
        let mut options = options();
        let request = EvalRequest::of(options.settings());
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
        let request = EvalRequest::of(options.settings());
        assert_eq!(
            (request.choice, request.dir_is_named),
            (EvalChoice::Material, true)
        );
        assert_eq!(request.dir, "../nets");
        let architecture = request.architecture().unwrap().unwrap();
        assert_eq!(architecture.to_string(), "kp_256x2-32-32");
        assert!(request.skip && request.share);
        options.set("EvalArchitecture", Some("kp_of_some")).unwrap();
        assert!(EvalRequest::of(options.settings()).architecture().is_err());
        options.set("MaterialLevel", Some("9")).unwrap();
        assert_eq!(
            EvalRequest::of(options.settings()).level,
            MaterialLevel::LAST
        );
        options.set("Evaluation", Some("auto")).unwrap();
        assert_eq!(
            EvalRequest::of(options.settings()).level,
            MaterialLevel::FIRST
        );
    }

    #[test]
    fn the_default_divisor_counts_only_from_a_file() {
        let mut options = options();
        let scale = |options: &EngineOptions| {
            let chosen = options.settings().eval.scale_chosen();
            chosen.map(FvScale::get)
        };
        assert_eq!(scale(&options), None);
        options.set("FV_SCALE", Some("24")).unwrap();
        assert_eq!(scale(&options), Some(24));
        options.set("FV_SCALE", Some("16")).unwrap();
        assert_eq!(scale(&options), None);
        options.fix("FV_SCALE", "16").unwrap();
        assert_eq!(scale(&options), Some(16));
        let material = Evaluation::material(MaterialLevel::LAST);
        assert_eq!(options.settings().eval.scale_in_use(&material), None);
        options.release("FV_SCALE").unwrap();
        assert_eq!(scale(&options), None);
    }

    #[test]
    fn evaluations_are_saved_beside_the_first_folder() {
        let mut options = options();
        let folders = ["here".into(), "there".into()];
        let dir = |options: &EngineOptions| options.settings().eval.save_dir(&folders);
        assert_eq!(dir(&options), Path::new("here").join("evalsave"));
        options.set("EvalSaveDir", Some("mine")).unwrap();
        assert_eq!(dir(&options), Path::new("here").join("mine"));
        options.set("EvalSaveDir", Some("<empty>")).unwrap();
        assert_eq!(dir(&options), Path::new("here").join("evalsave"));
    }
}
