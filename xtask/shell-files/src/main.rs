//! `shell-files FOLDER`: completions for shells and manual pages of all programs, made of the definitions of their
//! command lines.
//!
//! A package of its own, so that neither the programs nor `cargo xtask` are heavier for it.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
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
        startsfens(),
        gensfen::command().name("gensfen"),
        teacher::command(),
        pack2hcpe::command(),
        arena::command(),
        kifu::command(),
        othello::command().name("othello"),
        egbk_mine::command().name("egbk-mine"),
    ]
}

/// `startsfens`, which is a command of `makebook`.
fn startsfens() -> Command {
    let name = "startsfens";
    let program = makebook::command();
    let command = program.find_subcommand(name).cloned().unwrap_or_default();
    command.version(env!("CARGO_PKG_VERSION"))
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
            let mut bytes = Vec::new();
            clap_complete::generate(shell, &mut program.clone(), &name, &mut bytes);
            write(folder.join("completions").join(file), &bytes)?;
        }
        for (file, bytes) in pages(program)? {
            write(folder.join("man/man1").join(file), &bytes)?;
        }
    }
    Ok(written)
}

/// The places where the shells look for the completions of a program.
fn completion_files(program: &str) -> [(Shell, PathBuf); 4] {
    [
        (Shell::Bash, format!("bash/{program}")),
        (Shell::Zsh, format!("zsh/_{program}")),
        (Shell::Fish, format!("fish/{program}.fish")),
        (Shell::PowerShell, format!("powershell/_{program}.ps1")),
    ]
    .map(|(shell, file)| (shell, file.into()))
}

/// The manual pages of a program and of its commands.
fn pages(program: Command) -> Result<Vec<(OsString, Vec<u8>)>> {
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let mut pages = Vec::new();
    let mut left = vec![program];
    while let Some(command) = left.pop() {
        let shown = command
            .get_subcommands()
            .filter(|command| !command.is_hide_set());
        left.extend(shown.cloned());
        let page = Man::new(command);
        let mut bytes = Vec::new();
        page.render(&mut bytes)?;
        pages.push((page.get_filename().into(), bytes));
    }
    Ok(pages)
}

#[cfg(test)]
mod help_tests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_are_sound() {
        for program in programs() {
            program.debug_assert();
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
