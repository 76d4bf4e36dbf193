//! The arguments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use shogi_eval::kppt::KpptLayout;
use shogi_eval::loader::EvalKind;
use shogi_eval::nnue::arch::Architecture;

/// Commands about evaluation files.
#[derive(Clone, Debug, Parser)]
#[command(disable_help_subcommand = true)]
pub(crate) struct EvalFilesCli {
    #[command(subcommand)]
    pub(crate) command: EvalFilesCommand,
    /// No progress, no remarks: only results and errors
    #[arg(long, short, global = true, display_order = 40)]
    pub(crate) quiet: bool,
    /// Replace files that exist, even inputs
    #[arg(long, global = true, display_order = 50)]
    pub(crate) force: bool,
    /// Results as JSON, one object a file
    #[arg(long, global = true, display_order = 60)]
    pub(crate) json: bool,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum EvalFilesCommand {
    /// Neural networks: what a file is, and writing it anew
    #[command(subcommand)]
    Nn(Network),
    /// Convert three-piece tables from one kind to another
    #[command(after_help = CONVERT_EXAMPLES)]
    Evalconvert(Convert),
    /// Write an evaluation in which every value is 0: material alone for three-piece tables
    #[command(after_help = ZERO_EXAMPLES)]
    Evalzero(Zero),
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Network {
    /// Describe files: architecture, sizes, hashes, ranges of values, irregularities
    #[command(after_help = INFO_EXAMPLES)]
    Info(Info),
    /// Read a network and write it anew, with the usual hashes; or write the one in the program
    #[command(after_help = EXPORT_EXAMPLES)]
    Export(Export),
    /// Write the mean of networks: each weight and bias is the mean of theirs
    ///
    /// They are to be of one architecture and to have learnt from one beginning, such as trainings
    /// with different seeds and the same --init. The text of the file, and the progress of the game
    /// where there is one, are those of the first.
    #[command(after_help = MEAN_EXAMPLES)]
    Mean(Mean),
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Info {
    /// Networks, three-piece tables, or folders with either
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The architecture of networks that do not name theirs, such as `halfkp_256x2-32-32`
    #[arg(long, value_name = "NAME")]
    pub(crate) arch: Option<Architecture>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Export {
    /// The network; `embedded`: the one in the program; `embedded-deep`: that of the deep engine (ONNX)
    #[arg(value_name = "IN")]
    pub(crate) from: PathBuf,
    /// The file to write; replaced if it exists
    #[arg(value_name = "OUT", required_unless_present = "output")]
    pub(crate) to: Option<PathBuf>,
    /// The same; one that exists is replaced only with --force
    #[arg(long, short, value_name = "OUT", conflicts_with = "to")]
    pub(crate) output: Option<PathBuf>,
    /// The network's architecture, if it does not name it
    #[arg(long, value_name = "NAME")]
    pub(crate) arch: Option<Architecture>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Mean {
    /// The networks; `embedded`: the one in the program
    #[arg(required = true, num_args = 1.., value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The file to write; one that exists is replaced only with --force
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The architecture of networks that do not name theirs, such as `halfkp_256x2-32-32`
    #[arg(long, value_name = "NAME")]
    pub(crate) arch: Option<Architecture>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Convert {
    /// The kind of the files: `kppt16`, `kppt32`, `kpp_kkpt32`
    #[arg(value_name = "KIND", value_parser = kind)]
    pub(crate) from_kind: KpptLayout,
    /// Their folder
    #[arg(value_name = "FROM")]
    pub(crate) from: PathBuf,
    /// The kind to convert to
    #[arg(value_name = "KIND", value_parser = kind)]
    pub(crate) to_kind: KpptLayout,
    /// The folder to write to; made if it is not there, files in it are replaced
    #[arg(value_name = "TO", required_unless_present = "output")]
    pub(crate) to: Option<PathBuf>,
    /// The same; files in it are replaced only with --force
    #[arg(long, short, value_name = "TO", conflicts_with = "to")]
    pub(crate) output: Option<PathBuf>,
    /// Leave out values for the turn that the new kind has no room for; the evaluation becomes
    /// another one
    #[arg(long)]
    pub(crate) drop_turn: bool,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Zero {
    /// The kind to write: `kppt16`, `kppt32`, `kpp_kkpt32`, or a network's architecture
    #[arg(value_name = "KIND", value_parser = zero_kind)]
    pub(crate) kind: EvalKind,
    /// The folder to write to; made if it is not there. An evaluation in it is replaced only with --force
    #[arg(value_name = "FOLDER", required_unless_present = "output")]
    pub(crate) folder: Option<PathBuf>,
    /// The same
    #[arg(long, short, value_name = "FOLDER", conflicts_with = "folder")]
    pub(crate) output: Option<PathBuf>,
}

const INFO_EXAMPLES: &str = "\
Examples:
  yaneura nn info eval/nn.bin
  yaneura nn info --json eval/nn.bin other.bin
  yaneura nn info eval_kppt                      a folder with KK, KKP and KPP";

const EXPORT_EXAMPLES: &str = "\
Examples:
  yaneura nn export old/nn.bin new/nn.bin
  yaneura nn export embedded -o eval/nn.bin      the network in the program, to learn on from";

const MEAN_EXAMPLES: &str = "\
Examples:
  yaneura nn mean a/final/nn.bin b/final/nn.bin c/final/nn.bin -o mean/nn.bin";

const CONVERT_EXAMPLES: &str = "\
Examples:
  yaneura evalconvert kppt16 eval/apery27 kppt32 eval/yane27
  yaneura evalconvert kpp_kkpt32 eval/kkpt kppt32 -o eval/kppt";

const ZERO_EXAMPLES: &str = "\
Examples:
  yaneura evalzero kppt32 eval_zero
  yaneura evalzero halfkp_256x2-32-32 eval_zero";

fn kind(text: &str) -> Result<KpptLayout, String> {
    // The kinds by the names that they have elsewhere.
    match text {
        "kppt" => Some(KpptLayout::Kppt),
        "kpp_kkpt" => Some(KpptLayout::KppKkpt),
        _ => KpptLayout::from_name(text),
    }
    .ok_or_else(|| {
        let names = KpptLayout::ALL.map(KpptLayout::name);
        format!("expected one of {}", names.join(", "))
    })
}

fn zero_kind(text: &str) -> Result<EvalKind, String> {
    let tables = kind(text).map(EvalKind::Tables);
    tables.or_else(|kinds| {
        let network = text.parse().map(EvalKind::Network);
        network.map_err(|error| format!("{kinds}, or an architecture ({error})"))
    })
}

/// The error about wrong arguments, on one line.
pub(crate) fn reason(error: &clap::Error) -> String {
    let text = error.to_string();
    let text = text.split("\n\n").next().unwrap_or(&text);
    let words: Vec<_> = text.split_whitespace().collect();
    let text = words.join(" ");
    text.strip_prefix("error: ").unwrap_or(&text).to_owned()
}
