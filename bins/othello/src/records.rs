//! Games and positions of the command line.

use clap::builder::{OsStringValueParser, TypedValueParser};
use othello_core::Game;
use othello_record::{RecordItem, argument_text, read_argument, read_one};
use yane_cli::{Console, Settings, UsageError};
use yane_io::Progress as _;

/// A parser of arguments that are games or positions, in any terminal encoding.
pub(crate) fn record_parser() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(|argument| argument_text(&argument))
}

/// The records of an argument, or of the file that it names.
pub(crate) fn games(text: &str) -> anyhow::Result<Vec<RecordItem>> {
    let items = read_argument(text)?;
    match items.as_slice() {
        [
            RecordItem {
                record: Err(error), ..
            },
        ] => Err(UsageError(error.to_string()).into()),
        [] => Err(UsageError(format!(
            "'{text}': there is no game or position in this file"
        ))
        .into()),
        _ => Ok(items),
    }
}

/// The game of an option; a position is a game without moves. The interpretation is noted unless `--quiet`.
pub(crate) fn game(text: &str, settings: &Settings) -> Result<Game, UsageError> {
    let record = read_one(text).map_err(|error| UsageError(error.to_string()))?;
    if let Some(note) = record.note() {
        Console::new(settings.quiet).note(note);
    }
    Ok(record.game)
}
