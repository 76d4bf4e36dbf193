//! `shell-files FOLDER`: completions for shells and manual pages of all programs, made of the definitions of their
//! command lines, as the programs print them themselves with `--completions` and `--man`.
//!
//! A package of its own, so that `cargo xtask` is not heavier for it.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Command;
use clap_complete::Shell;
use yane_cli::shell;
use yane_io::{AtomicFile, Error};

fn main() -> Result<()> {
    let mut args = std::env::args_os().skip(1);
    let folder = args.next().context("usage: shell-files FOLDER")?;
    let files = write_all(Path::new(&folder))?;
    println!("{} files in {}", files.len(), folder.display());
    Ok(())
}

/// The command lines of all programs.
fn programs() -> Vec<Command> {
    vec![
        yaneura::command().name("yaneura"),
        makebook::command(),
        makebook::startsfens(),
        gensfen::command().name("gensfen"),
        teacher::command(),
        pack2hcpe::command(),
        arena::command(),
        kifu::command(),
        othello::command().name("othello"),
        egbk_mine::command().name("egbk-mine"),
    ]
}

/// Writes all files into `folder`; their paths.
fn write_all(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    let mut write = |path: PathBuf, bytes: &[u8]| -> Result<()> {
        let parent = yane_io::folder_of(&path);
        std::fs::create_dir_all(&parent).map_err(Error::io(&parent))?;
        let mut file = AtomicFile::create(&path)?;
        file.put(bytes)?;
        file.commit()?;
        written.push(path);
        Ok(())
    };
    for program in programs() {
        let name = program.get_name().to_owned();
        for (shell, file) in completion_files(&name) {
            let bytes = shell::completions(shell, &program);
            write(folder.join("completions").join(file), &bytes)?;
        }
        for (file, bytes) in shell::manual_pages(program)? {
            write(folder.join("man/man1").join(file), &bytes)?;
        }
    }
    Ok(written)
}

/// The places where the shells look for the completions of a program.
fn completion_files(program: &str) -> [(Shell, PathBuf); 5] {
    [
        (Shell::Bash, format!("bash/{program}")),
        (Shell::Zsh, format!("zsh/_{program}")),
        (Shell::Fish, format!("fish/{program}.fish")),
        (Shell::Elvish, format!("elvish/{program}.elv")),
        (Shell::PowerShell, format!("powershell/_{program}.ps1")),
    ]
    .map(|(shell, file)| (shell, file.into()))
}

#[cfg(test)]
mod help_tests;

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::process::ExitCode;

    use super::*;

    #[test]
    fn the_definitions_are_sound() {
        for program in programs() {
            program.debug_assert();
        }
    }

    /// Every program answers by itself: a run that did not would end this process as wrong usage.
    #[test]
    fn every_program_prints_its_own() {
        type Program = (&'static str, fn(Vec<OsString>) -> ExitCode);
        let programs: [Program; 9] = [
            ("yaneura", yaneura::run),
            ("makebook", makebook::run),
            ("gensfen", gensfen::run),
            ("teacher", teacher::run),
            ("pack2hcpe", pack2hcpe::run),
            ("arena", arena::run),
            ("kifu", kifu::run),
            ("othello", othello::run),
            ("egbk-mine", egbk_mine::run),
        ];
        let done = |code: ExitCode| format!("{code:?}");
        for (name, run) in programs {
            for (line, expected) in [
                ("--completions bash", ExitCode::SUCCESS),
                ("--man", ExitCode::SUCCESS),
                ("--completions nothing", ExitCode::from(2)),
            ] {
                let words = std::iter::once(name).chain(line.split(' '));
                let code = run(words.map(OsString::from).collect());
                assert_eq!(done(code), done(expected), "{name} {line}");
            }
        }
    }

    #[test]
    fn every_program_has_all_files() {
        let folder = tempfile::tempdir().unwrap();
        let files = write_all(folder.path()).unwrap();
        let read = |name: String| std::fs::read_to_string(folder.path().join(&name)).expect(&name);
        for program in programs() {
            let name = program.get_name();
            let page = read(format!("man/man1/{name}.1"));
            assert!(page.contains(".SH NAME"), "{page}");
            for (_, file) in completion_files(name) {
                let text = read(format!("completions/{}", file.display()));
                assert!(
                    text.contains(name) && text.contains("help"),
                    "{}",
                    file.display()
                );
                for command in program.get_subcommands() {
                    assert!(text.contains(command.get_name()), "{}", file.display());
                }
            }
            for command in program.get_subcommands() {
                let page = read(format!("man/man1/{name}-{}.1", command.get_name()));
                assert!(page.contains(".SH OPTIONS"), "{page}");
            }
        }
        // Options of all commands are those of each.
        assert!(read("man/man1/startsfens.1".to_owned()).contains("memory"));
        assert!(read("completions/bash/makebook".to_owned()).contains("--output"));
        let names: std::collections::BTreeSet<_> = files.iter().collect();
        assert_eq!(names.len(), files.len());
    }
}
