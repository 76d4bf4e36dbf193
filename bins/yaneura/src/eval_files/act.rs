//! What the commands do.

use shogi_eval::choice::{EvalKind, NETWORK_FILE};
use shogi_eval::inspect::inspect;
use shogi_eval::kppt::convert::{TurnValues, convert};
use shogi_eval::kppt::{Layout, Table};
use shogi_eval::nnue::Network;
use shogi_eval::nnue::file::ReadOptions;
use yane_io::{Job, Overwrite};

use super::cli::{Cli, Command, Convert, Export, Info, Network as NetworkCommand, Zero};
use super::json;
use crate::failure::Failure;

/// Carries a command out. `say` prints lines. Of several files each is tried: the failures of all.
pub(crate) fn run(
    cli: &Cli,
    job: &Job,
    mut say: impl FnMut(&str) -> yane_io::Result<()>,
) -> Vec<Failure> {
    let line = match &cli.command {
        Command::Nn(NetworkCommand::Info(info)) => return tell(info, job, say),
        Command::Nn(NetworkCommand::Export(export)) => rewrite(export),
        Command::Evalconvert(convert) => recode(convert, job),
        Command::Evalzero(zero) => zeros(zero, job),
    };
    let done = line.and_then(|line| Ok(say(&line)?));
    done.err().into_iter().collect()
}

fn tell(info: &Info, job: &Job, mut say: impl FnMut(&str) -> yane_io::Result<()>) -> Vec<Failure> {
    let mut failures = Vec::new();
    for (number, path) in info.files.iter().enumerate() {
        let found = inspect(path, info.arch, job).map_err(Failure::from);
        let told = found.and_then(|found| {
            let text = if info.json {
                json::of(&found).to_string()
            } else {
                found.to_string()
            };
            if number > 0 && !info.json {
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

fn rewrite(export: &Export) -> Result<String, Failure> {
    let overwrite = if export.force {
        Overwrite::Allow
    } else {
        Overwrite::Refuse
    };
    overwrite.check(&export.to, &[&export.from])?;
    let options = ReadOptions {
        architecture: export.arch,
    };
    let loaded = Network::open(&export.from, &options)?;
    loaded.network.save(&export.to)?;
    let notes = loaded.notes.iter().map(|note| format!("\nnote: {note}"));
    Ok(format!(
        "wrote {} ({}){}",
        export.to.display(),
        loaded.network.architecture(),
        notes.collect::<String>()
    ))
}

fn recode(command: &Convert, job: &Job) -> Result<String, Failure> {
    let (from, to) = (&command.from, &command.to);
    let found = Layout::of(from)?;
    if found != command.from_kind {
        return Err(Failure::Kind {
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
    convert(from, to, command.to_kind, turn, job)?;
    Ok(format!(
        "converted {} ({}) to {} ({})",
        from.display(),
        found.name(),
        to.display(),
        command.to_kind.name()
    ))
}

fn zeros(command: &Zero, job: &Job) -> Result<String, Failure> {
    let folder = &command.folder;
    let (name, files) = match command.kind {
        EvalKind::Tables(layout) => {
            let files = Table::ALL.map(|table| table.path(folder));
            (layout.name().to_owned(), files.to_vec())
        }
        EvalKind::Network(architecture) => {
            (architecture.to_string(), vec![folder.join(NETWORK_FILE)])
        }
    };
    if let Some(there) = files.iter().find(|file| file.exists() && !command.force) {
        return Err(Failure::Exists(there.display().to_string()));
    }
    command.kind.write_zeros(folder, job)?;
    Ok(format!("wrote {} ({name}, all values 0)", folder.display()))
}
