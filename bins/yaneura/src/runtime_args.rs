//! Options of commands that evaluate positions with a policy and value network: what evaluates it, and where.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, RangedU64ValueParser};
use clap::{Args, builder::TypedValueParser};
use shogi_deep::{DeepBackend, DeepRuntime, Precision};

/// What evaluates a network.
#[derive(Clone, Debug, Args)]
pub(crate) struct RuntimeArgs {
    /// What evaluates the network, as the option `DNN_Runtime`
    #[arg(long = "runtime", value_name = "NAME", default_value = "native", value_parser = backend())]
    pub(crate) backend: DeepBackend,
    /// The library of ONNX Runtime, as the option `DNN_Library`
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// The width of the network's numbers, as the option `DNN_Precision`
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = precision())]
    precision: Precision,
    /// Numbers of the graphics cards, from 0
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "0")]
    pub(crate) devices: Vec<u32>,
}

impl RuntimeArgs {
    /// The runtime, with everything else as usual.
    pub(crate) fn runtime(&self) -> DeepRuntime {
        DeepRuntime {
            backend: self.backend,
            library: self.library.clone(),
            devices: self.devices.clone(),
            precision: self.precision,
            ..DeepRuntime::default()
        }
    }
}

/// A parser of 1 to `most`.
pub(crate) fn count(most: u64) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=most)
}

/// The runtimes of this machine, by name.
fn backends() -> impl Iterator<Item = DeepBackend> {
    let all = DeepBackend::ALL.into_iter();
    all.filter(|&backend| backend != DeepBackend::Remote)
}

fn backend() -> impl TypedValueParser<Value = DeepBackend> {
    PossibleValuesParser::new(backends().map(DeepBackend::name)).map(|name| {
        let mut known = backends();
        known
            .find(|backend| backend.name() == name)
            .unwrap_or_default()
    })
}

fn precision() -> impl TypedValueParser<Value = Precision> {
    PossibleValuesParser::new(Precision::ALL.map(Precision::name)).map(|name| {
        let mut all = Precision::ALL.into_iter();
        all.find(|precision| precision.name() == name)
            .unwrap_or_default()
    })
}
