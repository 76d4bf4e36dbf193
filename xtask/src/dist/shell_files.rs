//! Completions for shells and manual pages, as the programs that were built print them.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use xshell::{Shell, cmd};

use super::release::Release;

/// The shells, and where each looks for the completions of a program: `*` stands for its name.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "bash/*"),
    ("zsh", "zsh/_*"),
    ("fish", "fish/*.fish"),
    ("elvish", "elvish/*.elv"),
    ("powershell", "powershell/_*.ps1"),
];

/// What `--describe` of a program says, as far as it matters here.
#[derive(Deserialize)]
struct Description {
    commands: Vec<DescribedCommand>,
}

#[derive(Deserialize)]
struct DescribedCommand {
    /// The words of the command; empty for the program itself.
    command: String,
}

/// Writes the files of all programs into `completions` and `man` of the folder where the programs lie.
///
/// Programs for other systems do not run here: then they are made by the definitions in the libraries, which takes a
/// build for this machine.
pub(super) fn write(sh: &Shell, release: &Release, folder: &Path, programs: &[&str]) -> Result<()> {
    if !release.runs_here {
        return Ok(cmd!(sh, "cargo run --quiet --package shell-files -- {folder}").run()?);
    }
    let (completions, pages) = (folder.join("completions"), folder.join("man/man1"));
    sh.create_dir(&pages)?;
    for name in programs {
        let program = folder.join(format!("{name}{}", release.suffix()));
        for (shell, place) in SHELLS {
            let file = completions.join(place.replace('*', name));
            sh.create_dir(file.parent().context("a file has a folder")?)?;
            let text = cmd!(sh, "{program} --completions {shell}").quiet().read()?;
            sh.write_file(file, text + "\n")?;
        }
        let text = cmd!(sh, "{program} --describe").quiet().read()?;
        let description: Description =
            serde_json::from_str(&text).with_context(|| format!("{name} --describe"))?;
        for DescribedCommand { command } in description.commands {
            let words: Vec<&str> = command.split_whitespace().collect();
            // The one of the library that reads command lines.
            if words.contains(&"help") {
                continue;
            }
            let page = cmd!(sh, "{program}")
                .args(&words)
                .arg("--man")
                .quiet()
                .read()?;
            sh.write_file(pages.join(page_name(name, &words)), page + "\n")?;
        }
    }
    Ok(())
}

/// The name of the manual page of a command.
fn page_name(program: &str, words: &[&str]) -> String {
    let mut name = program.to_owned();
    for word in words {
        name += "-";
        name += word;
    }
    name + ".1"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_called_as_man_looks_for_them() {
        assert_eq!(page_name("kifu", &[]), "kifu.1");
        assert_eq!(
            page_name("othello", &["book", "learn"]),
            "othello-book-learn.1"
        );
    }
}
