//! Events of a training.

use std::path::PathBuf;

use crate::left_out::FilterCounts;

/// An event of a training.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LearnEvent {
    /// The data are being looked at for the first time: so many positions were read.
    Scanning(u64),
    /// The data were looked at.
    Data(DataReport),
    /// The training resumes from a checkpoint.
    Resumed {
        /// Epochs that are done.
        epochs: u32,
        /// Steps that are done.
        steps: u32,
    },
    /// The progress of an epoch; about once a second.
    Progress(LearnProgress),
    /// An epoch is done; number 0 is the network to begin with.
    Epoch(EpochReport),
    /// newbob took an epoch back.
    Rejected {
        /// The epoch.
        epoch: u32,
        /// The loss that it had.
        loss: f64,
        /// The best loss.
        best: f64,
        /// The factor of the learning rate from here on.
        factor: f64,
    },
    /// newbob found a network better than those before; only with [`LearnOptions::intervals`](crate::LearnOptions::intervals).
    Accepted {
        /// The loss that it has.
        loss: f64,
        /// The best loss before; `None` for the first network.
        best: Option<f64>,
    },
    /// The network was tested within an epoch; only with [`LearnOptions::intervals`](crate::LearnOptions::intervals).
    Tested(TestReport),
    /// The training ends before its last epoch, as its patience is at its end: see [`LearnOptions::patience`](crate::LearnOptions::patience).
    Stopped {
        /// The last epoch.
        epoch: u32,
        /// The best one.
        best_epoch: u32,
    },
    /// A tuning is finished: what it changed.
    Tuned(TuneReport),
    /// A file was written.
    Saved(PathBuf),
    /// A remark for people: a checkpoint is damaged, and the one before it was used.
    Note(String),
}

/// A test within an epoch, as the classic learner tells it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestReport {
    /// Positions that were trained on since the training began.
    pub positions: u64,
    /// The learning rate.
    pub rate: f64,
    /// The value of the initial position by the quantised network, in internal units.
    pub start_value: f64,
    /// The losses on the validation data.
    pub validation: LossParts,
    /// The losses on the training data since the last test, or since the training began or went on.
    pub train: LossParts,
    /// The sum of the absolute values of the validation positions, in internal units.
    pub norm: f64,
    /// The share of the teacher's moves that [`LearnOptions::move_search`](crate::LearnOptions::move_search) finds; `None` without it.
    pub move_accuracy: Option<f64>,
}

/// Mean cross entropies of the network's winning rates, by parts of the target, and the entropies of these parts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LossParts {
    /// Cross entropy against the score.
    pub score_cross_entropy: f64,
    /// Cross entropy against the result.
    pub result_cross_entropy: f64,
    /// Entropy of the score.
    pub score_entropy: f64,
    /// Entropy of the result.
    pub result_entropy: f64,
    /// Cross entropy against the target, the mixture of both.
    pub cross_entropy: f64,
    /// Entropy of the target.
    pub entropy: f64,
}

/// The report on the data.
#[derive(Clone, Debug, PartialEq)]
pub struct DataReport {
    /// Positions that were read.
    pub read: u64,
    /// Positions that were filtered out, by reason.
    pub filtered: FilterCounts,
    /// Positions to train on.
    pub train: u64,
    /// Positions to test on.
    pub validation: u64,
    /// The scale of the teacher's scores that predicts results best, in internal units; `None` when results say nothing about scores.
    pub fitted_scale: Option<f64>,
    /// The scale that is used.
    pub scale: f64,
    /// True if a file seems to be shuffled, so that games could not be kept together: the validation loss is too good then.
    pub shuffled: bool,
}

/// The progress of an epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnProgress {
    /// The epoch, from 1.
    pub epoch: u32,
    /// Positions of this epoch that were trained on.
    pub positions: u64,
    /// Positions of an epoch.
    pub of: u64,
    /// The mean excess loss of this epoch so far.
    pub loss: f64,
    /// The learning rate.
    pub rate: f64,
    /// Positions a second since the training began or went on.
    pub speed: f64,
}

/// An epoch. Losses are excess cross entropies: beyond the entropy of the targets, so 0 is perfect.
#[derive(Clone, Debug, PartialEq)]
pub struct EpochReport {
    /// The epoch, from 1; 0 is before the first one.
    pub epoch: u32,
    /// Positions that were trained on in it.
    pub positions: u64,
    /// The mean loss in training.
    pub train_loss: f64,
    /// The mean entropy of the training targets.
    pub train_entropy: f64,
    /// The loss on the validation data; `None` without any.
    pub validation_loss: Option<f64>,
    /// The entropy of the validation targets.
    pub entropy: f64,
    /// The learning rate at its end.
    pub rate: f64,
    /// Positions a second.
    pub speed: f64,
    /// The gradients of its steps, where their length is limited ([`LearnOptions::clip`](crate::LearnOptions::clip)).
    pub gradients: Option<GradientReport>,
    /// The health of the network, on the validation data.
    pub health: NetworkHealth,
    /// Policy and value apart, where both are learnt.
    pub policy: Option<PolicyTest>,
}

/// The gradients of an epoch's steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradientReport {
    /// Their mean length, before they were shortened.
    pub length: f64,
    /// Steps whose gradient was shortened.
    pub clipped: u32,
    /// All steps.
    pub steps: u64,
}

/// Policy and value of a network on the validation data, as dlshogi's trainer tells them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PolicyTest {
    /// The share of positions where the teacher's move is the first of all 2,187 labels.
    pub accuracy: f64,
    /// The mean cross entropy of the policy against the teacher's move.
    pub loss: f64,
    /// The share of positions, of games that somebody won, where the value is above a half for the winner alone.
    pub value_accuracy: f64,
    /// The mean cross entropy of the value against the result.
    pub value_loss: f64,
}

/// Units and weights that do no work, and what quantisation costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NetworkHealth {
    /// Units of the feature transformer, and of the two hidden layers.
    pub units: [usize; 3],
    /// Those that were 0 for all positions.
    pub dead: [usize; 3],
    /// Those that were 1 for all positions.
    pub saturated: [usize; 3],
    /// Weights of the affine layers that 8 bits do not hold: they stand at the limit.
    pub clipped_weights: [usize; 3],
    /// The mean difference between the values of the quantised network and this one, in internal units.
    pub quantisation: f64,
    /// The largest difference.
    pub largest_quantisation: f64,
}

/// The end of a training.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnReport {
    /// True if all epochs are done; otherwise it was stopped, and the same call resumes.
    pub finished: bool,
    /// Epochs that are done.
    pub epochs: u32,
    /// Steps that are done.
    pub steps: u32,
    /// The epoch with the best validation loss, which `network` is of; the last one without validation data.
    pub best_epoch: u32,
    /// Its loss.
    pub best_loss: Option<f64>,
    /// The scale of the teacher's scores that was used.
    pub scale: f64,
    /// The network, when the training is finished.
    pub network: Option<PathBuf>,
}

/// What tuning changed.
#[derive(Clone, Debug, PartialEq)]
pub struct TuneReport {
    /// The excess loss on the validation data before; `None` without any.
    pub before: Option<f64>,
    /// The excess loss after.
    pub after: Option<f64>,
    /// Numbers that are others now.
    pub changes: Vec<TunedChange>,
    /// All numbers.
    pub numbers: usize,
}

/// A number that was changed.
#[derive(Clone, Debug, PartialEq)]
pub struct TunedChange {
    /// Its name.
    pub name: String,
    /// Its value before.
    pub from: f64,
    /// Its value now.
    pub to: f64,
    /// The change in its steps.
    pub steps: f64,
}
