//! A line of a file of events.

use serde_json::{Map, Value};

/// Bytes of a line at most; longer ones are no events.
pub(crate) const MOST_BYTES: usize = 1 << 20;

/// An event of a run, with the fields that its program gave it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RunEvent {
    /// The name of the run; streams of standard output have none.
    pub(crate) run: Option<String>,
    /// Milliseconds since 1970.
    pub(crate) at: Option<u64>,
    /// The field `event`.
    pub(crate) name: String,
    pub(crate) fields: Map<String, Value>,
}

impl RunEvent {
    /// Parses a line; `None` if it is no event.
    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        if line.len() > MOST_BYTES {
            return None;
        }
        let fields: Map<String, Value> = serde_json::from_slice(line).ok()?;
        let text = |name: &str| Some(short(fields.get(name)?.as_str()?));
        Some(Self {
            run: text("run").filter(|run| !run.is_empty()),
            at: fields.get("at").and_then(Value::as_u64),
            name: text("event")?,
            fields,
        })
    }

    /// The text of a field, shortened.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        Some(short(self.fields.get(name)?.as_str()?))
    }

    /// The number of a field that counts something.
    pub(crate) fn count(&self, name: &str) -> Option<u64> {
        self.fields.get(name)?.as_u64()
    }

    /// The number of a field, which may stand in an object: `elo.difference`.
    pub(crate) fn number(&self, path: &str) -> Option<f64> {
        let mut parts = path.split('.');
        let mut value = self.fields.get(parts.next()?)?;
        for part in parts {
            value = value.get(part)?;
        }
        value.as_f64().filter(|number| number.is_finite())
    }
}

/// Letters of a text that is kept.
const MOST_LETTERS: usize = 2000;

/// A text of so many letters at most.
pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(MOST_LETTERS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_objects_with_a_name() {
        let line = br#"{"event":"score","run":"a-1","at":17,"elo":{"difference":1.5},"games":4}"#;
        let event = RunEvent::parse(line).unwrap();
        assert_eq!((event.run.as_deref(), event.at), (Some("a-1"), Some(17)));
        assert_eq!(event.number("elo.difference"), Some(1.5));
        assert_eq!(
            (event.number("elo"), event.number("games")),
            (None, Some(4.0))
        );
        for line in [
            &b""[..],
            b"{",
            b"[1]",
            b"{}",
            br#"{"event":1}"#,
            b"\xff",
            br#"{"event":"ga"#,
        ] {
            assert_eq!(RunEvent::parse(line), None);
        }
    }

    #[test]
    fn long_texts_are_cut() {
        let text = short(&"評".repeat(3000));
        assert_eq!(text.chars().count(), MOST_LETTERS + 1);
    }
}
