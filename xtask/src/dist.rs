//! `cargo xtask dist`: binaries for other machines, from the same source: of `yaneura` one for each
//! level of the x86-64 instruction set, of each tool one for all of them; completions for shells and manual pages.
//!
//! The workspace builds for the local CPU (`.cargo/config.toml`). Here `RUSTFLAGS` from the
//! environment takes the place of that setting, and naming the target keeps it away from build
//! scripts, which must run on this machine whatever it can do.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use object::{Object as _, ObjectSymbol as _};
use sha2::{Digest, Sha256};
use xshell::{Shell, cmd};

use crate::outcome::Outcome;
use crate::workspace;

/// Build portable binaries of the engine and the tools into dist/.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Levels to build the engine for.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Level::ALL)]
    levels: Vec<Level>,
    /// Tools to build, each for any x86-64 machine.
    #[arg(long, value_delimiter = ',', num_args = 0.., default_values = TOOLS)]
    tools: Vec<String>,
    /// Folder of the binaries, relative to the root of the workspace.
    #[arg(long, default_value = "dist")]
    out: PathBuf,
    /// Leave out completions for shells and manual pages.
    #[arg(long)]
    no_shell_files: bool,
}

/// The programs that are no engines.
const TOOLS: [&str; 9] = [
    "arena",
    "gensfen",
    "makebook",
    "startsfens",
    "pack2hcpe",
    "teacher",
    "kifu",
    "egbk-mine",
    "othello",
];

/// A level of the x86-64 instruction set, as the psABI defines them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Level {
    /// SSE4.2 and POPCNT: any PC since about 2010.
    V2,
    /// AVX2 and BMI2: most PCs since about 2014.
    V3,
    /// AVX-512 (F, BW, CD, DQ, VL).
    V4,
}

impl Level {
    const ALL: [Self; 3] = [Self::V2, Self::V3, Self::V4];

    /// The compiler's name for the level.
    const fn target_cpu(self) -> &'static str {
        match self {
            Self::V2 => "x86-64-v2",
            Self::V3 => "x86-64-v3",
            Self::V4 => "x86-64-v4",
        }
    }

    /// Returns whether this machine can run binaries of the level.
    #[cfg(not(target_arch = "x86_64"))]
    fn runs_here(self) -> bool {
        false
    }

    /// Returns whether this machine can run binaries of the level.
    #[cfg(target_arch = "x86_64")]
    fn runs_here(self) -> bool {
        match self {
            Self::V2 => is_x86_feature_detected!("sse4.2") && is_x86_feature_detected!("popcnt"),
            Self::V3 => {
                Self::V2.runs_here()
                    && is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("lzcnt")
                    && is_x86_feature_detected!("movbe")
            }
            Self::V4 => {
                Self::V3.runs_here()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512cd")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let sh = workspace::shell()?;
    let host = workspace::host_triple(&sh)?;
    ensure!(
        host.starts_with("x86_64-"),
        "dist builds for x86-64 only, this machine is {host}"
    );
    let out = workspace::root().join(&args.out);
    sh.create_dir(&out)?;
    let mut reference: Option<String> = None;
    for &level in &args.levels {
        let program = build(&sh, "yaneura", level.target_cpu(), &host, &out)?;
        let note = if level.runs_here() {
            let answer = try_out(&sh, &program)?;
            let first = reference.get_or_insert_with(|| answer.clone());
            ensure!(*first == answer, "levels differ: {first:?} and {answer:?}");
            "tried out"
        } else {
            "not tried out: this CPU cannot run it"
        };
        report(&sh, &program, note)?;
    }
    for tool in &args.tools {
        let program = build(&sh, tool, "x86-64", &host, &out)?;
        cmd!(sh, "{program} --version").quiet().read()?;
        report(&sh, &program, "tried out")?;
    }
    if !args.no_shell_files {
        // Made on this machine, for this machine: nothing of it goes into the binaries.
        cmd!(sh, "cargo run --quiet --package shell-files -- {out}").run()?;
    }
    Ok(Outcome::Clean)
}

/// Prints what was built.
pub(crate) fn report(sh: &Shell, program: &Path, note: &str) -> Result<()> {
    let bytes = sh.read_binary_file(program)?;
    println!(
        "{}  {}  {} bytes, {note}",
        hex(&bytes),
        program.display(),
        bytes.len()
    );
    Ok(())
}

/// Builds `program` for `cpu` and copies it to `out`. Returns the path of the copy.
fn build(sh: &Shell, program: &str, cpu: &str, host: &str, out: &Path) -> Result<PathBuf> {
    // Built as everywhere else: alone, a package has other features of its dependencies.
    cmd!(
        sh,
        "cargo build --profile dist --bin {program} --target {host}"
    )
    .env("RUSTFLAGS", format!("-C target-cpu={cpu}"))
    .run()?;
    let suffix = std::env::consts::EXE_SUFFIX;
    let built = workspace::target_dir()
        .join(host)
        .join("dist")
        .join(format!("{program}{suffix}"));
    ensure_inlined(&sh.read_binary_file(&built)?)
        .with_context(|| format!("{program} for {cpu}"))?;
    let copy = out.join(format!("{program}-{cpu}{suffix}"));
    sh.copy_file(&built, &copy)?;
    Ok(copy)
}

/// Fails if a vector instruction is a function of its own: a kernel calls it, because it has not been compiled as
/// one piece for the processor whose instructions it uses, and takes several times as long.
fn ensure_inlined(program: &[u8]) -> Result<()> {
    let file = object::File::parse(program)?;
    ensure!(
        cfg!(windows) || file.symbols().next().is_some(),
        "no symbols to look at"
    );
    let called: Vec<&str> = file
        .symbols()
        .filter_map(|symbol| symbol.name().ok())
        .filter(|name| is_vector_instruction(name))
        .collect();
    ensure!(
        called.is_empty(),
        "instructions that are called, not inlined: {}",
        called.join(", ")
    );
    Ok(())
}

/// Returns whether the function with this mangled name is one of the standard library's for an instruction on vectors.
fn is_vector_instruction(symbol: &str) -> bool {
    symbol.contains("core_arch") && symbol.contains("_mm")
}

/// Lets the engine count and think; gives what it answered. A search of one thread to a fixed depth must give the
/// same move whatever the instruction set.
pub(crate) fn try_out(sh: &Shell, program: &Path) -> Result<String> {
    let output = cmd!(
        sh,
        "{program} setoption name Threads value 1 , position startpos , go perft 3 , go depth 6 , quit"
    )
    .quiet()
    .read()?;
    ensure!(
        output.contains("25470"),
        "{}: wrong perft:\n{output}",
        program.display()
    );
    let answer = output.lines().find(|line| line.starts_with("bestmove "));
    Ok(answer
        .with_context(|| format!("{}: no bestmove:\n{output}", program.display()))?
        .to_owned())
}

/// SHA-256 of `bytes` in hexadecimal.
fn hex(bytes: &[u8]) -> String {
    yane_io::hexadecimal(Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_sha_256() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(hex(b""), empty);
    }

    #[test]
    fn instructions_are_known_by_their_names() {
        for (symbol, expected) in [
            (
                "_ZN4core9core_arch3x8610avx512vnni20_mm512_dpbusd_epi3217h8b1c0e2f4a5d6e7fE",
                true,
            ),
            (
                "_RNvNtNtNtCs0_4core9core_arch3x864avx216__mm256_add_epi16",
                true,
            ),
            // To ask what the processor has is not an instruction of a kernel.
            (
                "_ZN4core9core_arch3x865xsave7_xgetbv17h8b1c0e2f4a5d6e7fE",
                false,
            ),
            ("_ZN4core9panicking5panic17h8b1c0e2f4a5d6e7fE", false),
        ] {
            assert_eq!(is_vector_instruction(symbol), expected, "{symbol}");
        }
        // A file that cannot be read does not pass.
        assert!(ensure_inlined(b"no program").is_err());
    }

    #[test]
    fn a_higher_level_includes_the_lower() {
        assert!(!Level::V4.runs_here() || Level::V3.runs_here());
        assert!(!Level::V3.runs_here() || Level::V2.runs_here());
    }
}
