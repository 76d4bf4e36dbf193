//! The arguments of `yaneura deep`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use shogi_deep::{DeepRuntime, QueueUse};

use crate::runtime_args::{RuntimeArgs, count};

/// The deep engine without games: what its network does on this machine.
#[derive(Clone, Debug, Parser)]
#[command(name = "yaneura deep")]
pub(super) struct DeepCli {
    #[command(subcommand)]
    pub(super) command: DeepCommand,
}

#[derive(Clone, Debug, Subcommand)]
pub(super) enum DeepCommand {
    Bench(BenchArgs),
}

/// Measure searches with several numbers of threads and sizes of batches, and propose the best.
///
/// Each setting searches a few positions; playouts a second and the mean batch are told, then the options for the fastest setting. Of settings that are
/// as fast the one with fewer playouts on their way is the better player. The first start with `tensorrt` may take minutes.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct BenchArgs {
    /// The network, an ONNX file of dlshogi's shape; without it the one in the program
    #[arg(long, short, value_name = "FILE")]
    pub(super) model: Option<PathBuf>,
    #[command(flatten)]
    network: RuntimeArgs,
    /// Threads of each card to be tried; as suits the runtime
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = count(256))]
    threads: Vec<usize>,
    /// Sizes of batches to be tried; as suits the runtime
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = count(1024))]
    batches: Vec<usize>,
    /// Seconds for each setting
    #[arg(long, value_name = "SECONDS", default_value_t = 3.0, value_parser = seconds)]
    pub(super) seconds: f64,
    /// The results as JSON, a line each
    #[arg(long)]
    pub(super) json: bool,
    /// Nothing but the best setting
    #[arg(long, short)]
    pub(super) quiet: bool,
}

impl BenchArgs {
    /// What evaluates, with batches of this size.
    pub(super) fn runtime(&self, batch: usize) -> DeepRuntime {
        DeepRuntime {
            queue: QueueUse::Auto,
            batch,
            ..self.network.runtime()
        }
    }

    /// Numbers of cards.
    pub(super) fn cards(&self) -> usize {
        self.network.devices.len().max(1)
    }

    /// The settings to be tried: threads of each card, and the size of batches; batches of one size side by side.
    pub(super) fn settings(&self) -> Vec<(usize, usize)> {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let (threads, batches) = if self.network.backend.is_card() {
            (vec![2, 4, 6], vec![64, 128, 256])
        } else {
            (vec![1, cores], vec![1, 8])
        };
        let or = |asked: &[usize], usual: Vec<usize>| {
            let mut numbers = if asked.is_empty() {
                usual
            } else {
                asked.to_vec()
            };
            numbers.dedup();
            numbers
        };
        let (threads, batches) = (or(&self.threads, threads), or(&self.batches, batches));
        let of_batch = |&batch: &usize| threads.iter().map(move |&threads| (threads, batch));
        batches.iter().flat_map(of_batch).collect()
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text.parse().ok();
    seconds
        .filter(|seconds| (0.01..=3600.0).contains(seconds))
        .ok_or_else(|| "expected 0.01 to 3600".to_owned())
}

const EXAMPLES: &str = "\
Examples:
  yaneura deep bench --model eval/model.onnx --runtime cuda
  yaneura deep bench --model eval/model.onnx --threads 1,2,4 --batches 1 --seconds 5";

#[cfg(test)]
mod tests {
    use super::*;

    fn bench(line: &str) -> Result<BenchArgs, clap::Error> {
        let words = format!("deep bench {line}");
        let cli = DeepCli::try_parse_from(words.split_ascii_whitespace())?;
        let DeepCommand::Bench(args) = cli.command;
        Ok(args)
    }

    #[test]
    fn settings_are_all_pairs() {
        let args = bench("--threads 1,3 --batches 2,4").unwrap();
        assert_eq!(args.settings(), [(1, 2), (3, 2), (1, 4), (3, 4)]);
        let card = bench("--runtime cuda --devices 0,1").unwrap();
        assert_eq!((card.settings().len(), card.cards()), (9, 2));
        assert_eq!(card.runtime(64).batch, 64);
        for wrong in [
            "--threads 0",
            "--runtime remote",
            "--seconds 0",
            "--batches x",
        ] {
            assert!(bench(wrong).is_err(), "{wrong}");
        }
    }
}
