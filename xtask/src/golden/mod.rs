//! `cargo xtask golden`: comparisons with public packages that are installed only for this.
//!
//! Teacher data: synthetic games are converted to hcpe and PSV, and the Python package cshogi tells
//! what it reads in those files. Every position, move, score and result must be the same, and cshogi
//! must pack each position into the same bytes. The same for pack files that are given, such as those that
//! `gensfen` wrote.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use pack_format::convert::{TeacherConvertOptions, convert};
use pack_format::pack::games;
use pack_format::record::{TeacherRecord, records};
use pack_format::stream::Input;
use pack_format::{Hcpe, Psv, Sample, TeacherFormat};
use xshell::cmd;
use yane_io::Job;

use crate::outcome::Outcome;
use crate::{synth_teacher, workspace};

const SCRIPT: &str = include_str!("cshogi.py");
/// The version that the fixtures were made with.
const CSHOGI: &str = "cshogi==1.1.0";

/// Compare with public packages (needs Python 3; installs cshogi into target/golden).
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// Pack files in place of synthetic games.
    packs: Vec<PathBuf>,
    /// A Python that has cshogi and numpy; nothing is installed then.
    #[arg(long, value_name = "PATH", env = "YANEURA_CSHOGI_PYTHON")]
    python: Option<PathBuf>,
    /// Positions to compare, at least.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    positions: u64,
    /// Seed of the games.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    if let Some(outcome) = workspace::rerun_in_release() {
        return outcome;
    }
    let folder = workspace::target_dir().join("golden");
    fs::create_dir_all(&folder)?;
    let python = match &args.python {
        Some(python) => python.clone(),
        None => install(&folder)?,
    };
    let script = folder.join("cshogi_reads.py");
    fs::write(&script, SCRIPT)?;
    let mut packs = args.packs.clone();
    if packs.is_empty() {
        let pack = folder.join("games.pack");
        synth_teacher::write(&pack, args.positions, args.seed, 200)?;
        packs.push(pack);
    }
    let mut differences = 0;
    for pack in &packs {
        for format in [TeacherFormat::Hcpe, TeacherFormat::Psv] {
            let file = folder.join("converted").with_extension(format.name());
            differences += compare(&python, &script, pack, &file, format)?;
        }
    }
    Ok(Outcome::from_found(differences > 0))
}

/// A Python of its own with cshogi.
fn install(folder: &Path) -> Result<PathBuf> {
    let venv = folder.join("venv");
    let python = venv.join("bin/python");
    if !python.exists() {
        let sh = workspace::shell()?;
        cmd!(sh, "python3 -m venv {venv}").run()?;
        cmd!(sh, "{python} -m pip install --quiet {CSHOGI} numpy").run()?;
    }
    Ok(python)
}

/// Converts `pack` to `file` and compares what cshogi reads; the number of differences.
fn compare(
    python: &Path,
    script: &Path,
    pack: &Path,
    file: &Path,
    format: TeacherFormat,
) -> Result<u64> {
    let options = TeacherConvertOptions::new(TeacherFormat::Pack, format);
    convert(&[Input::named(pack)], file, &options, &Job::default())?;
    let bytes = fs::read(file)?;
    let expected = match format {
        TeacherFormat::Hcpe => lines::<Hcpe>(&bytes, Sample::from_hcpe, |record| {
            (record.result as i8, record.position.to_string())
        })?,
        _ => lines::<Psv>(&bytes, Sample::from_psv, |record| {
            (record.outcome as i8, record.position.to_string())
        })?,
    };
    ensure_same_moves(pack, &expected)?;
    let mut reader = Command::new(python)
        .arg(script)
        .arg(format.name())
        .arg(file)
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("starting {}", python.display()))?;
    let differences = count_differences(&mut reader, &expected)?;
    ensure!(reader.wait()?.success(), "cshogi stopped with an error");
    println!(
        "{}, {format}: {} records, {differences} read differently by cshogi",
        pack.display(),
        expected.len()
    );
    Ok(differences)
}

/// The contents that we read in the records, in the words of the script.
fn lines<T: TeacherRecord>(
    bytes: &[u8],
    open: impl Fn(&T) -> Result<Sample, pack_format::record::TeacherRecordProblem>,
    rest: impl Fn(&T) -> (i8, String),
) -> Result<Vec<String>> {
    records::<T>(bytes)
        .map(|record| {
            let record = record?;
            let sample = open(&record)?;
            let sfen = sample.position.to_string();
            let Some((sfen, _)) = sfen.rsplit_once(' ') else {
                bail!("{sfen}: no ply");
            };
            let (result, packed) = rest(&record);
            let mv = sample.mv.context("no move")?;
            Ok(format!("{sfen} {mv} {} {result} {packed}", sample.score))
        })
        .collect()
}

/// The records must also be the plies of the games they were made from.
fn ensure_same_moves(pack: &Path, lines: &[String]) -> Result<()> {
    let bytes = fs::read(pack)?;
    let mut plies = 0;
    for game in games(&bytes) {
        for ply in game?.plies() {
            let expected = format!(" {} {} ", ply.mv, ply.score);
            ensure!(
                lines[plies].contains(&expected),
                "record {plies}: {expected}"
            );
            plies += 1;
        }
    }
    ensure!(
        plies == lines.len(),
        "{plies} plies, {} records",
        lines.len()
    );
    Ok(())
}

fn count_differences(reader: &mut Child, expected: &[String]) -> Result<u64> {
    let output = reader.stdout.take().context("no output of cshogi")?;
    let mut differences = 0;
    let mut read = 0;
    for line in BufReader::new(output).lines() {
        let line = line?;
        let ours = expected.get(read).context("cshogi reads more records")?;
        if *ours != line {
            if differences < 10 {
                println!("record {}\n  ours   {ours}\n  cshogi {line}", read + 1);
            }
            differences += 1;
        }
        read += 1;
    }
    ensure!(read == expected.len(), "cshogi reads {read} records only");
    Ok(differences)
}
