//! The arguments of `yaneura eval-server`.

use std::path::PathBuf;

use clap::Parser;
use shogi_deep::{DeepBackend, DeepRuntime, QueueUse};
use yane_cli::TrustArgs;

use crate::runtime_args::{RuntimeArgs, count};

/// The address without one on the command line.
const ADDRESS: &str = "127.0.0.1:4571";

/// Evaluate positions for engines on other machines, with a policy and value network.
///
/// A machine with a graphics card serves machines without one: their engines have the options `DNN_Runtime` remote and `DNN_Server` HOST:PORT, in
/// `yaneura`, `gensfen` and `makebook` alike. Positions of all clients are gathered into batches; a search is the same as with the network on
/// its own machine.
///
/// Clients on other machines have to know the secret of the server (`--secret-file`; their option `DNN_Secret_File`, or the variable `YANE_SECRET`).
/// Positions and values are not encrypted: where that matters leave the server on this machine and let clients come through `ssh -L`.
///
/// The first line on the standard output is the address; a line of what was done follows at the end. Ctrl-C ends the server, with exit code 0; 1:
/// the model or the address cannot be used, 2: wrong usage.
#[derive(Clone, Debug, Parser)]
#[command(name = "yaneura eval-server", after_help = EXAMPLES)]
pub(super) struct EvalServerCli {
    /// The network, an ONNX file of dlshogi's shape
    #[arg(long, short, value_name = "FILE")]
    pub(super) model: PathBuf,
    /// The address to listen on; port 0: any that is free
    #[arg(long, short, value_name = "HOST:PORT", default_value = ADDRESS, value_parser = address)]
    pub(super) listen: String,
    #[command(flatten)]
    network: RuntimeArgs,
    /// Threads that evaluate, for each graphics card; native: as many as the machine has cores, on a card 2
    #[arg(long, short, value_name = "N", value_parser = count(1024))]
    pub(super) threads: Option<usize>,
    /// Most positions that are evaluated at once; native: 1, else 256
    #[arg(long, value_name = "N", value_parser = count(4096))]
    batch: Option<usize>,
    /// Most connections at a time
    #[arg(long, value_name = "N", default_value = "256", value_parser = count(10_000))]
    pub(super) connections: usize,
    /// Memory for the requests of all clients, in MiB
    #[arg(long, value_name = "MIB", default_value = "1024", value_parser = count(1 << 20))]
    pub(super) memory: usize,
    #[command(flatten)]
    pub(super) trust: TrustArgs,
    /// Seconds between lines about the work on standard error; 0: none. They come when there was some
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub(super) status: u64,
    /// The address and the summary as JSON, a line each
    #[arg(long)]
    pub(super) json: bool,
    /// Nothing on standard error but errors
    #[arg(long, short)]
    pub(super) quiet: bool,
}

impl EvalServerCli {
    /// What evaluates.
    pub(super) fn runtime(&self) -> DeepRuntime {
        DeepRuntime {
            // The server makes one of its own.
            queue: QueueUse::Off,
            batch: self.batch(),
            streams: self.threads,
            ..self.network.runtime()
        }
    }

    /// Most positions that are evaluated at once.
    pub(super) fn batch(&self) -> usize {
        self.batch.unwrap_or(match self.network.backend {
            DeepBackend::Native => 1,
            _ => DeepRuntime::BATCH,
        })
    }
}

fn address(text: &str) -> Result<String, String> {
    let port = text
        .rsplit_once(':')
        .filter(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
    port.map(|_| text.to_owned())
        .ok_or_else(|| "expected HOST:PORT".to_owned())
}

const EXAMPLES: &str = "\
Examples:
  yaneura eval-server --model nets/model.onnx
      for this machine, on its processor
  yaneura eval-server --model nets/model.onnx --runtime cuda --listen 0.0.0.0:4571 --secret-file secret
      on a graphics card, for those in its network who have the same secret
  yaneura eval-server --model nets/model.onnx --runtime tensorrt --devices 0,1 --batch 512 --json --quiet
      on two cards, for a script
On another machine:
  yaneura setoption name DNN_Runtime value remote , setoption name DNN_Server value 192.168.0.5:4571  ,
      setoption name DNN_Secret_File value secret , go nodes 10000
  YANE_SECRET=$(cat secret) gensfen settings.json5 --run --multi 64 --option DNN_Runtime=remote --option DNN_Server=192.168.0.5:4571
  ssh -N -L 4571:localhost:4571 big.example.org &      then DNN_Server localhost:4571";

#[cfg(test)]
mod tests {
    use super::*;

    fn cli(line: &str) -> Result<EvalServerCli, clap::Error> {
        EvalServerCli::try_parse_from(format!("eval-server {line}").split(' '))
    }

    #[test]
    fn arguments_make_settings() {
        let small = cli("--model a.onnx").unwrap();
        assert_eq!(small.listen, ADDRESS);
        assert_eq!((small.batch(), small.runtime().devices), (1, vec![0]));
        let large = cli("--model a.onnx --runtime cuda --devices 0,2 --listen [::1]:0").unwrap();
        assert_eq!(large.batch(), 256);
        assert_eq!(large.runtime().devices, [0, 2]);
        assert_eq!(large.runtime().backend, DeepBackend::Cuda);
        for wrong in [
            "",
            "--model a.onnx --listen 4571",
            "--model a.onnx --listen :4571",
            "--model a.onnx --runtime remote",
            "--model a.onnx --batch 0",
        ] {
            assert!(cli(wrong).is_err(), "{wrong}");
        }
    }
}
