//! The fields of requests.

use page_messages::{PageFailure, PageFile};
use serde::Deserialize;

/// A game by its name.
#[derive(Clone, Debug, Deserialize)]
pub struct RecordName {
    /// Its folder.
    #[serde(default)]
    pub folder: String,
    /// Its name there: that of its file, or its number in a file of several.
    pub game: String,
}

/// The fields of `library.put`, whose record is `R`.
#[derive(Clone, Debug, Deserialize)]
pub struct PutRequest<R> {
    /// The folder.
    #[serde(default)]
    pub folder: String,
    /// The game to replace; a new one without it.
    #[serde(default)]
    pub game: Option<String>,
    /// The game that the record was loaded from.
    #[serde(default)]
    pub from: Option<RecordName>,
    /// The record.
    pub record: R,
}

/// The fields of `library.move`, `library.copy` and `library.trash`.
#[derive(Clone, Debug, Deserialize)]
pub struct MoveRequest {
    /// Where the games are.
    #[serde(default)]
    pub folder: String,
    /// Their names.
    #[serde(default)]
    pub games: Vec<String>,
    /// Where they go.
    #[serde(default)]
    pub to: String,
}

/// The fields of `library.import`.
#[derive(Clone, Debug, Deserialize)]
pub struct ImportRequest {
    /// The folder of the library that it goes to.
    #[serde(default)]
    pub folder: String,
    /// The file or folder.
    #[serde(flatten)]
    pub file: PageFile,
}

/// The fields of `library.list`, whose search is `S`.
#[derive(Clone, Debug, Deserialize)]
pub struct ListRequest<S> {
    /// The folder.
    #[serde(default)]
    pub folder: String,
    /// The page, from 0.
    #[serde(default)]
    pub page: usize,
    /// What is searched for; all games of the folder without it.
    #[serde(default = "nothing")]
    pub search: Option<S>,
}

const fn nothing<S>() -> Option<S> {
    None
}

/// What every search may ask for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct TextSearch {
    /// A part of any text.
    pub text: Option<String>,
    /// A part of the name of a player.
    pub player: Option<String>,
    /// The first and the last year.
    pub years: Option<[u16; 2]>,
}

/// Does something with games one by one until one fails; returns what was made, and the failure.
pub fn until_failure<T>(
    games: &[String],
    mut make: impl FnMut(&str) -> Result<T, PageFailure>,
) -> (Vec<T>, Result<(), PageFailure>) {
    let mut made = Vec::with_capacity(games.len());
    for game in games {
        match make(game) {
            Ok(one) => made.push(one),
            Err(failure) => return (made, Err(failure)),
        }
    }
    (made, Ok(()))
}
