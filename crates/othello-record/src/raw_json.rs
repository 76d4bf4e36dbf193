//! JSON objects whose members keep their order and their text, for formats with members that only others know.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::properties::Fault;

/// The members of an object, in order, with the text of their values.
#[derive(Clone, Debug, Default)]
pub(crate) struct RawObject(pub(crate) Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for RawObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = RawObject;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawObject, A::Error> {
                let mut members: Vec<(String, Box<RawValue>)> = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    if members.iter().any(|(other, _)| *other == key) {
                        return Err(A::Error::custom(format!(
                            "the key {key:?} stands there twice"
                        )));
                    }
                    members.push((key, value));
                }
                Ok(RawObject(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

impl RawObject {
    /// Reads the object of a text.
    pub(crate) fn read(text: &str) -> Result<Self, Fault> {
        serde_json::from_str(text).map_err(|error| {
            let before: usize = text
                .split_inclusive('\n')
                .take(error.line().saturating_sub(1))
                .map(str::len)
                .sum();
            let at = (before + error.column().saturating_sub(1)).min(text.len());
            let message = error.to_string();
            let reason = message.split(" at line ").next().unwrap_or_default();
            Fault::new(at, reason)
        })
    }

    /// The text of a member.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        let found = self.0.iter().find(|(other, _)| other == key);
        found.map(|(_, value)| value.get())
    }

    /// A member that is an object.
    pub(crate) fn object(&self, key: &str) -> Option<Self> {
        serde_json::from_str(self.get(key)?).ok()
    }

    /// A member that is a text.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.get(key)?).ok()
    }

    /// A member that is a list of objects.
    pub(crate) fn objects(&self, key: &str) -> Option<Vec<Self>> {
        serde_json::from_str(self.get(key)?).ok()
    }

    /// A member that is a whole number.
    pub(crate) fn number(&self, key: &str) -> Option<i64> {
        serde_json::from_str(self.get(key)?).ok()
    }
}

/// An object that is written, with its members in lines.
#[derive(Default)]
pub(crate) struct JsonWriter {
    members: Vec<(String, String)>,
}

impl JsonWriter {
    /// Adds a member with the text of its value, unless there is one already.
    pub(crate) fn raw(&mut self, key: &str, value: impl Into<String>) {
        if !self.members.iter().any(|(other, _)| other == key) {
            self.members.push((key.to_owned(), value.into()));
        }
    }

    /// Adds a text.
    pub(crate) fn text(&mut self, key: &str, value: &str) {
        self.raw(key, quoted(value));
    }

    /// The object, with its members indented below an indentation; in one line without one.
    pub(crate) fn finish(self, indent: Option<usize>) -> String {
        let members = self.members.iter().map(|(key, value)| {
            format!(
                "{}:{}{value}",
                quoted(key),
                if indent.is_some() { " " } else { "" }
            )
        });
        let members: Vec<_> = members.collect();
        match indent {
            _ if members.is_empty() => "{}".to_owned(),
            None => format!("{{{}}}", members.join(",")),
            Some(indent) => {
                let blanks = " ".repeat(indent);
                format!(
                    "{{\n{blanks}  {}\n{blanks}}}",
                    members.join(&format!(",\n{blanks}  "))
                )
            }
        }
    }
}

/// A text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
