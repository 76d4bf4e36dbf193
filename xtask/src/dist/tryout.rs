//! Trying out what was built, where nothing else is.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use xshell::{Shell, cmd};

use super::archive;
use super::release::Release;

/// Unpacks the archive into a folder of its own and runs its programs there, without anything of the environment. Returns what
/// was done, in words.
pub(super) fn unpacked(
    sh: &Shell,
    release: &Release,
    file: &Path,
    programs: &[&str],
) -> Result<&'static str> {
    let clean = tempfile::tempdir()?;
    archive::unpack(sh, file, clean.path())?;
    let folder = clean.path().join(release.name());
    if !release.runs_here {
        return Ok("not tried out: made for another system");
    }
    let _folder = sh.push_dir(&folder);
    let program = |name: &str| folder.join(format!("{name}{}", release.suffix()));
    for name in programs {
        let path = program(name);
        let command = cmd!(sh, "{path} --version").quiet().env_clear();
        let text = command.read()?;
        // Behind the name; a copy of the sources without history has no commit.
        let expected = match release.commit.as_str() {
            "" => release.version.clone(),
            commit => format!("{} ({commit})", release.version),
        };
        ensure!(text.contains(&expected), "{name}: not {expected}: {text}");
    }
    if programs.contains(&"yaneura") {
        try_engines(sh, &folder)?;
    }
    if programs.contains(&"arena") && programs.contains(&"yaneura") {
        play(sh, &program("arena"), &program("yaneura"))?;
    }
    if programs.contains(&"othello") {
        let othello = program("othello");
        let count = cmd!(sh, "{othello} perft 6").quiet().env_clear().read()?;
        ensure!(count.contains("8,200"), "othello: wrong perft: {count}");
    }
    Ok("unpacked and tried out")
}

/// Every engine of the folder that this processor can run must answer the same.
fn try_engines(sh: &Shell, folder: &Path) -> Result<()> {
    let mut reference: Option<String> = None;
    let mut engines = sh.read_dir(folder)?;
    engines.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.is_file() && name.starts_with("yaneura") && !name.ends_with(".json")
    });
    for path in engines {
        let version = cmd!(sh, "{path} --version").quiet().ignore_stderr();
        // One that needs too much may end before it has said what it needs.
        if !version.read().is_ok_and(|text| fits_processor(&text)) {
            println!("{}: this processor cannot run it", path.display());
            continue;
        }
        let answer = try_out(sh, &path)?;
        let first = reference.get_or_insert_with(|| answer.clone());
        ensure!(*first == answer, "levels differ: {first:?} and {answer:?}");
    }
    ensure!(reference.is_some(), "no engine runs");
    Ok(())
}

/// Returns whether the processor has what an engine was built with, as its `--version` says.
fn fits_processor(version: &str) -> bool {
    let words = |begin: &str, behind: &str| {
        let line = version.lines().find(|line| line.starts_with(begin));
        let (_, words) = line?.split_once(behind)?;
        Some(words.split(' ').collect::<Vec<_>>())
    };
    match (words("built for", " with "), words("processor", " has ")) {
        (Some(needed), Some(there)) => needed.iter().all(|set| there.contains(set)),
        _ => false,
    }
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

/// Two games of the engine against itself, as a client of USI sees it.
fn play(sh: &Shell, arena: &Path, engine: &Path) -> Result<()> {
    let words = "--nodes 300 --games 2 --concurrency 1 --option Threads=1 --option USI_Hash=16 --random-plies 4 --json";
    let words = words.split(' ');
    let text = cmd!(sh, "{arena} match {engine},name=one {engine},name=two")
        .args(words)
        .quiet()
        .ignore_stderr()
        .env_clear()
        .read()?;
    let summary: serde_json::Value = serde_json::from_str(&text).context("arena's summary")?;
    ensure!(
        summary["games"] == 2 && summary["without_forfeits"].is_null(),
        "two games do not go well: {text}"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_engine_needs_is_compared_with_what_is_there() {
        let version = |needed: &str| {
            format!(
                "yaneura 0.1.0\nbuilt for x86_64-linux with {needed}\nprocessor has sse4.2 popcnt avx2\n"
            )
        };
        assert!(fits_processor(&version("sse4.2 popcnt")));
        assert!(!fits_processor(&version("sse4.2 avx512f")));
        assert!(!fits_processor("yaneura 0.1.0\n"));
    }
}
