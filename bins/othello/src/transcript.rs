//! Games given on the command line.

use othello_core::Game;
use yane_cli::UsageError;

/// The game of a transcript that was given as an option.
pub(crate) fn game(transcript: &str) -> Result<Game, UsageError> {
    let game = transcript.parse();
    game.map_err(|error| UsageError(format!("'{transcript}': {error}")))
}
