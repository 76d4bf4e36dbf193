//! `cargo xtask net`: evaluation files of any architecture, made of nothing but a seed, or such as
//! count material.
//!
//! For testing and measuring: random ones are meaningless as players. Same seed, same bytes, on
//! every machine.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use shogi_eval::nnue::Network;
use shogi_eval::nnue::arch::Architecture;
use shogi_eval::nnue::file::NetworkReadOptions;
use test_networks::MaterialNetwork;
use test_networks::MixedNetwork;
use test_networks::RandomNetwork;
use yane_io::AtomicFile;

use crate::outcome::Outcome;
use crate::workspace;

const EXAMPLES: &str = "\
Examples:
  cargo xtask net list
  cargo xtask net random --arch halfkp_256x2-32-32 --seed 1 nn.bin        64 MB
  cargo xtask net random --arch SFNN1536 nn.bin                           113 MB
  cargo xtask net material --arch SFNN1536 nn.bin                         166 MB
  cargo xtask net material --random 1 --arch halfkp_256x2-32-32 nn.bin
  cargo xtask net info nn.bin";

/// Write evaluation files (nn.bin), pseudo-random or counting material, or tell what one is.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Clone, Debug, clap::Subcommand)]
enum Action {
    /// Write a network of an architecture and a seed.
    Random {
        /// The file to write; replaced if it exists.
        out: PathBuf,
        /// The architecture; `list` shows how names are made.
        #[arg(long, value_name = "NAME")]
        arch: Architecture,
        /// Seed of the network.
        #[arg(long, value_name = "N", default_value_t = 1)]
        seed: u64,
    },
    /// Write a network that counts material, so that two programs can play each other with it.
    Material {
        /// The file to write; replaced if it exists.
        out: PathBuf,
        /// The architecture; `list` shows how names are made.
        #[arg(long, value_name = "NAME")]
        arch: Architecture,
        /// Let five units count and all others be random, made of this seed: then an evaluation costs what it does with a
        /// real network.
        #[arg(long, value_name = "N")]
        random: Option<u64>,
    },
    /// Tell architectures and how their names are made.
    List,
    /// Tell what a file is.
    Info {
        /// An evaluation file.
        file: PathBuf,
        /// Its architecture, if it does not say itself.
        #[arg(long, value_name = "NAME")]
        arch: Option<Architecture>,
    },
}

/// The architectures that are in use, or tested against values of another program.
const KNOWN: [&str; 10] = [
    "halfkp_256x2-32-32",
    "halfkp_512x2-16-32",
    "halfkp_1024x2-8-32",
    "halfkp_1024x2-8-64",
    "halfkpvm_256x2-32-32",
    "halfkpe9_256x2-32-32",
    "kp_256x2-32-32",
    "SFNN_halfkahm2_1536_15_32_k3k3",
    "SFNN_halfka2_1024_7_64_k3k3",
    "SFNN_ka2_256_8_32_hand64z_k9k9z_progress2",
];

const NAMES: &str = "\
Any other name of these forms will do:
  FEATURES_WIDTHx2-HIDDEN1-HIDDEN2
  SFNN_FEATURES_WIDTH_HIDDEN1_HIDDEN2[_cCOMMON_sSHARDxGROUPS][_HANDS][_KINGS][_PROGRESS]
with
  FEATURES  halfkp halfkpvm halfkpe9 k p kp a2 ka2 halfka1 halfka2 halfkahm1 halfkahm2
  HIDDEN1   of SFNN: 8n - 1 (with a shortcut) or 8n (without)
  HANDS     hand4 hand16 hand64 hand64z hand256 hand1024
  KINGS     k3k3 k9k9 k9k9z k13k13z k21k21 k29k29
  PROGRESS  progress2 progress3 progress4 progress8 progress16 progress32
SFNN1536 is SFNN_halfkahm2_1536_15_32_k3k3.";

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    match &args.action {
        Action::Random { out, arch, seed } => {
            if let Some(outcome) = workspace::rerun_in_release() {
                return outcome;
            }
            let start = Instant::now();
            let network = RandomNetwork::new(*arch, *seed);
            let bytes = write(out, |file| network.write(file))?;
            println!(
                "{}: {arch}, seed {seed}, {bytes} bytes in {:.1} s",
                out.display(),
                start.elapsed().as_secs_f64()
            );
        }
        Action::Material { out, arch, random } => {
            if let Some(outcome) = workspace::rerun_in_release() {
                return outcome;
            }
            let bytes = if let Some(seed) = random {
                let network = MixedNetwork::new(*arch, *seed)?;
                write(out, |file| network.write(file))?
            } else {
                let network = MaterialNetwork::new(*arch)?;
                write(out, |file| network.write(file))?
            };
            println!("{}: {arch}, counts material, {bytes} bytes", out.display());
        }
        Action::List => {
            for name in KNOWN {
                println!("{name}");
            }
            println!("\n{NAMES}");
        }
        Action::Info { file, arch } => {
            if let Some(outcome) = workspace::rerun_in_release() {
                return outcome;
            }
            let architecture = *arch;
            let loaded = Network::open(file, &NetworkReadOptions { architecture })?;
            print!("{}", loaded.network.describe());
            for note in &loaded.notes {
                println!("note          {note}");
            }
            return Ok(Outcome::from_found(!loaded.notes.is_empty()));
        }
    }
    Ok(Outcome::Clean)
}

/// Writes a network with `write`; the size of its file.
pub(crate) fn write(
    out: &Path,
    write: impl FnOnce(&mut AtomicFile) -> io::Result<()>,
) -> Result<u64> {
    let mut file = AtomicFile::create(out)?;
    write(&mut file).with_context(|| format!("cannot write {}", out.display()))?;
    file.commit()?;
    Ok(std::fs::metadata(out)?.len())
}

#[cfg(test)]
mod tests {
    use shogi_core::Position;
    use shogi_eval::nnue::{FvScale, reference};

    use super::*;

    #[test]
    fn known_names_are_architectures() {
        for name in KNOWN {
            assert_eq!(name.parse::<Architecture>().unwrap().to_string(), name);
        }
    }

    #[test]
    fn a_seed_makes_a_file_that_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nn.bin");
        for name in ["kp_16x2-8-8", "SFNN_ka2_16_7_8_hand4_k3k3"] {
            let architecture = name.parse().unwrap();
            let random = RandomNetwork::new(architecture, 3);
            let bytes = write(&path, |file| random.write(file)).unwrap();
            assert_eq!(bytes, std::fs::metadata(&path).unwrap().len());
            let loaded = Network::open(&path, &NetworkReadOptions::default()).unwrap();
            assert!(loaded.notes.is_empty());
            assert_eq!(loaded.network, random.network());
        }
    }

    #[test]
    fn a_network_that_counts_among_random_units_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nn.bin");
        let network = MixedNetwork::new("kp_64x2-8-8".parse().unwrap(), 1).unwrap();
        write(&path, |file| network.write(file)).unwrap();
        let loaded = Network::open(&path, &NetworkReadOptions::default()).unwrap();
        assert!(loaded.notes.is_empty());
        let position = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b R 1").unwrap();
        let value = reference::evaluate(&loaded.network, &position, FvScale::DEFAULT);
        assert!((900..=1100).contains(&value), "{value}");
    }

    #[test]
    fn a_network_that_counts_material_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nn.bin");
        for name in ["kp_64x2-8-8", "SFNN_ka2_256_7_8_hand4_k3k3"] {
            let network = MaterialNetwork::new(name.parse().unwrap()).unwrap();
            write(&path, |file| network.write(file)).unwrap();
            let loaded = Network::open(&path, &NetworkReadOptions::default()).unwrap();
            assert!(loaded.notes.is_empty());
            assert_eq!(loaded.network.architecture().to_string(), name);
            let value = reference::evaluate(
                &loaded.network,
                &Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b R 1").unwrap(),
                FvScale::DEFAULT,
            );
            assert!((960..=1000).contains(&value), "{name}: {value}");
        }
    }
}
