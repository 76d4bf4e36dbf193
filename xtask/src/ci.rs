//! `cargo xtask ci`: everything that must hold before a change goes in.
//!
//! `.ci/run` brings a bare machine to the point where this can be built, and then calls it, so that
//! the list of checks is written down once, here.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, ensure};
use xshell::{Shell, cmd};

use crate::outcome::Outcome;
use crate::{browser, circles, map, names, package, site, workspace};

/// Check everything: format, lints, documentation, tests, dependencies.
#[derive(clap::Args)]
pub(crate) struct Args {}

type CheckStep = (&'static str, fn(&Shell) -> Result<()>);

/// In the order of how soon they fail.
const STEPS: [CheckStep; 11] = [
    ("format", check_format),
    ("names", check_names),
    ("circles", check_circles),
    ("map", check_map),
    ("packages", check_packages),
    ("documents", check_documents),
    ("lints", check_lints),
    ("documentation", check_documentation),
    ("browser", make_pages),
    ("tests", run_tests),
    ("dependencies", check_dependencies),
];

/// The variables that name the compilers of C and C++. Everything is built with [`NO_COMPILER`] in them, so that a
/// dependency that compiles C fails here: README promises that Rust alone is needed.
const C_COMPILERS: [&str; 2] = ["CC", "CXX"];
const NO_COMPILER: &str = "/bin/false";

pub(crate) fn run(_args: &Args) -> Result<Outcome> {
    let sh = workspace::shell()?;
    for variable in C_COMPILERS {
        sh.set_var(variable, NO_COMPILER);
    }
    let start = Instant::now();
    for (name, step) in STEPS {
        let step_start = Instant::now();
        println!("==> {name}");
        step(&sh).with_context(|| format!("step failed: {name}"))?;
        println!(
            "==> {name}: done in {:.0} s",
            step_start.elapsed().as_secs_f64()
        );
    }
    println!(
        "==> all steps passed in {:.0} s",
        start.elapsed().as_secs_f64()
    );
    Ok(Outcome::Clean)
}

fn check_format(sh: &Shell) -> Result<()> {
    Ok(cmd!(sh, "cargo fmt --all --check").run()?)
}

/// One name, one meaning; no file too long.
fn check_names(_: &Shell) -> Result<()> {
    let findings = names::findings(workspace::root())?;
    ensure!(findings.is_empty(), "{}", findings.join("\n"));
    Ok(())
}

/// Files of a crate stand on one another, not in circles.
fn check_circles(_: &Shell) -> Result<()> {
    let findings = circles::findings(workspace::root())?;
    ensure!(findings.is_empty(), "{}", findings.join("\n"));
    Ok(())
}

/// ARCHITECTURE.md and the glossary say what is there.
fn check_map(_: &Shell) -> Result<()> {
    let findings = map::findings(workspace::root())?;
    ensure!(findings.is_empty(), "{}", findings.join("\n"));
    Ok(())
}

/// The packages could go to a registry.
fn check_packages(sh: &Shell) -> Result<()> {
    let findings = package::findings(sh)?;
    ensure!(findings.is_empty(), "{}", findings.join("\n"));
    Ok(())
}

/// Every page is in a book, and every link leads somewhere.
fn check_documents(sh: &Shell) -> Result<()> {
    let findings = site::findings(sh)?;
    ensure!(findings.is_empty(), "{}", findings.join("\n"));
    Ok(())
}

fn check_lints(sh: &Shell) -> Result<()> {
    Ok(cmd!(sh, "cargo clippy --workspace --all-targets -- -D warnings").run()?)
}

fn check_documentation(sh: &Shell) -> Result<()> {
    let command = cmd!(sh, "cargo doc --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings");
    Ok(command.run()?)
}

/// The pages with their engines, which tests look for. Without a toolchain for WebAssembly the step says so and passes.
fn make_pages(_: &Shell) -> Result<()> {
    browser::run(&browser::Args::for_checks()).map(|_| ())
}

/// Licences, bans and sources of the dependencies. `cargo deny` is a convenience and not needed to
/// work on the project: without it the step says so and passes.
fn check_dependencies(sh: &Shell) -> Result<()> {
    if cmd!(sh, "cargo deny --version")
        .quiet()
        .ignore_stderr()
        .read()
        .is_err()
    {
        println!(
            "skipped: cargo-deny is not installed (cargo install --locked cargo-deny; .ci/run does it)"
        );
        return Ok(());
    }
    Ok(cmd!(sh, "cargo deny check licenses bans sources").run()?)
}

// The test step: runs the README's test command and sums up what the test runner reported.

/// The one command that runs every test. Both READMEs promise it.
const TEST_COMMAND: &str = "cargo test --workspace";

/// Counts of the test runner's `test result:` lines.
#[derive(Debug, Default, PartialEq, Eq)]
struct Totals {
    passed: u64,
    failed: u64,
    ignored: u64,
    /// Test programs and documentation test runs.
    runs: u64,
}

impl Totals {
    /// Adds the counts of `line` if it is a line of results, like
    /// `test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; …`.
    fn add_line(&mut self, line: &str) {
        let Some((_, counts)) = line
            .strip_prefix("test result: ")
            .and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        self.runs += 1;
        for part in counts.split("; ") {
            let Some((number, word)) = part.split_once(' ') else {
                continue;
            };
            let number: u64 = number.parse().unwrap_or(0);
            match word {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }
}

/// Test programs that may fail and be run again. More than that is no accident.
const MOST_UNSTEADY: usize = 3;

/// Runs the tests, their output passing through, and prints the totals at the end. A test program that fails is run
/// once more, and named when it passes then: chance is worth a look, but no reason to turn a change down.
fn run_tests(sh: &Shell) -> Result<()> {
    println!("$ {TEST_COMMAND} --no-fail-fast");
    let mut words = TEST_COMMAND.split(' ');
    let mut child = Command::new(words.next().expect("the command has words"))
        .args(words)
        .arg("--no-fail-fast")
        .current_dir(sh.current_dir())
        .envs(C_COMPILERS.map(|variable| (variable, NO_COMPILER)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot run cargo")?;
    let mut totals = Totals::default();
    let stdout = child.stdout.take();
    let stdout = stdout.context("the output of the tests is piped")?;
    let stderr = child.stderr.take();
    let stderr = stderr.context("the messages of the tests are piped")?;
    let messages = std::thread::spawn(move || pass_messages(stderr));
    for line in BufReader::new(stdout).lines() {
        let line = line.context("cannot read the output of the tests")?;
        println!("{line}");
        totals.add_line(&line);
    }
    let failed = messages.join();
    let failed = failed.map_err(|_| anyhow!("the thread that reads messages panicked"))??;
    let status = child.wait().context("cannot wait for the tests")?;
    println!(
        "tests: {} passed, {} failed, {} ignored in {} runs",
        totals.passed, totals.failed, totals.ignored, totals.runs
    );
    if !status.success() {
        let may_be_chance = (1..=MOST_UNSTEADY).contains(&failed.len());
        ensure!(may_be_chance, "{TEST_COMMAND} ended with {status}");
        for target in &failed {
            cmd!(sh, "cargo test").args(target.split(' ')).run()?;
        }
        println!("unsteady, passed when run again: {}", failed.join(", "));
    }
    // Features that nothing in the workspace asks for.
    let features = "yane-shogi-core/serde,yane-othello-core/serde";
    cmd!(
        sh,
        "cargo test -p yane-shogi-core -p yane-othello-core --features {features} --lib as_text"
    )
    .run()?;
    Ok(())
}

/// Passes messages of cargo on, and returns the test programs that failed.
fn pass_messages(stderr: impl Read) -> Result<Vec<String>> {
    let mut failed = Vec::new();
    for line in BufReader::new(stderr).lines() {
        let line = line.context("cannot read the messages of the tests")?;
        eprintln!("{line}");
        failed.extend(failed_target(&line).map(str::to_owned));
    }
    Ok(failed)
}

/// The options that run a test program again, of a line at the end of a run, such as "    `-p farm --test it`".
fn failed_target(line: &str) -> Option<&str> {
    let target = line.trim_start().strip_prefix('`')?.strip_suffix('`')?;
    target.starts_with("-p ").then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    #[test]
    fn failed_programs_are_found_in_the_messages() {
        assert_eq!(
            failed_target("    `-p farm --test it`"),
            Some("-p farm --test it")
        );
        let others = [
            "error: 1 target failed:",
            "error: test failed, to rerun pass `-p farm --test it`",
            "    `cargo` is a program",
        ];
        for line in others {
            assert_eq!(failed_target(line), None, "{line}");
        }
    }

    #[test]
    fn result_lines_are_summed() {
        let mut totals = Totals::default();
        totals.add_line("running 3 tests");
        totals.add_line("test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered");
        totals.add_line("test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured");
        assert_eq!(
            totals,
            Totals {
                passed: 15,
                failed: 2,
                ignored: 1,
                runs: 2
            }
        );
    }

    #[test]
    fn the_readmes_name_the_test_command() {
        for name in ["README.md", "README.ja.md"] {
            let text = std::fs::read_to_string(workspace::root().join(name)).expect(name);
            assert!(
                text.lines().any(|line| line == TEST_COMMAND),
                "{name} lacks {TEST_COMMAND}"
            );
        }
    }
}
