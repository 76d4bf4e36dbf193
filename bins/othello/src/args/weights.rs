//! Which weights are meant.

use std::path::PathBuf;

use clap::Args;

/// The choice of an evaluation.
#[derive(Args, Debug)]
pub(crate) struct WeightsArgs {
    /// Weights: ours, Edax's eval.dat or Egaroucid's eval.egev2; 'untrained' for none [default: those built in]
    #[arg(long = "eval", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}
