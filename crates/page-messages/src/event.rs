//! Events: what a back end says, as the text of frames.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::PageFailure;

/// The version of the messages.
pub const PROTOCOL: u32 = 1;

/// The first message of a back end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hello {
    /// The version of the messages, [`PROTOCOL`].
    pub proto: u32,
    /// The build of the back end and its page; a page of another one is old.
    pub build: String,
    /// What the back end can do.
    pub caps: Vec<String>,
    /// The number of the tab.
    pub tab: u64,
}

impl Hello {
    /// The text of the message.
    pub fn to_text(&self) -> String {
        let fields = serde_json::to_value(self).unwrap_or_default();
        broadcast("hello", fields)
    }
}

/// Why a request ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DoneReason {
    /// All is said.
    Finished,
    /// The page, or the end of the back end, stopped it.
    Stopped,
    /// Another request replaced it.
    Replaced,
    /// It failed.
    Failed(PageFailure),
}

/// The last event of a request.
pub fn done_event(id: u64, reason: &DoneReason) -> String {
    let why = match reason {
        DoneReason::Finished => "finished",
        DoneReason::Stopped => "stopped",
        DoneReason::Replaced => "replaced",
        DoneReason::Failed(_) => "error",
    };
    let mut fields = match reason {
        DoneReason::Failed(failure) => serde_json::to_value(failure).unwrap_or_default(),
        _ => json!({}),
    };
    fields["why"] = why.into();
    event_text(id, "done", fields)
}

/// The answer to a frame that is no command.
pub fn unasked_error(failure: &PageFailure) -> String {
    broadcast("error", serde_json::to_value(failure).unwrap_or_default())
}

/// An event of a request.
pub fn event_text(id: u64, name: &str, fields: Value) -> String {
    let mut head = Map::new();
    head.insert("id".to_owned(), id.into());
    with_fields(head, name, fields)
}

/// An event that nobody asked for.
pub fn broadcast(name: &str, fields: Value) -> String {
    with_fields(Map::new(), name, fields)
}

fn with_fields(mut head: Map<String, Value>, name: &str, fields: Value) -> String {
    head.insert("ev".to_owned(), name.into());
    if let Value::Object(fields) = fields {
        head.extend(fields);
    }
    Value::Object(head).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FailurePlace;

    fn value(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn events_have_id_and_name_and_fields() {
        let text = event_text(7, "hint", json!({ "ms": 3 }));
        assert_eq!(value(&text), json!({ "id": 7, "ev": "hint", "ms": 3 }));
        let hello = Hello {
            proto: PROTOCOL,
            build: "b".to_owned(),
            caps: vec!["othello".to_owned()],
            tab: 2,
        };
        let expected =
            json!({ "ev": "hello", "proto": 1, "build": "b", "caps": ["othello"], "tab": 2 });
        assert_eq!(value(&hello.to_text()), expected);
    }

    #[test]
    fn the_end_says_why_and_where() {
        let done = |reason| value(&done_event(3, &reason));
        assert_eq!(
            done(DoneReason::Replaced),
            json!({ "id": 3, "ev": "done", "why": "replaced" })
        );
        let place = FailurePlace {
            line: Some(4),
            ..FailurePlace::default()
        };
        let failed = done(DoneReason::Failed(PageFailure::new("no").at(place)));
        let expected =
            json!({ "id": 3, "ev": "done", "why": "error", "text": "no", "where": { "line": 4 } });
        assert_eq!(failed, expected);
        let failed = done(DoneReason::Failed(PageFailure::new("no")));
        assert_eq!(failed.get("where"), None);
    }
}
