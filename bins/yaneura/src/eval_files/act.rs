//! The commands themselves.

use std::path::PathBuf;

use serde_json::{Value, json};
use shogi_eval::inspect::inspect;
use shogi_eval::kppt::convert::{TurnValues, convert};
use shogi_eval::kppt::{KpptLayout, KpptTable};
use shogi_eval::loader::{EvalKind, NETWORK_FILE};
use shogi_eval::nnue::Network;
use shogi_eval::nnue::file::NetworkReadOptions;
use yane_cli::Output;
use yane_io::Job;

use super::cli::{Cli, Command, Convert, Export, Info, Network as NetworkCommand, Zero};
use super::json::of;
use crate::error::EvalFilesError;

/// Carries a command out. `say` prints lines. Of several files each is tried: the failures of all.
pub(crate) fn run(
    cli: &Cli,
    job: &Job,
    mut say: impl FnMut(&str) -> yane_io::Result<()>,
) -> Vec<EvalFilesError> {
    let line = match &cli.command {
        Command::Nn(NetworkCommand::Info(info)) => return tell(info, cli.json, job, say),
        Command::Nn(NetworkCommand::Export(export)) => rewrite(export, cli.force),
        Command::Evalconvert(convert) => recode(convert, cli.force, job),
        Command::Evalzero(zero) => zeros(zero, cli.force, job),
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

/// What was written, for people and for programs.
struct Done {
    text: String,
    json: Value,
}

/// The output of a command: that of `-o`, or else the one `behind` its inputs.
fn output(option: Option<&PathBuf>, behind: Option<&PathBuf>) -> Output {
    match (option, behind) {
        (Some(path), _) => Output::by_option(path),
        (None, path) => Output::behind_inputs(path.cloned().unwrap_or_default()),
    }
}

fn tell(
    info: &Info,
    as_json: bool,
    job: &Job,
    mut say: impl FnMut(&str) -> yane_io::Result<()>,
) -> Vec<EvalFilesError> {
    let mut failures = Vec::new();
    for (number, path) in info.files.iter().enumerate() {
        let found = inspect(path, info.arch, job).map_err(EvalFilesError::from);
        let told = found.and_then(|found| {
            let text = if as_json {
                of(&found).to_string()
            } else {
                found.to_string()
            };
            if number > 0 && !as_json {
                say("")?;
            }
            Ok(say(text.trim_end())?)
        });
        if let Err(failure) = told {
            let is_end = matches!(failure.file_error(), Some(yane_io::Error::Cancelled));
            failures.push(failure);
            if is_end {
                break;
            }
        }
    }
    failures
}

fn rewrite(export: &Export, force: bool) -> Result<Done, EvalFilesError> {
    let to = output(export.output.as_ref(), export.to.as_ref());
    to.overwrite(force).check(&to.path, &[&export.from])?;
    let options = NetworkReadOptions {
        architecture: export.arch,
    };
    let loaded = Network::open(&export.from, &options)?;
    loaded.network.save(&to.path)?;
    let architecture = loaded.network.architecture().to_string();
    let notes: Vec<_> = loaded.notes.iter().map(ToString::to_string).collect();
    let lines = notes.iter().map(|note| format!("\nnote: {note}"));
    let lines: String = lines.collect();
    Ok(Done {
        text: format!("wrote {} ({architecture}){lines}", to.path.display()),
        json: json!({
            "input": export.from.to_string_lossy(),
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
    let overwrite = output.overwrite(force);
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
    let (name, files) = match command.kind {
        EvalKind::Tables(layout) => {
            let files = KpptTable::ALL.map(|table| table.path(folder));
            (layout.name().to_owned(), files.to_vec())
        }
        EvalKind::Network(architecture) => {
            (architecture.to_string(), vec![folder.join(NETWORK_FILE)])
        }
    };
    for file in &files {
        output.overwrite(force).check::<PathBuf>(file, &[])?;
    }
    command.kind.write_zeros(folder, job)?;
    Ok(Done {
        text: format!("wrote {} ({name}, all values 0)", folder.display()),
        json: json!({"output": folder.to_string_lossy(), "kind": name}),
    })
}
