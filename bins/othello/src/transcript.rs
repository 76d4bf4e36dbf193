//! Games and positions given on the command line.

use clap::builder::{OsStringValueParser, TypedValueParser};
use othello_book::given;
use othello_core::Game;
use othello_core::reading::{Given, Item};
use yane_cli::UsageError;
use yane_io::Progress as _;

/// Takes arguments that are games or positions, in whatever encoding the terminal has.
pub(crate) fn text() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(|argument| given::argument(&argument))
}

/// The games and positions that an argument gives, or those of the file that it names.
pub(crate) fn games(text: &str) -> anyhow::Result<Vec<Item>> {
    let items = given::games(text)?;
    match items.as_slice() {
        [
            Item {
                given: Err(error), ..
            },
        ] => Err(UsageError(error.to_string()).into()),
        [] => Err(UsageError(format!(
            "'{text}': there is no game or position in this file"
        ))
        .into()),
        _ => Ok(items),
    }
}

/// The one game or position that an argument gives.
pub(crate) fn one(text: &str) -> Result<Given, UsageError> {
    let wrong = |error: &dyn std::fmt::Display| UsageError(error.to_string());
    let mut items = given::games(text).map_err(|error| wrong(&error))?;
    let count = items.len();
    match (items.pop(), count) {
        (Some(item), 1) => item.given.map_err(|error| wrong(&error)),
        _ => Err(UsageError(format!(
            "'{text}': one game or position was expected, this file has {count}"
        ))),
    }
}

/// The game of a transcript that was given as an option; a position is a game without moves.
pub(crate) fn game(text: &str) -> Result<Game, UsageError> {
    let given = one(text)?;
    if let Some(remark) = given.remark() {
        yane_cli::Console::new(false).note(remark);
    }
    Ok(given.game)
}
