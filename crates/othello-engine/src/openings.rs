//! Names of openings for games and positions, in one language.

use std::sync::Arc;

use othello_core::Game;
use othello_record::{OpeningLanguage, OpeningNames};

/// A list of openings, and the language of its names. Cheap to clone.
///
/// ```
/// use othello_engine::OpeningNamer;
///
/// let game = "f5d6c3d3c4".parse()?;
/// assert_eq!(OpeningNamer::default().name(&game), Some("Tiger"));
/// assert_eq!(OpeningNamer::default().name(&"".parse()?), None);
/// # Ok::<(), othello_core::TranscriptError>(())
/// ```
#[derive(Clone, Debug)]
pub struct OpeningNamer {
    names: Arc<OpeningNames>,
    language: OpeningLanguage,
}

/// The openings of this project, in English.
impl Default for OpeningNamer {
    fn default() -> Self {
        Self::new(OpeningNames::built_in().clone(), OpeningLanguage::English)
    }
}

impl OpeningNamer {
    /// The openings of a list.
    pub fn new(names: OpeningNames, language: OpeningLanguage) -> Self {
        Self {
            names: Arc::new(names),
            language,
        }
    }

    /// The name of the longest opening that a game passes, its first position included; `None` if there is none.
    pub fn name(&self, game: &Game) -> Option<&str> {
        self.names.name(game, self.language)
    }
}
