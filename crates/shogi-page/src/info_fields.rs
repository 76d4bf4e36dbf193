//! What a record says about its game, as it stands in messages.

use serde::{Deserialize, Serialize};
use shogi_core::Color;
use shogi_kifu::{GameRecord, Headers};

/// Names of headers with fields of their own, the one that is written first.
const DATE: [&str; 3] = ["開始日時", "対局日", "終了日時"];
const EVENT: [&str; 1] = ["棋戦"];
const PLACE: [&str; 1] = ["場所"];
const TIME: [&str; 1] = ["持ち時間"];
const HANDICAP: [&str; 1] = ["手合割"];

/// What a record says about the game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct InfoFields {
    pub(crate) black: String,
    pub(crate) white: String,
    pub(crate) date: String,
    pub(crate) event: String,
    pub(crate) place: String,
    pub(crate) time_control: String,
    /// The name of the start position; it is not read.
    pub(crate) handicap: String,
    pub(crate) comment: String,
    /// Other headers, by their names.
    pub(crate) more: Vec<(String, String)>,
}

/// A text without line breaks.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl InfoFields {
    /// The fields of a record.
    pub(crate) fn of(record: &GameRecord) -> Self {
        let headers = &record.headers;
        let first = |names: &[&str]| {
            let found = names.iter().find_map(|name| headers.get(name));
            found.unwrap_or_default().to_owned()
        };
        let date = DATE.iter().find(|name| headers.get(name).is_some());
        let has_field = |name: &str| {
            [
                &EVENT[..],
                &PLACE,
                &TIME,
                &HANDICAP,
                &Headers::BLACK,
                &Headers::WHITE,
            ]
            .iter()
            .any(|names| names.contains(&name))
                || date.is_some_and(|date| *date == name)
        };
        let more = headers.iter().filter(|(name, _)| !has_field(name));
        let player = |color| headers.player(color).unwrap_or_default().to_owned();
        Self {
            black: player(Color::Black),
            white: player(Color::White),
            date: first(&DATE),
            event: first(&EVENT),
            place: first(&PLACE),
            time_control: first(&TIME),
            handicap: match record.handicap() {
                Some(handicap) => handicap.kif().to_owned(),
                None => "その他".to_owned(),
            },
            comment: record.node(GameRecord::ROOT).comments.join("\n"),
            more: more
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
        }
    }

    /// Writes the fields as headers.
    pub(crate) fn write(&self, headers: &mut Headers) {
        let fields = [
            (DATE[0], &self.date),
            (EVENT[0], &self.event),
            (PLACE[0], &self.place),
            (TIME[0], &self.time_control),
            (Headers::BLACK[0], &self.black),
            (Headers::WHITE[0], &self.white),
        ];
        for (name, value) in fields {
            let value = one_line(value);
            if !value.is_empty() {
                headers.set(name, value);
            }
        }
        for (name, value) in &self.more {
            let name = one_line(name).replace(['：', ':'], "");
            if !name.is_empty() && !HANDICAP.contains(&name.as_str()) {
                headers.set(name, one_line(value));
            }
        }
    }
}
