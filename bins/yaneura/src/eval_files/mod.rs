//! Commands about evaluation files: `nn`, `evalconvert`, `evalzero`.
//!
//! Alone on the command line they are programs: progress on standard error, an exit code, no engine.
//! Among other commands and on standard input they are lines like all others.

mod cli;

use std::ffi::{OsStr, OsString};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Error;
use clap::{CommandFactory as _, Parser as _};
use serde_json::{Value, json};
use shogi_deep::NetworkModel;
use shogi_engine::SavedEvaluation;
use shogi_eval::inspect::{Hash, Inspection, NetworkFile, TableFiles, inspect};
use shogi_eval::kppt::KpptLayout;
use shogi_eval::kppt::convert::{TurnValues, convert};
use shogi_eval::loader::{EvalKind, embedded_network};
use shogi_eval::nnue::arch::Architecture;
use shogi_eval::nnue::file::{NetworkReadOptions, OpenError};
use shogi_eval::nnue::{Network, NetworkMean, Ranges};
use yane_cli::{Console, ForceFlag, Output, QuietFlag, print, stop_on_request};
use yane_io::{AtomicFile, Job, path_of_text};

use crate::error::{EvalFilesError, LineError};
use crate::streams::OutputHandle;
use cli::{
    Convert, EvalFilesCli, EvalFilesCommand, Export, Info, Mean, Network as NetworkCommand, Zero,
};

/// The first words of these commands.
pub(crate) const NAMES: [&str; 3] = ["nn", "evalconvert", "evalzero"];

/// The name under which the commands speak of the program.
const PROGRAM: &str = "yaneura";

/// The command in `words`; `None` when they are another one. It may follow `test`, which older
/// versions required.
fn command<W: AsRef<OsStr>>(words: &[W]) -> Option<&[W]> {
    let words = match words {
        [test, rest @ ..] if test.as_ref() == "test" => rest,
        all => all,
    };
    let name = words.first()?.as_ref();
    NAMES.iter().any(|known| name == *known).then_some(words)
}

/// The commands, as [`clap`] sees them, each with the options that all of them have.
pub(crate) fn commands() -> Vec<clap::Command> {
    let program = EvalFilesCli::command();
    let shared: Vec<_> = program.get_arguments().cloned().collect();
    let commands = program.get_subcommands().cloned();
    commands
        .map(|command| command.args(shared.clone()))
        .collect()
}

/// Runs the command that the program's arguments are, if they are one and nothing else; `None`
/// otherwise. Wrong arguments end the program.
pub(crate) fn run_as_program(words: &[OsString]) -> Option<ExitCode> {
    let command = command(words).filter(|words| !words.iter().any(|word| word == ","))?;
    let program = OsString::from(PROGRAM);
    let cli: EvalFilesCli = yane_cli::parse(std::iter::once(&program).chain(command));
    Some(run(&cli))
}

fn run(cli: &EvalFilesCli) -> ExitCode {
    let job = Job {
        progress: std::sync::Arc::new(Console::new(QuietFlag(cli.quiet))),
        ..Job::default()
    };
    let caught = stop_on_request(&job.cancelled).map_err(|error| vec![Error::new(error)]);
    let done = caught.and_then(|()| {
        let failures = execute(cli, &job, |text| print::lines([text]));
        let errors: Vec<_> = failures.into_iter().map(Error::new).collect();
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors)
        }
    });
    // Clears the progress bar before errors are printed.
    drop(job);
    let fail = |error| yane_cli::fail(PROGRAM, error);
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(errors) => {
            let codes: Vec<_> = errors.iter().map(fail).collect();
            codes.into_iter().next_back().unwrap_or(ExitCode::FAILURE)
        }
    }
}

/// Runs the command as a line among others.
pub(crate) fn run_in_loop(words: &[String], output: &OutputHandle) -> Result<(), LineError> {
    let command = command(words).unwrap_or(words);
    let command = command.iter().map(|word| path_of_text(word).into());
    let command = std::iter::once(OsString::from(PROGRAM)).chain(command);
    let cli = match EvalFilesCli::try_parse_from(command) {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => {
            // The help that was asked for.
            output.line(error.to_string().trim_end());
            return Ok(());
        }
        Err(error) => return Err(LineError::Usage(cli::reason(&error))),
    };
    let say = |text: &str| {
        output.line(text);
        Ok(())
    };
    let mut failures = execute(&cli, &Job::default(), say).into_iter();
    let first = failures.next();
    for failure in failures {
        output.error(&LineError::from(failure).to_line());
    }
    first.map_or(Ok(()), |failure| Err(failure.into()))
}

/// The message about a saved evaluation.
pub(crate) fn saved(saved: &SavedEvaluation) -> String {
    let SavedEvaluation { place, name, zeros } = saved;
    let values = if *zeros { ", all values 0" } else { "" };
    format!("wrote {} ({name}{values})", place.display())
}

// The commands themselves.

/// Runs a command; `say` prints lines. Of several files each is tried. Returns the errors of all.
pub(crate) fn execute(
    cli: &EvalFilesCli,
    job: &Job,
    mut say: impl FnMut(&str) -> yane_io::Result<()>,
) -> Vec<EvalFilesError> {
    let line = match &cli.command {
        EvalFilesCommand::Nn(NetworkCommand::Info(info)) => {
            return show_info(info, cli.json, job, say);
        }
        EvalFilesCommand::Nn(NetworkCommand::Export(export)) => rewrite(export, cli.force),
        EvalFilesCommand::Nn(NetworkCommand::Mean(mean)) => average(mean, cli.force),
        EvalFilesCommand::Evalconvert(convert) => recode(convert, cli.force, job),
        EvalFilesCommand::Evalzero(zero) => zeros(zero, cli.force, job),
    };
    let done = line.and_then(|done| {
        let text = if cli.json {
            done.json.to_string()
        } else {
            done.text
        };
        Ok(say(&text)?)
    });
    done.err().into_iter().collect()
}

/// The message about what was written, as text and as JSON.
struct Done {
    text: String,
    json: Value,
}

/// Notes on what was read, each on a line behind the message.
fn lines_of(notes: &[String]) -> String {
    let lines = notes.iter().map(|note| format!("\nnote: {note}"));
    lines.collect()
}

/// The output of a command: that of `-o`, or else the last argument.
fn output(option: Option<&PathBuf>, behind: Option<&PathBuf>) -> Output {
    match (option, behind) {
        (Some(path), _) => Output::by_option(path),
        (None, path) => Output::behind_inputs(path.cloned().unwrap_or_default()),
    }
}

fn show_info(
    info: &Info,
    as_json: bool,
    job: &Job,
    mut say: impl FnMut(&str) -> yane_io::Result<()>,
) -> Vec<EvalFilesError> {
    let mut failures = Vec::new();
    for (number, path) in info.files.iter().enumerate() {
        let found = inspect(path, info.arch, job).map_err(EvalFilesError::from);
        let shown = found.and_then(|found| {
            let text = if as_json {
                inspection_json(&found).to_string()
            } else {
                found.to_string()
            };
            if number > 0 && !as_json {
                say("")?;
            }
            Ok(say(text.trim_end())?)
        });
        if let Err(failure) = shown {
            let is_end = yane_cli::is_cancelled(&failure);
            failures.push(failure);
            if is_end {
                break;
            }
        }
    }
    failures
}

/// The file of a network in the program, and what it is: that of the alpha-beta engine, or of the deep one. A file of this name goes first.
fn embedded(name: &std::path::Path) -> Option<(&'static [u8], &'static str)> {
    match name.to_str().filter(|_| !name.exists())? {
        "embedded" => embedded_network().map(|bytes| (bytes, "the network in the program")),
        "embedded-deep" => Some((
            NetworkModel::SMALL,
            "the network of the deep engine in the program",
        )),
        _ => None,
    }
}

fn rewrite(export: &Export, force: bool) -> Result<Done, EvalFilesError> {
    let to = output(export.output.as_ref(), export.to.as_ref());
    if let Some((bytes, what)) = embedded(&export.from) {
        let none: &[PathBuf] = &[];
        let _claim = to.overwrite(ForceFlag(force)).claim(&to.path, none)?;
        let mut file = AtomicFile::create(&to.path)?;
        file.put(bytes)?;
        file.commit()?;
        return Ok(Done {
            text: format!("wrote {} ({what})", to.path.display()),
            json: json!({
                "input": export.from.to_string_lossy(),
                "output": to.path.to_string_lossy(),
            }),
        });
    }
    let _claim = to
        .overwrite(ForceFlag(force))
        .claim(&to.path, &[&export.from])?;
    let options = NetworkReadOptions {
        architecture: export.arch,
    };
    let loaded = Network::open(&export.from, &options)?;
    loaded.network.save(&to.path)?;
    let architecture = loaded.network.architecture().to_string();
    let notes: Vec<_> = loaded.notes.iter().map(ToString::to_string).collect();
    Ok(Done {
        text: format!(
            "wrote {} ({architecture}){}",
            to.path.display(),
            lines_of(&notes)
        ),
        json: json!({
            "input": export.from.to_string_lossy(),
            "output": to.path.to_string_lossy(),
            "architecture": architecture,
            "notes": notes,
        }),
    })
}

fn average(command: &Mean, force: bool) -> Result<Done, EvalFilesError> {
    let to = Output::by_option(&command.output);
    let _claim = to
        .overwrite(ForceFlag(force))
        .claim(&to.path, &command.files)?;
    let options = NetworkReadOptions {
        architecture: command.arch,
    };
    let mut mean: Option<NetworkMean> = None;
    let mut notes = Vec::new();
    for path in &command.files {
        let loaded = match embedded(path) {
            Some((bytes, _)) => {
                Network::from_bytes(bytes, &options).map_err(|fault| OpenError::Format {
                    path: path.clone(),
                    fault,
                })
            }
            None => Network::open(path, &options),
        }?;
        let file = path.display();
        notes.extend(loaded.notes.iter().map(|note| format!("{file}: {note}")));
        match &mut mean {
            Some(mean) => mean
                .add(&loaded.network)
                .map_err(|error| EvalFilesError::Mean {
                    file: file.to_string(),
                    error,
                })?,
            None => mean = Some(NetworkMean::new(&loaded.network)),
        }
    }
    let network = mean.expect("a file is required").network();
    network.save(&to.path)?;
    let (count, architecture) = (command.files.len(), network.architecture().to_string());
    let inputs = command.files.iter().map(|path| path.to_string_lossy());
    Ok(Done {
        text: format!(
            "wrote {} ({architecture}, the mean of {count}){}",
            to.path.display(),
            lines_of(&notes)
        ),
        json: json!({
            "inputs": inputs.collect::<Vec<_>>(),
            "output": to.path.to_string_lossy(),
            "architecture": architecture,
            "notes": notes,
        }),
    })
}

fn recode(command: &Convert, force: bool, job: &Job) -> Result<Done, EvalFilesError> {
    let from = &command.from;
    let output = output(command.output.as_ref(), command.to.as_ref());
    let to = &output.path;
    let overwrite = output.overwrite(ForceFlag(force));
    let found = KpptLayout::of(from)?;
    if found != command.from_kind {
        return Err(EvalFilesError::Kind {
            folder: from.display().to_string(),
            found: found.name(),
            named: command.from_kind.name(),
        });
    }
    let turn = if command.drop_turn {
        TurnValues::Drop
    } else {
        TurnValues::MustBeZero
    };
    convert(from, to, command.to_kind, turn, overwrite, job)?;
    let (old, new) = (found.name(), command.to_kind.name());
    Ok(Done {
        text: format!(
            "converted {} ({old}) to {} ({new})",
            from.display(),
            to.display()
        ),
        json: json!({
            "input": from.to_string_lossy(),
            "input_kind": old,
            "output": to.to_string_lossy(),
            "output_kind": new,
        }),
    })
}

fn zeros(command: &Zero, force: bool, job: &Job) -> Result<Done, EvalFilesError> {
    let folder = command.output.as_ref().or(command.folder.as_ref());
    let output = Output::by_option(folder.cloned().unwrap_or_default());
    let folder = &output.path;
    let name = match command.kind {
        EvalKind::Tables(layout) => layout.name().to_owned(),
        EvalKind::Network(architecture) => architecture.to_string(),
    };
    command
        .kind
        .write_zeros(folder, output.overwrite(ForceFlag(force)), job)?;
    Ok(Done {
        text: format!("wrote {} ({name}, all values 0)", folder.display()),
        json: json!({"output": folder.to_string_lossy(), "kind": name}),
    })
}

// The description of a file as JSON.

/// `found` as one object.
fn inspection_json(found: &Inspection) -> Value {
    match found {
        Inspection::Network(file) => network(file),
        Inspection::Tables(files) => tables(files),
    }
}

fn range(range: &RangeInclusive<i32>) -> Value {
    json!([range.start(), range.end()])
}

fn hash(hash: Hash) -> Value {
    json!({"found": format!("{:08X}", hash.found), "usual": format!("{:08X}", hash.usual)})
}

fn part(name: &str, inputs: usize, outputs: usize, ranges: &Ranges) -> Value {
    json!({
        "name": name,
        "inputs": inputs,
        "outputs": outputs,
        "weights": range(&ranges.weights),
        "biases": range(&ranges.biases),
    })
}

fn network(file: &NetworkFile) -> Value {
    let description = &file.description;
    let architecture = &description.architecture;
    let features = architecture.features();
    let transformer = part(
        "transformer",
        features.dimensions(),
        architecture.width(),
        &description.transformer,
    );
    let layers = description.layers.iter().enumerate();
    let layers = layers.map(|(number, (shape, ranges))| {
        let name = format!("layer {}", number + 1);
        part(&name, shape.inputs, shape.outputs, ranges)
    });
    let parts: Vec<_> = std::iter::once(transformer).chain(layers).collect();
    let notes: Vec<_> = file.notes.iter().map(ToString::to_string).collect();
    let mut value = json!({
        "file": file.path.to_string_lossy(),
        "kind": "nnue",
        "bytes": file.bytes,
        "sha256": file.sha256,
        "architecture": architecture.to_string(),
        "features": features.file_name(),
        "text": description.text,
        "hashes": {
            "file": hash(file.file_hash),
            "transformer": hash(file.transformer_hash),
            "layers": hash(file.layers_hash),
        },
        "fv_scale": description.scale.scale.get(),
        "fv_scale_stated": description.scale.stated,
        "parameters": description.parameters(),
        "memory": description.bytes(),
        "parts": parts,
        "stacks": architecture.stack_count(),
        "notes": notes,
    });
    if let Architecture::Sfnn(sfnn) = architecture {
        value["shortcut"] = json!(sfnn.has_shortcut());
    }
    if let Some(weights) = &description.progress {
        value["progress"] = range(weights);
    }
    value
}

fn tables(files: &TableFiles) -> Value {
    let kinds: Vec<_> = files.kinds.iter().map(|kind| kind.name()).collect();
    let list = files.files.iter().map(|file| {
        let notes: Vec<_> = file.note.iter().map(ToString::to_string).collect();
        json!({
            "file": file.path.to_string_lossy(),
            "table": file.table.file_name(),
            "bytes": file.bytes,
            "sha256": file.sha256,
            "board": range(&file.board),
            "turn": file.turn.as_ref().map(range),
            "notes": notes,
        })
    });
    json!({
        "file": files.path.to_string_lossy(),
        "kind": "tables",
        "kinds": kinds,
        "fv_scale": 32,
        "files": list.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    fn error(line: &str) -> String {
        let line = format!("{PROGRAM} {line}");
        let error = EvalFilesCli::try_parse_from(line.split(' ')).unwrap_err();
        assert!(error.use_stderr());
        cli::reason(&error)
    }

    #[test]
    fn commands_may_follow_the_word_test() {
        for line in ["nn info x", "evalconvert", "evalzero kppt32 x"] {
            assert_eq!(command(&words(line)), Some(words(line).as_slice()));
            let old = format!("test {line}");
            assert_eq!(command(&words(&old)), Some(words(line).as_slice()));
        }
        for line in ["usi", "test", "test nothing", "position nn"] {
            assert_eq!(command(&words(line)), None, "{line}");
        }
    }

    #[test]
    fn errors_in_arguments_are_one_line() {
        assert_eq!(
            error("evalconvert kppt8 a kppt32 b"),
            "invalid value 'kppt8' for '<KIND>': expected one of kppt32, kppt16, kpp_kkpt32"
        );
        let text = error("evalconvert kppt16 a kppt32");
        assert!(text.contains("<TO>"), "{text}");
        let text = error("evalzero halfkp_7 b");
        assert!(
            text.contains("expected one of kppt32") && text.contains("architecture"),
            "{text}"
        );
        let text = error("nn info --arch nothing f");
        assert!(text.contains("nothing") && !text.contains('\n'), "{text}");
    }

    #[test]
    fn kinds_have_their_other_names() {
        for (line, from, to) in [
            ("evalconvert kppt16 a kppt b", "kppt16", "kppt32"),
            ("evalconvert kpp_kkpt a kppt32 b", "kpp_kkpt32", "kppt32"),
        ] {
            let line = format!("{PROGRAM} {line}");
            let cli = EvalFilesCli::try_parse_from(line.split(' ')).unwrap();
            let cli::EvalFilesCommand::Evalconvert(convert) = cli.command else {
                panic!("{line}")
            };
            let kinds = [convert.from_kind, convert.to_kind];
            assert_eq!(kinds.map(shogi_eval::kppt::KpptLayout::name), [from, to]);
        }
    }
}
