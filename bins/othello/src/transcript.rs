//! Games and positions given on the command line.

use clap::builder::{OsStringValueParser, TypedValueParser};
use othello_book::given;
use othello_core::Game;
use othello_core::reading::Item;
use yane_cli::{Console, Settings, UsageError};
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

/// The game that an option gives; a position is a game without moves. What was taken of several readings is told unless
/// remarks are not wanted.
pub(crate) fn game(text: &str, settings: &Settings) -> Result<Game, UsageError> {
    let given = given::one(text).map_err(|error| UsageError(error.to_string()))?;
    if let Some(remark) = given.remark() {
        Console::new(settings.quiet).note(remark);
    }
    Ok(given.game)
}
