//! `cargo xtask tuned`: the engine for this machine, compiled twice: the second time by a profile of what it did.
//!
//! The profile says which branches are taken and which functions matter. What it has not seen is compiled for size,
//! and kernels for other processors are not seen on this one: so this is for one's own machine, and `dist` builds
//! without it.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use shogi_eval::nnue::arch::Architecture;
use test_networks::MaterialNetwork;
use test_networks::RandomNetwork;
use xshell::{Shell, cmd};

use crate::outcome::Outcome;
use crate::{dist, net, workspace};

const EXAMPLES: &str = "\
Examples:
  cargo xtask tuned                       dist/yaneura-native, after five minutes or so
  cargo xtask tuned --eval-dir eval       play with your own evaluation while the profile is taken

Needs llvm-profdata of the same compiler: rustup component add llvm-tools";

/// Build the engine for this machine, guided by a profile of its own searches.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A folder with an evaluation to search with, besides networks that are made for it. May be given again.
    #[arg(long, value_name = "FOLDER")]
    eval_dir: Vec<PathBuf>,
    /// Folder of the binary, relative to the root of the workspace.
    #[arg(long, default_value = "dist")]
    out: PathBuf,
}

/// Networks that are searched with: those whose sizes kernels know, and others.
const ARCHITECTURES: [&str; 4] = [
    "halfkp_256x2-32-32",
    "kp_256x2-32-32",
    "halfkp_512x2-16-32",
    "SFNN_halfkahm2_1536_15_32_k3k3",
];

/// Positions for each position of the engine's bench.
const NODES: &str = "200000";

/// The problems for the mate solver, so that it is profiled too: a mate and a position of the end of a game.
const QUESTIONS: [&str; 2] = [
    "4k4/9/4P4/9/9/9/9/9/9 b G 1",
    "l2g4l/2k1+N4/p1ppp1+R2/6p1p/1N1P5/PPP1P1P1P/1S1G5/1KG6/L6+pL b BS2NPrbg2s3p 1",
];

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    if let Some(outcome) = workspace::rerun_in_release() {
        return outcome;
    }
    let sh = workspace::shell()?;
    let host = workspace::host_triple(&sh)?;
    let profdata = profdata(&sh, &host)?;
    let folder = workspace::target_dir().join("tuned");
    let (raw, profile) = (folder.join("raw"), folder.join("profile"));
    sh.remove_path(&raw)?;
    sh.create_dir(&raw)?;

    let flag = format!("-C profile-generate={}", raw.display());
    let watched = build(&sh, &folder, &host, &flag)?;
    let expected = dist::try_out(&sh, &watched)?;
    let mut evaluations = vec![None];
    for name in ARCHITECTURES {
        evaluations.extend(networks(&folder, name)?.map(Some));
    }
    for own in &args.eval_dir {
        let own = std::path::absolute(own)?;
        ensure!(own.is_dir(), "{}: no such folder", own.display());
        evaluations.push(Some(own));
    }
    for evaluation in &evaluations {
        search(&sh, &watched, evaluation.as_deref())?;
    }
    for sfen in QUESTIONS {
        cmd!(sh, "{watched} position sfen {sfen} , go mate 2000 , quit")
            .quiet()
            .ignore_stdout()
            .run()?;
    }
    cmd!(sh, "{profdata} merge -o {profile} {raw}").run()?;

    let flag = format!("-C profile-use={}", profile.display());
    let tuned = build(&sh, &folder, &host, &flag)?;
    let answer = dist::try_out(&sh, &tuned)?;
    ensure!(
        answer == expected,
        "the profile changed what it plays: {expected:?} and {answer:?}"
    );
    let out = workspace::root().join(&args.out);
    sh.create_dir(&out)?;
    let copy = out.join(format!("yaneura-native{}", std::env::consts::EXE_SUFFIX));
    sh.copy_file(&tuned, &copy)?;
    dist::report(&sh, &copy, "tried out")?;
    Ok(Outcome::Clean)
}

/// The compiler's program that puts profiles together.
fn profdata(sh: &Shell, host: &str) -> Result<PathBuf> {
    let sysroot = cmd!(sh, "rustc --print sysroot").quiet().read()?;
    let program = Path::new(&sysroot)
        .join("lib/rustlib")
        .join(host)
        .join("bin")
        .join(format!("llvm-profdata{}", std::env::consts::EXE_SUFFIX));
    ensure!(
        program.is_file(),
        "{}: not there; `rustup component add llvm-tools` installs it",
        program.display()
    );
    Ok(program)
}

/// Builds the engine for this machine with one more flag, apart from other builds. Naming the target keeps the flag
/// away from build scripts.
fn build(sh: &Shell, folder: &Path, host: &str, flag: &str) -> Result<PathBuf> {
    cmd!(
        sh,
        "cargo build --release --bin yaneura --target {host} --target-dir {folder}"
    )
    .env("RUSTFLAGS", format!("-C target-cpu=native {flag}"))
    .run()?;
    let name = format!("yaneura{}", std::env::consts::EXE_SUFFIX);
    Ok(folder.join(host).join("release").join(name))
}

/// Folders with two networks of an architecture, a random one and one that counts material.
fn networks(folder: &Path, name: &str) -> Result<[PathBuf; 2]> {
    let architecture: Architecture = name.parse()?;
    let [random, material] =
        ["random", "material"].map(|kind| folder.join(format!("{name}-{kind}")));
    let (one, other) = (
        RandomNetwork::new(architecture, 1),
        MaterialNetwork::new(architecture)?,
    );
    for folder in [&random, &material] {
        std::fs::create_dir_all(folder)?;
    }
    net::write(&random.join("nn.bin"), |file| one.write(file))?;
    net::write(&material.join("nn.bin"), |file| other.write(file))?;
    Ok([random, material])
}

/// Lets the engine search the positions of its bench with the evaluation in a folder, or with its own.
fn search(sh: &Shell, engine: &Path, evaluation: Option<&Path>) -> Result<()> {
    let (name, value) = match evaluation {
        None => ("Evaluation", "embedded".to_owned()),
        Some(folder) => ("EvalDir", folder.display().to_string()),
    };
    let answer = cmd!(
        sh,
        "{engine} setoption name {name} value {value} , isready , bench 64 1 {NODES} default nodes , quit"
    )
    .read()?;
    ensure!(answer.contains("Nodes/second"), "no bench:\n{answer}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use shogi_core::Position;

    use super::*;

    #[test]
    fn what_is_searched_with_and_what_is_asked_exist() {
        for name in ARCHITECTURES {
            let architecture: Architecture = name.parse().unwrap();
            assert_eq!(architecture.to_string(), name);
        }
        for sfen in QUESTIONS {
            let position = Position::from_sfen(sfen).unwrap();
            assert_eq!(position.to_sfen(), sfen);
        }
    }
}
