//! The evaluation of a session: loading, saving and static values.

use std::path::{Path, PathBuf};

use shogi_core::Diagram;
use shogi_eval::Evaluator;
use shogi_eval::loader::AnyEvaluator;
use shogi_eval::nnue::shared::SharedNetworks;

use super::Session;
use crate::evaluation::{EvalEvent, EvalProblem};
use crate::evaluation::{SaveError, SavedEvaluation};
use crate::options::eval::{EvalRequest, save_dir, scale_in_use};
use crate::search::ScaledEvaluation;

impl Session {
    /// Sets where networks lie that are shared with other processes (`EvalShare`). Unless set, in the
    /// user's folder for caches.
    pub fn set_shared_networks(&mut self, shared: SharedNetworks) {
        self.shared_networks = Some(shared);
    }

    /// The folder that `EvalDir` means (it may be the file of a network): where evaluation files are
    /// looked for, and what else belongs to them. `None` when the options ask for an evaluation
    /// without files.
    pub fn eval_place(&self) -> Option<PathBuf> {
        EvalRequest::of(&self.options).place(&self.folders)
    }

    /// Loads the evaluation that the options ask for, unless it is loaded already and its files have
    /// not changed. Reports events while it goes on. When it cannot be used, that is reported
    /// ([`EvalEvent::Failed`]), and [`Self::eval_problem`] says so from then on; the engine plays with the
    /// embedded one.
    pub fn load_evaluation(&mut self, mut report: impl FnMut(EvalEvent)) {
        let Some(source) = self.evaluations.wanted(&self.options, &self.folders) else {
            if let Some(problem) = self.evaluations.problem() {
                report(EvalEvent::Failed(problem.clone()));
            }
            return;
        };
        if let Some(core) = &mut self.core {
            // Make room first: both together might not fit.
            core.drop_evaluation();
        }
        let shared = self.shared_networks.as_ref();
        self.evaluations
            .load(source, &self.options, shared, &mut report);
    }

    /// Whether the next search has to load an evaluation first, because none has been loaded or the
    /// options ask for another one. It does so by itself, but only [`Self::load_evaluation`] reports events.
    pub fn needs_evaluation(&self) -> bool {
        self.evaluations.is_outdated(&self.options)
    }

    /// The reason why the engine does not play with the evaluation that the options asked for.
    pub fn eval_problem(&self) -> Option<&EvalProblem> {
        self.evaluations.problem()
    }

    /// Writes the evaluation that the options ask for to `folder`, without one to that which
    /// `EvalSaveDir` names: as files that can be loaded from there. When files are missing and
    /// `SkipLoadingEval` says that they need not be there, they are written as zeros: KPPT tables, or the
    /// network that `EvalArchitecture` names.
    ///
    /// # Errors
    /// When the evaluation has no files or they have changed since they were loaded, `folder` is where
    /// they are, or cannot be written to. Nothing changed then.
    pub fn save_evaluation(&mut self, folder: Option<&Path>) -> Result<SavedEvaluation, SaveError> {
        self.update_evaluation();
        let named = folder.map(Path::to_owned);
        let folder = named.unwrap_or_else(|| save_dir(&self.options, &self.folders));
        self.evaluations.save(&folder)
    }

    /// Writes the network that the options ask for as `file`, without one as `ARCHITECTURE.bin`: as it
    /// was loaded, with the usual hashes.
    ///
    /// # Errors
    /// When the evaluation is no network, its file has changed since it was loaded or is `file`, or
    /// `file` cannot be written. Nothing changed then.
    pub fn export_network(&mut self, file: Option<&Path>) -> Result<SavedEvaluation, SaveError> {
        self.update_evaluation();
        self.evaluations.export(file)
    }

    /// The name of the evaluation that the options ask for.
    pub fn evaluation_name(&mut self) -> String {
        self.update_evaluation();
        self.evaluations.current().name()
    }

    /// An evaluator as searches have it, with the evaluation that the options ask for.
    pub fn evaluator(&mut self) -> AnyEvaluator {
        self.update_evaluation();
        self.evaluation().evaluator()
    }

    /// Static evaluation of the current position for the side to move, in the internal unit (a pawn
    /// is 90), with the evaluation that the options ask for.
    pub fn evaluate(&mut self) -> i32 {
        self.evaluate_diagram(&self.game.position().clone().into())
    }

    /// As [`Self::evaluate`], of any pieces.
    pub fn evaluate_diagram(&mut self, diagram: &Diagram) -> i32 {
        let mut evaluator = self.evaluator();
        evaluator.reset(diagram.pieces());
        evaluator.evaluate(diagram.pieces())
    }

    /// What is loaded, with the divisor as the options are now.
    pub(super) fn evaluation(&self) -> ScaledEvaluation {
        let evaluation = self.evaluations.current().clone();
        ScaledEvaluation {
            scale: scale_in_use(&self.options, &evaluation),
            evaluation,
        }
    }

    pub(super) fn update_evaluation(&mut self) {
        if self.needs_evaluation() {
            self.load_evaluation(|_| {});
        }
    }
}
