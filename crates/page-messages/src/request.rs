//! What a page says: requests, and commands about requests.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::PageFailure;

/// Something that a page says.
#[derive(Clone, Debug, PartialEq)]
pub enum PageCommand {
    /// A question or an order, to be answered.
    Request(PageRequest),
    /// Stop the request of this id.
    Stop(u64),
    /// The tab is visible, or hidden.
    Visible(bool),
}

/// A request of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct PageRequest {
    /// The number by which the page knows the answers.
    pub id: u64,
    /// What is asked for.
    pub op: String,
    /// A request to be stopped first.
    pub replaces: Option<u64>,
    /// All fields, those above included.
    pub fields: Map<String, Value>,
}

impl PageCommand {
    /// Parses a frame.
    ///
    /// # Errors
    ///
    /// A text that is no JSON object with what a command needs.
    pub fn parse(text: &str) -> Result<Self, PageFailure> {
        let fields: Map<String, Value> = serde_json::from_str(text)
            .map_err(|error| PageFailure::new(format!("no JSON object: {error}")))?;
        let number = |name: &str| fields.get(name).and_then(Value::as_u64);
        let id = || number("id").ok_or_else(|| PageFailure::new("id: a number was expected"));
        let op = fields.get("op").and_then(Value::as_str);
        let op = op.ok_or_else(|| PageFailure::new("op: the name of an operation was expected"))?;
        match op {
            "stop" => Ok(Self::Stop(id()?)),
            "visible" => match fields.get("on") {
                Some(Value::Bool(on)) => Ok(Self::Visible(*on)),
                _ => Err(PageFailure::new("visible: on: true or false was expected")),
            },
            op => Ok(Self::Request(PageRequest {
                id: id()?,
                op: op.to_owned(),
                replaces: number("replaces"),
                fields,
            })),
        }
    }
}

impl PageRequest {
    /// A request with fields, as a page would send it.
    ///
    /// ```
    /// use page_messages::PageRequest;
    /// use serde_json::json;
    ///
    /// let request = PageRequest::new(1, "position", json!({ "moves": ["f5"] }));
    /// assert_eq!(request.fields["moves"][0], "f5");
    /// ```
    pub fn new(id: u64, op: &str, fields: Value) -> Self {
        let fields = match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        Self {
            id,
            op: op.to_owned(),
            replaces: None,
            fields,
        }
    }

    /// The fields as a type; fields that it does not have are ignored.
    ///
    /// # Errors
    ///
    /// The field that is missing or of another kind.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, PageFailure> {
        serde_json::from_value(Value::Object(self.fields.clone()))
            .map_err(|error| PageFailure::new(format!("{}: {error}", self.op)))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize, Debug)]
    struct Fields {
        moves: Vec<String>,
    }

    #[test]
    fn commands_are_parsed_and_unknown_fields_ignored() {
        let parse = |text| PageCommand::parse(text).unwrap();
        assert_eq!(parse(r#"{"op":"stop","id":3}"#), PageCommand::Stop(3));
        assert_eq!(
            parse(r#"{"op":"visible","on":false}"#),
            PageCommand::Visible(false)
        );
        let request = parse(r#"{"id":17,"op":"hint","replaces":16,"moves":["f5"],"new":1}"#);
        let PageCommand::Request(request) = request else {
            panic!("{request:?}")
        };
        assert_eq!((request.id, request.replaces), (17, Some(16)));
        assert_eq!(request.read::<Fields>().unwrap().moves, ["f5"]);
        let other = PageRequest::new(1, "hint", serde_json::json!({ "moves": 3 }));
        let error = other.read::<Fields>().unwrap_err();
        assert!(error.text.starts_with("hint: invalid type"), "{error}");
    }

    #[test]
    fn what_is_no_command_says_why() {
        for (text, told) in [
            ("", "no JSON object"),
            ("[1]", "no JSON object"),
            ("{}", "op: "),
            (r#"{"op":"hint"}"#, "id: "),
            (r#"{"op":"hint","id":"1"}"#, "id: "),
            (r#"{"op":"hint","id":-1}"#, "id: "),
            (r#"{"op":"stop"}"#, "id: "),
            (r#"{"op":"visible","on":1}"#, "visible: on"),
        ] {
            let error = PageCommand::parse(text).unwrap_err();
            assert!(error.text.starts_with(told), "{text}: {error}");
        }
    }
}
