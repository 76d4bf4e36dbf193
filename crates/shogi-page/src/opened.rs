//! `opened`: games that the command line named.

use page_messages::EventSink;
use serde::{Deserialize, Serialize};

use crate::fields::{NamesChoice, send};
use crate::import::{ImportFields, imported};

/// A file that the command line named, as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedGames {
    /// The name of the file, for people.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The fields of the request.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct OpenedRequest {
    #[serde(default)]
    names: NamesChoice,
}

#[derive(Serialize)]
struct OpenedFields<'a> {
    name: &'a str,
    #[serde(flatten)]
    games: ImportFields,
}

/// Answers `opened`: an event for each file.
pub(crate) fn opened(request: OpenedRequest, files: &[OpenedGames], sink: &dyn EventSink) {
    for file in files {
        let games = imported(&file.bytes, None, request.names);
        let name = &file.name;
        send(sink, "opened", &OpenedFields { name, games });
    }
}
