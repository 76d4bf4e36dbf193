//! The connection with the browser.

use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// How long anything may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// A connection, with what pages complained of on the way.
#[derive(Debug)]
pub(super) struct Wire {
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    last: u64,
    /// What pages complained of, each with its session.
    pub(super) complaints: Vec<(String, String)>,
}

pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

impl Wire {
    #[track_caller]
    pub(super) fn connect(address: &str) -> Self {
        Self::try_connect(address).expect("the browser answers")
    }

    pub(super) fn try_connect(address: &str) -> tungstenite::Result<Self> {
        let (socket, _) = tungstenite::connect(address)?;
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_nodelay(true)?;
        }
        Ok(Self {
            socket,
            last: 0,
            complaints: Vec::new(),
        })
    }

    /// Sends a command; returns its number.
    pub(super) fn post(
        &mut self,
        session: &str,
        method: &str,
        params: &Value,
    ) -> tungstenite::Result<u64> {
        self.last += 1;
        let mut command = json!({ "id": self.last, "method": method, "params": params });
        if !session.is_empty() {
            command["sessionId"] = session.into();
        }
        self.socket.send(Message::text(command.to_string()))?;
        Ok(self.last)
    }

    /// Sends a command and returns its result.
    #[track_caller]
    pub(super) fn call(&mut self, session: &str, method: &str, params: &Value) -> Value {
        self.ask(session, method, params)
            .unwrap_or_else(|error| panic!("{method} {params}: {error}"))
    }

    /// Sends a command and returns its result, or the browser's error.
    #[track_caller]
    pub(super) fn ask(
        &mut self,
        session: &str,
        method: &str,
        params: &Value,
    ) -> Result<Value, Value> {
        let posted = self.post(session, method, params);
        let id = posted.expect("the browser takes commands");
        loop {
            let message = self.socket.read().expect("the browser answers");
            let Message::Text(line) = message else {
                continue;
            };
            let answer: Value = serde_json::from_str(&line).expect("JSON");
            if answer["id"] == id {
                return match answer.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(answer["result"].clone()),
                };
            }
            self.note(&answer);
        }
    }

    /// Keeps what a page complains of.
    fn note(&mut self, event: &Value) {
        let params = &event["params"];
        let complaint = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => params["exceptionDetails"].to_string(),
            Some("Log.entryAdded") if params["entry"]["level"] == "error" => {
                params["entry"].to_string()
            }
            Some("Runtime.consoleAPICalled") if params["type"] == "error" => {
                params["args"].to_string()
            }
            _ => return,
        };
        self.complaints.push((text(&event["sessionId"]), complaint));
    }
}
