//! The contents that decide what engines answer: of networks, tables, books and programs, whatever their names are.

use std::path::{Path, PathBuf};

use shogi_engine::Session;
use yane_io::{Checksum, NamedContents, Result, RunIdentity};

use crate::settings::Engine;

/// Parts of the names of options whose files say nothing about answers: an engine writes them.
const WRITTEN: [&str; 3] = ["log", "save", "cache"];
/// The part of an engine that its evaluation is.
pub(crate) const EVALUATION: &str = "evaluation";
/// The part that is the program itself.
pub(crate) const PROGRAM: &str = "program";
/// The folder beside a program in which it looks for its evaluation, if no option says otherwise.
const USUAL_FOLDER: &str = "eval";

/// A part of an engine, and what it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineContents {
    /// The name of the engine.
    pub engine: String,
    /// The part: `evaluation`, `program`, or the name of an option.
    pub part: String,
    /// The contents.
    pub contents: NamedContents,
}

/// The contents of `engines`: the evaluation of the one in this process, which may be in one of `folders`; of programs the program, and
/// what their options name and is there. Nothing is known of programs on other machines. What a run finds belongs to one set of them:
/// they are parts of its identity ([`with_contents`]).
///
/// # Errors
/// When a file cannot be read.
pub fn contents_of(engines: &[Engine], folders: &[PathBuf]) -> Result<Vec<EngineContents>> {
    let mut contents = Vec::new();
    for engine in engines {
        let mut add = |part: &str, found: Option<NamedContents>| {
            contents.extend(found.map(|contents| EngineContents {
                engine: engine.name.clone(),
                part: part.to_owned(),
                contents,
            }));
        };
        if engine.is_embedded() {
            let files = evaluation_files(engine, folders);
            // All of it is read anyway, but a device has no end.
            if !files.is_empty() && files.iter().all(|file| file.is_file()) {
                let checksum = Checksum::of_files(&files)?;
                add(EVALUATION, Some(NamedContents::Checksum(checksum)));
            }
            continue;
        }
        let program = Path::new(&engine.path);
        let beside = program.is_file().then(|| program.parent()).flatten();
        if program.is_file() {
            add(PROGRAM, NamedContents::of_path(program)?);
        }
        for (option, value) in &engine.options {
            let lower = option.to_ascii_lowercase();
            let is_written = WRITTEN.iter().any(|part| lower.contains(part));
            if !is_written {
                add(option, NamedContents::of_value(value, beside)?);
            }
        }
        let is_named = |name: &String| name.eq_ignore_ascii_case("EvalDir");
        let usual = beside.map(|folder| folder.join(USUAL_FOLDER));
        if let Some(folder) = usual.filter(|folder| folder.is_dir())
            && !engine.options.keys().any(is_named)
        {
            add(EVALUATION, NamedContents::of_path(&folder)?);
        }
    }
    Ok(contents)
}

/// The identity of a run with the contents of its engines.
pub fn with_contents(identity: RunIdentity, contents: &[EngineContents]) -> RunIdentity {
    let parts = contents.iter();
    parts.fold(identity, |identity, part| {
        identity.with(&format!("{} {}", part.engine, part.part), part.contents)
    })
}

/// The evaluation files of the engine in this process.
fn evaluation_files(engine: &Engine, folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut session = Session::new();
    session.set_folders(folders.to_vec());
    for (name, value) in &engine.options {
        // An option that it refuses is told of when the engine is made.
        session.set_option(name, Some(value)).ok();
    }
    session.evaluation_files()
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;

    fn names(contents: &[EngineContents]) -> Vec<String> {
        let names = contents.iter();
        names
            .map(|it| format!("{} {}", it.engine, it.part))
            .collect()
    }

    #[test]
    fn contents_of_programs_count_and_names_do_not() {
        let folder = TestFolder::new();
        let path = |name: &str| folder.path(name).to_str().unwrap().to_owned();
        for name in ["a", "b"] {
            std::fs::create_dir_all(folder.path(format!("{name}/eval"))).unwrap();
            folder.write(format!("{name}/engine"), "program");
            folder.write(format!("{name}/eval/nn.bin"), "network");
            folder.write(format!("{name}/own.db"), "book");
        }
        let contents = |name: &str, options: &[(&str, &str)]| {
            let mut engine = Engine::program(path(&format!("{name}/engine")));
            "it".clone_into(&mut engine.name);
            let options = options.iter().map(|(name, value)| (*name, *value));
            engine.options = options.map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
            contents_of(&[engine], &[]).unwrap()
        };
        let options = [
            ("BookFile", "own.db"),
            ("WriteDebugLog", "own.db"),
            ("USI_Hash", "64"),
        ];
        let first = contents("a", &options);
        assert_eq!(
            names(&first),
            ["it program", "it BookFile", "it evaluation"]
        );
        assert_eq!(contents("b", &options), first);
        folder.write("b/eval/nn.bin", "networK");
        let second = contents("b", &options);
        assert_eq!(second[..2], first[..2]);
        assert_ne!(second[2], first[2]);
        let named = contents("a", &[("EvalDir", &path("b/eval"))]);
        assert_eq!(names(&named), ["it program", "it EvalDir"]);
        assert_eq!(named[1].contents, second[2].contents);
        assert_eq!(
            contents_of(&[Engine::program("ssh far engine")], &[]).unwrap(),
            []
        );
    }

    #[test]
    fn the_evaluation_of_the_engine_in_this_process_counts() {
        let folder = TestFolder::new();
        let mut engine = Engine::embedded();
        assert_eq!(contents_of(&[engine.clone()], &[]).unwrap(), []);
        let dir = folder.path(".").to_str().unwrap().to_owned();
        engine.options.insert("EvalDir".to_owned(), dir);
        folder.write("nn.bin", "network");
        let contents = || contents_of(&[engine.clone()], &[]).unwrap();
        let first = contents();
        assert_eq!(names(&first), ["embedded evaluation"]);
        folder.write("nn.bin", "networK");
        assert_ne!(contents(), first);
    }
}
