//! A record with variations and notes, as it stands in messages.

use std::time::Duration;

use othello_core::{Move, Position};
use othello_record::{
    DiscValue, MoveNote, OthelloInfo, OthelloNodeId, OthelloOutcome, OthelloPlayer, OthelloRecord,
    OthelloResult,
};
use page_messages::{FailurePlace, PageFailure};
use serde::{Deserialize, Serialize};

use crate::fields::{move_name, move_of};

/// Nodes of a record at most.
const MOST_NODES: usize = 20_000;

/// A record as it stands in messages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GameFields {
    /// The start position, if it is another than the usual one.
    pub(crate) start: Option<String>,
    pub(crate) info: InfoFields,
    /// Node 0 is the start; parents come before children.
    pub(crate) nodes: Vec<NodeFields>,
}

/// What a record says about the game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct InfoFields {
    black: String,
    white: String,
    date: String,
    event: String,
    round: String,
    place: String,
    time_control: String,
    comment: String,
    /// The result as a text; it is not read.
    result: Option<String>,
    /// The final difference for black.
    black_score: Option<i32>,
}

/// A node of a record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct NodeFields {
    parent: Option<usize>,
    #[serde(rename = "move")]
    mv: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    black_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_ms: Option<u64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    comment: String,
}

impl GameFields {
    /// The fields of a record.
    pub fn of(record: &OthelloRecord) -> Self {
        let info = &record.info;
        let result = record.result();
        // Nodes have their numbers as messages have them.
        let numbers: Vec<OthelloNodeId> = record.ids().collect();
        let number = |id: OthelloNodeId| numbers.binary_search(&id).ok();
        let node = |id: OthelloNodeId| {
            let node = record.node(id);
            NodeFields {
                parent: node.parent().and_then(number),
                mv: node.mv().map(move_name),
                black_value: node.note.value.map(|value| f64::from(value.0) / 100.0),
                level: node.note.level,
                time_ms: node.note.time.map(|time| time.as_millis() as u64),
                comment: node.note.comment.clone(),
            }
        };
        Self {
            start: Some(record.start().to_string()),
            info: InfoFields {
                black: info.black.name.clone(),
                white: info.white.name.clone(),
                date: info.date.clone(),
                event: info.event.clone(),
                round: info.round.clone(),
                place: info.place.clone(),
                time_control: info.time_control.clone(),
                comment: info.comment.clone(),
                result: result.map(|result| result.to_string()),
                black_score: result.and_then(OthelloResult::score),
            },
            nodes: numbers.iter().map(|&id| node(id)).collect(),
        }
    }

    /// The record of the fields.
    ///
    /// # Errors
    ///
    /// A start that is no board; a node whose parent does not come before it, or whose move is not legal there.
    pub fn record(&self) -> Result<OthelloRecord, PageFailure> {
        if self.nodes.len() > MOST_NODES {
            let nodes = self.nodes.len();
            return Err(PageFailure::new(format!(
                "{nodes} nodes are more than {MOST_NODES}"
            )));
        }
        let start = match &self.start {
            Some(board) => board
                .parse()
                .map_err(|error| PageFailure::new(format!("start: {error}")))?,
            None => Position::START,
        };
        let mut record = OthelloRecord::new(start);
        let mut ids = vec![OthelloRecord::ROOT];
        if let Some(root) = self.nodes.first() {
            *record.note_mut(OthelloRecord::ROOT) = root.note();
        }
        for (n, fields) in self.nodes.iter().enumerate().skip(1) {
            let id = fields.add(&mut record, &ids);
            let id = id.ok_or_else(|| fields.wrong(n))?;
            ids.push(id);
            *record.note_mut(id) = fields.note();
        }
        let player = |name: &String| OthelloPlayer {
            name: name.clone(),
            rating: String::new(),
        };
        let info = &self.info;
        record.info = OthelloInfo {
            black: player(&info.black),
            white: player(&info.white),
            date: info.date.clone(),
            event: info.event.clone(),
            round: info.round.clone(),
            place: info.place.clone(),
            time_control: info.time_control.clone(),
            comment: info.comment.clone(),
            ..OthelloInfo::default()
        };
        let score = info.black_score.filter(|score| (-64..=64).contains(score));
        record.set_result(score.map(|score| OthelloResult::played(OthelloOutcome::Score(score))));
        Ok(record)
    }
}

impl NodeFields {
    fn add(&self, record: &mut OthelloRecord, ids: &[OthelloNodeId]) -> Option<OthelloNodeId> {
        let parent = *ids.get(self.parent?)?;
        match move_of(self.mv.as_deref()?)? {
            Move::Place(square) => record.add_square(parent, square),
            Move::Pass => record.add(parent, Move::Pass),
        }
    }

    fn wrong(&self, number: usize) -> PageFailure {
        let mv = self.mv.as_deref().unwrap_or_default();
        let place = FailurePlace {
            mv: Some(number as u64),
            ..FailurePlace::default()
        };
        PageFailure::new(format!(
            "node {number}: '{mv}' is not legal behind its parent"
        ))
        .at(place)
    }

    fn note(&self) -> MoveNote {
        let hundredths = |value: f64| (value * 100.0).round().clamp(-6_400.0, 6_400.0) as i32;
        MoveNote {
            value: self.black_value.map(|value| DiscValue(hundredths(value))),
            level: self.level,
            time: self.time_ms.map(Duration::from_millis),
            comment: self.comment.clone(),
            extras: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_record_goes_there_and_back() {
        let text = "(;GM[2]PB[Ann]PW[Bob]DT[2026-11-28];B[f5]C[begin];W[d6](;B[c3]V[1.5])(;B[c4]))";
        let records =
            othello_record::read_records(text.as_bytes(), &othello_record::WthorNames::default());
        let record = records[0].as_ref().unwrap().record.clone();
        let fields = GameFields::of(&record);
        assert_eq!(fields.nodes.len(), 5);
        assert_eq!(
            (fields.nodes[4].parent, fields.info.white.as_str()),
            (Some(2), "Bob")
        );
        let sent: GameFields =
            serde_json::from_value(serde_json::to_value(&fields).unwrap()).unwrap();
        let back = sent.record().unwrap();
        assert_eq!(GameFields::of(&back), fields);
        assert_eq!(back.game(), record.game());
    }

    #[test]
    fn wrong_nodes_are_named() {
        let read = |value| {
            serde_json::from_value::<GameFields>(value)
                .unwrap()
                .record()
        };
        let root = json!({ "parent": null, "move": null });
        for (nodes, told) in [
            (json!([root, { "parent": 0, "move": "a1" }]), "node 1: 'a1'"),
            (json!([root, { "parent": 1, "move": "f5" }]), "node 1: 'f5'"),
            (
                json!([root, { "parent": null, "move": "f5" }]),
                "node 1: 'f5'",
            ),
            (json!([root, { "parent": 0 }]), "node 1: ''"),
        ] {
            let error = read(json!({ "nodes": nodes })).unwrap_err();
            assert!(error.text.starts_with(told), "{error}");
        }
        assert!(read(json!({ "start": "X" })).is_err());
        assert_eq!(read(json!({})).unwrap(), OthelloRecord::default());
    }
}
