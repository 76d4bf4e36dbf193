//! The engines of a command line: ours with its options, and programs with theirs.

use std::path::Path;

use anyhow::Context as _;
use shogi_engine::{Profile, Session};
use shogi_farm::{Engine, engine_command};
use shogi_page::{UsiEngine, UsiSettings};
use tournament::EngineSpec;
use yane_cli::UsageError;

use crate::args::ShogiServeArgs;

/// The size of the transposition table unless an option says otherwise, in mebibytes.
const HASH_MIB: &str = "256";

/// The name of our engine, which no other may have.
const OWN: &str = "own";

/// An engine as the command line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Program {
    /// The program, with arguments where it is no file.
    path: String,
    name: Option<String>,
    folder: Option<std::path::PathBuf>,
    options: Vec<(String, String)>,
}

/// The session of our engine, with the options of the command line; `fixed` are those that nothing changes.
pub(crate) fn session(
    profile: Profile,
    fixed: &[(String, String)],
    args: &ShogiServeArgs,
    threads: usize,
) -> anyhow::Result<Session> {
    let options = yane_cli::engine_options(&args.option)?;
    let embedded = in_file(args)?.into_iter().find(Engine::is_embedded);
    let of_file = embedded.map(|engine| engine.options).unwrap_or_default();
    let all: Vec<_> = of_file.into_iter().chain(options).collect();
    let mut session = Session::with_profile(profile);
    session.set_folders(yane_cli::evaluation_folders().to_vec());
    let is_folder = |(name, _): &&(String, String)| name.eq_ignore_ascii_case("EvalDir");
    let folder = fixed.iter().rev().find(is_folder);
    let folder = folder.or_else(|| all.iter().rev().find(is_folder));
    // Whatever is set before is lost.
    session.choose_edition(folder.map(|(_, value)| value.as_str()));
    let threads = threads.to_string();
    for (name, value) in [("Threads", threads.as_str()), ("USI_Hash", HASH_MIB)] {
        session.set_option(name, Some(value))?;
    }
    for (name, value) in fixed {
        let done = session.fix_option(name, value);
        done.with_context(|| format!("option {name} of a file beside the program"))?;
    }
    for (name, value) in all {
        let set = session.set_option(&name, Some(&value));
        set.map_err(|error| UsageError(format!("--option {name}: {error}")))?;
    }
    if args.no_book {
        session.fix_option("USI_OwnBook", "false")?;
    }
    Ok(session)
}

/// The engines of `--engines`.
fn in_file(args: &ShogiServeArgs) -> anyhow::Result<Vec<Engine>> {
    match &args.engines {
        Some(path) => Ok(shogi_farm::settings::read_engines(path)?),
        None => Ok(Vec::new()),
    }
}

/// The programs of the command line and of the file of engines, each with a name of its own.
fn described(args: &ShogiServeArgs) -> anyhow::Result<Vec<(String, Program)>> {
    let mut programs = Vec::new();
    for engine in in_file(args)?.into_iter().filter(|one| !one.is_embedded()) {
        programs.push(Program {
            name: (engine.name != engine.path).then_some(engine.name),
            path: engine.path,
            folder: None,
            options: engine.options.into_iter().collect(),
        });
    }
    for text in args.engine.iter().filter(|text| *text != Engine::EMBEDDED) {
        let spec: Result<EngineSpec, _> = text.parse();
        let spec = spec.map_err(|error| UsageError(format!("--engine {text}: {error}")))?;
        programs.push(Program {
            path: spec.program,
            name: spec.name,
            folder: spec.folder,
            options: spec.options,
        });
    }
    let labels = labels(&programs);
    Ok(labels.into_iter().zip(programs).collect())
}

/// The engines that are programs, which are there.
pub(crate) fn programs(args: &ShogiServeArgs) -> anyhow::Result<Vec<UsiEngine>> {
    let programs = described(args)?;
    let paths = programs.iter().map(|(_, one)| Engine::program(&one.path));
    shogi_farm::check_programs(&paths.collect::<Vec<_>>())?;
    let engines = programs.into_iter();
    engines
        .map(|(label, program)| program.engine(label))
        .collect()
}

/// The names and commands of engines for jobs that search.
pub(crate) fn commands(args: &ShogiServeArgs) -> anyhow::Result<Vec<(String, String)>> {
    let programs = described(args)?.into_iter();
    Ok(programs
        .map(|(label, program)| (label, program.path))
        .collect())
}

/// A name for each program, no two alike.
fn labels(programs: &[Program]) -> Vec<String> {
    let mut labels: Vec<String> = vec![OWN.to_owned()];
    for program in programs {
        let stem = || {
            let word = if Path::new(&program.path).is_file() {
                program.path.as_str()
            } else {
                program.path.split_whitespace().next().unwrap_or_default()
            };
            let stem = Path::new(word).file_stem().unwrap_or_default();
            stem.to_string_lossy().into_owned()
        };
        let name = program.name.clone().unwrap_or_else(stem);
        let numbered = (2..).map(|number| format!("{name} {number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        labels.extend(names.find(|name| !labels.contains(name)));
    }
    labels.split_off(1)
}

impl Program {
    fn engine(self, label: String) -> anyhow::Result<UsiEngine> {
        let folder = match &self.folder {
            Some(folder) => {
                let there = std::fs::canonicalize(folder);
                Some(there.with_context(|| format!("engine {label}: {}", folder.display()))?)
            }
            None => None,
        };
        let path = self.path;
        Ok(UsiEngine::new(UsiSettings {
            label,
            command: Box::new(move || {
                let mut command = engine_command(&path);
                if let Some(folder) = &folder {
                    command.current_dir(folder);
                }
                command
            }),
            options: self.options,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(path: &str, name: Option<&str>) -> Program {
        Program {
            path: path.to_owned(),
            name: name.map(ToOwned::to_owned),
            folder: None,
            options: Vec::new(),
        }
    }

    #[test]
    fn every_engine_has_a_name_of_its_own() {
        let programs = [
            program("/opt/a/engine.exe", None),
            program("/opt/b/engine", None),
            program("ssh host engine", Some("far")),
            program("x", Some("own")),
            program("ssh other engine", None),
        ];
        let expected = ["engine", "engine 2", "far", "own 2", "ssh"];
        assert_eq!(labels(&programs), expected);
    }

    #[test]
    fn engines_of_the_command_line_are_checked() {
        let args = |engine: &str| ShogiServeArgs {
            engine: vec![engine.to_owned()],
            ..ShogiServeArgs::default()
        };
        assert!(programs(&args("embedded")).unwrap().is_empty());
        let error = programs(&args("/no/such/engine,name=a")).unwrap_err();
        assert!(error.to_string().contains("no such file"), "{error}");
        assert!(programs(&args(",name=a")).is_err());
        let wrong = ShogiServeArgs {
            option: vec!["Nothing=1".to_owned()],
            ..ShogiServeArgs::default()
        };
        let Err(error) = session(Profile::Classic, &[], &wrong, 1) else {
            panic!("an unknown option")
        };
        assert!(error.to_string().contains("--option Nothing"), "{error}");
    }
}
