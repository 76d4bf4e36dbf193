//! Paths in options of engines: where the user stands, and not where the engine runs.
//!
//! An engine usually runs in the folder of its program and looks up relative paths there. Whoever types `EvalDir=net1/final` means the
//! folder in front of them.

use std::path::Path;
use std::process::Command as Program;

use yane_io::{path_of_text, text_of_name};

use crate::{OptionKind, OptionSpec};

/// Programs that run others elsewhere, where the files of this machine are not.
const ELSEWHERE: [&str; 6] = ["ssh", "plink", "docker", "podman", "kubectl", "wsl"];

/// Parts of the names of options whose values are files or folders.
const PATH_NAMES: [&str; 9] = [
    "dir", "file", "path", "folder", "book", "model", "eval", "net", "weight",
];

/// Returns whether a program runs on this machine, as far as its name tells.
pub(super) fn runs_here(program: &Program) -> bool {
    let name = Path::new(program.get_program()).file_stem();
    let name = name.unwrap_or_default().to_string_lossy();
    !ELSEWHERE.iter().any(|far| name.eq_ignore_ascii_case(far))
}

/// The value of an option as an absolute path, if it is a relative path that exists as seen from the current directory.
///
/// Values are taken for paths when the engine announces the option `name` as a string or file name (or as a combo of which the
/// value is none of the words), and when they have a separator of folders, or the option is a file name, or its name says that it is
/// a path (`EvalDir`, `BookFile`, `DNN_Model`). A plain word such as the value of `Style=wild` stays, even where a file has that name.
pub fn absolute_path_value(options: &[OptionSpec], name: &str, value: &str) -> Option<String> {
    let option = options
        .iter()
        .find(|option| option.name.eq_ignore_ascii_case(name))?;
    let is_named_so = || {
        let name = name.to_ascii_lowercase();
        PATH_NAMES.iter().any(|part| name.contains(part))
    };
    let is_for_paths = match &option.kind {
        OptionKind::Filename { .. } => true,
        OptionKind::String { .. } => has_separator(value) || is_named_so(),
        OptionKind::Combo { vars, .. } | OptionKind::Suggestions { vars, .. } => {
            !vars.iter().any(|var| var == value) && (has_separator(value) || is_named_so())
        }
        OptionKind::Check { .. } | OptionKind::Spin { .. } | OptionKind::Button => false,
    };
    let path = path_of_text(value);
    if !is_for_paths || value.trim().is_empty() || path.is_absolute() || !path.exists() {
        return None;
    }
    let absolute = std::path::absolute(path).ok()?;
    Some(text_of_name(absolute.as_os_str()))
}

/// Returns whether a value has a separator of folders.
fn has_separator(value: &str) -> bool {
    value.contains('/') || (cfg!(windows) && value.contains('\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_exist_become_absolute() {
        // Tests run in the folder of the package.
        let options = [
            OptionSpec::string("EvalDir", "eval"),
            OptionSpec::string("Style", "calm"),
            OptionSpec::filename("Settings", ""),
            OptionSpec::suggestions("BookFile", "no_book", &["no_book", "src"]),
            OptionSpec::spin("Threads", 1, 1, 8),
        ];
        let value = |name: &str, value: &str| absolute_path_value(&options, name, value);
        let here = std::env::current_dir().unwrap();
        let absolute = |path: &str| Some(here.join(path).to_str().unwrap().to_owned());
        assert_eq!(value("EvalDir", "src"), absolute("src"));
        assert_eq!(value("evaldir", "src/client"), absolute("src/client"));
        assert_eq!(value("Settings", "Cargo.toml"), absolute("Cargo.toml"));
        assert_eq!(value("BookFile", "Cargo.toml"), absolute("Cargo.toml"));
        assert_eq!(value("Style", "src/client"), absolute("src/client"));
        for (name, text) in [
            ("EvalDir", "no-such-folder"),
            ("EvalDir", ""),
            ("EvalDir", " "),
            ("EvalDir", here.to_str().unwrap()),
            // A word, one of the combo's words, a number, an option that the engine does not have.
            ("Style", "src"),
            ("BookFile", "src"),
            ("BookFile", "no_book"),
            ("Threads", "1"),
            ("Unknown", "src"),
        ] {
            assert_eq!(value(name, text), None, "{name}={text}");
        }
    }

    #[test]
    fn programs_on_other_machines_are_known() {
        for (program, is_here) in [
            ("./engine", true),
            ("ssh", false),
            ("/usr/bin/ssh", false),
            ("docker", false),
            ("sshogi", true),
        ] {
            assert_eq!(runs_here(&Program::new(program)), is_here, "{program}");
        }
    }
}
