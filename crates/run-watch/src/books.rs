//! Books that grow in rounds, by the states that their runs keep beside them.

use std::path::Path;

use serde_json::{Value, json};
use yane_io::Snapshot;

use crate::tail::modified_at;

/// The ends of the names of such files, and what the book does.
const STATES: [(&str, &str); 2] = [(".endless.state", "endless"), (".mine.state", "mine")];

/// Bytes of a state at most.
const MOST_BYTES: u64 = 64 << 20;

/// A book that grows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GrowingBook {
    /// The name of the book.
    pub(crate) name: String,
    kind: &'static str,
    round: Option<u64>,
    searched: Option<u64>,
    changed: Option<u64>,
    size: Option<u64>,
}

impl GrowingBook {
    /// The book whose state this is; `None` if it is none, or cannot be read.
    pub(crate) fn of_state(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let mut states = STATES.iter();
        let (book, kind) = states.find_map(|(end, kind)| Some((name.strip_suffix(end)?, *kind)))?;
        let there = std::fs::metadata(path).ok()?;
        if !there.is_file() || there.len() > MOST_BYTES {
            return None;
        }
        let state = Snapshot::look(path).ok()?;
        let state: Value = serde_json::from_slice(&state).ok()?;
        let number = |name: &str| state.get(name).and_then(Value::as_u64);
        let (round, searched) = if kind == "endless" {
            // Rounds before, counted from 0.
            (number("number").map(|number| number + 1), None)
        } else {
            let of_list = number("thought_of_list").unwrap_or_default();
            (number("round"), number("thought").map(|n| n + of_list))
        };
        let beside = std::fs::metadata(path.with_file_name(book)).ok();
        let changed = modified_at(&there);
        Some(Self {
            name: book.to_owned(),
            kind,
            round,
            searched,
            changed: changed.max(beside.as_ref().and_then(modified_at)),
            size: beside.map(|book| book.len()),
        })
    }

    /// The fields of messages; the name begins with that of the folder.
    pub(crate) fn fields(&self, folder: &str, source: usize) -> Value {
        let text = |number: Option<u64>| number.map(|number| number.to_string());
        json!({
            "book": format!("{folder}/{}", self.name),
            "source": source,
            "kind": self.kind,
            "round": text(self.round),
            "searched": text(self.searched),
            "changed": self.changed,
            "size": text(self.size),
        })
    }
}
