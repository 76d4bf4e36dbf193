//! A record with variations and notes, as it stands in messages.

use page_messages::{FailurePlace, PageFailure};
use serde::{Deserialize, Serialize};
use shogi_core::{Color, Position};
use shogi_kifu::{GameEnding, GameNodeId, GameRecord, RecordBuilder, Step};

use crate::fields::NamesChoice;
use crate::info_fields::{InfoFields, one_line};
use crate::line::position_of;

/// Nodes of a record at most.
const MOST_NODES: usize = 20_000;

/// A record as it stands in messages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordFields {
    /// The start position, if it is another than the usual one.
    pub(crate) sfen: Option<String>,
    pub(crate) info: InfoFields,
    /// Node 0 is the start; parents come before children.
    pub(crate) nodes: Vec<NodeFields>,
}

/// A score for black.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BlackScore {
    /// Centipawns.
    Cp(i32),
    /// Plies until black mates; negative until it is mated.
    Mate(i32),
}

/// A node of a record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct NodeFields {
    pub(crate) parent: Option<usize>,
    #[serde(rename = "move")]
    pub(crate) mv: Option<String>,
    /// The name of the move; it is not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// The rule that the move breaks, in Japanese; it is not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) illegal: Option<String>,
    /// The end of the line, in a word of CSA or KIF.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<String>,
    /// The end as people read it; it is not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) time_ms: Option<u64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) comment: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<BlackScore>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) depth: Option<u32>,
}

impl RecordFields {
    /// The fields of a record. Of moves against the rules only those that end a line are kept.
    pub(crate) fn of(record: &GameRecord, names: NamesChoice) -> Self {
        let mut fields = Self {
            sfen: Some(record.start().to_sfen()),
            info: InfoFields::of(record),
            nodes: Vec::new(),
        };
        let mut builder = RecordBuilder::new(record.start().clone());
        // The node, its parent's number, and how many steps lead to the parent.
        let mut waiting: Vec<(GameNodeId, Option<usize>, usize)> =
            vec![(GameRecord::ROOT, None, 0)];
        while let Some((id, parent, depth)) = waiting.pop() {
            let node = record.node(id);
            builder.back_to(depth);
            let before = builder.position().clone();
            let last_to = builder.last_to();
            let mut one = NodeFields::beside(record, id, parent);
            match node.step() {
                None => {}
                Some(Step::Move(m)) => {
                    one.mv = Some(m.to_string());
                    one.name = names.name(&before, *m, last_to);
                    builder.play(*m);
                }
                Some(Step::Illegal(m)) => {
                    let foul = shogi_kifu::Foul::of(&before, *m);
                    one.mv = Some(m.to_string());
                    one.illegal = Some(foul.map_or("反則", |foul| foul.japanese()).to_owned());
                    builder.play(*m);
                }
                Some(Step::End(ending)) => {
                    let side = builder.side();
                    one.end = Some(ending.csa(side).unwrap_or(ending.kif()).to_owned());
                    one.end_name = Some(node.word.as_deref().unwrap_or(ending.kif()).to_owned());
                    builder.end(ending.clone());
                }
            }
            let number = fields.nodes.len();
            let is_foul = one.illegal.is_some();
            fields.nodes.push(one);
            let depth = builder.depth();
            // Nobody knows the board behind a move against the rules.
            let follows = |child: &&GameNodeId| {
                !is_foul || matches!(record.node(**child).step(), Some(Step::End(_)))
            };
            let children = node.children().iter().filter(follows);
            waiting.extend(children.rev().map(|&child| (child, Some(number), depth)));
        }
        fields
    }

    /// The record of the fields.
    ///
    /// # Errors
    ///
    /// A start that is no position; a node whose parent does not come before it, or whose move is not legal there.
    pub(crate) fn record(&self) -> Result<GameRecord, PageFailure> {
        Ok(self.record_with_ids()?.0)
    }

    /// The same, with the nodes of the record in the order of the fields.
    ///
    /// # Errors
    ///
    /// As [`record`](Self::record).
    pub(crate) fn record_with_ids(&self) -> Result<(GameRecord, Vec<GameNodeId>), PageFailure> {
        let nodes = self.nodes.len();
        if nodes > MOST_NODES {
            let text = format!("{nodes} nodes are more than {MOST_NODES}");
            return Err(PageFailure::new(text));
        }
        let start = match &self.sfen {
            Some(sfen) => position_of("sfen", sfen)?,
            None => Position::startpos(),
        };
        let mut builder = RecordBuilder::new(start);
        let mut ids = vec![GameRecord::ROOT];
        if let Some(root) = self.nodes.first() {
            root.write_beside(&mut builder);
        }
        for (number, node) in self.nodes.iter().enumerate().skip(1) {
            let parent = node.parent.and_then(|parent| ids.get(parent).copied());
            let parent =
                parent.ok_or_else(|| wrong(number, "its parent does not come before it"))?;
            if builder.node() != parent {
                builder.go_to(parent);
            }
            node.add(&mut builder, number)?;
            ids.push(builder.node());
            node.write_beside(&mut builder);
        }
        self.info.write(builder.headers());
        builder.back_to(0);
        if !self.info.comment.is_empty() && builder.node_mut().comments.is_empty() {
            builder.node_mut().comments = lines(&self.info.comment);
        }
        Ok((builder.finish(), ids))
    }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(ToOwned::to_owned).collect()
}

fn wrong(number: usize, reason: &str) -> PageFailure {
    let place = FailurePlace {
        mv: Some(number as u64),
        ..FailurePlace::default()
    };
    PageFailure::new(format!("node {number}: {reason}")).at(place)
}

impl NodeFields {
    /// What is written beside a node.
    fn beside(record: &GameRecord, id: GameNodeId, parent: Option<usize>) -> Self {
        let node = record.node(id);
        let evaluation = node.evaluations().into_iter().next();
        Self {
            parent,
            time_ms: node.time,
            comment: node.comments.join("\n"),
            score: evaluation.as_ref().map(|found| match found.score {
                shogi_kifu::CommentScore::Centipawns(cp) => BlackScore::Cp(cp),
                shogi_kifu::CommentScore::Mate(winner, plies) => {
                    let plies = plies.map_or(1, |plies| plies.clamp(1, 10_000) as i32);
                    BlackScore::Mate(if winner == Color::Black {
                        plies
                    } else {
                        -plies
                    })
                }
            }),
            depth: evaluation.and_then(|found| found.depth),
            ..Self::default()
        }
    }

    /// Adds the move or the ending behind the current node.
    fn add(&self, builder: &mut RecordBuilder, number: usize) -> Result<(), PageFailure> {
        match (&self.mv, &self.end) {
            (Some(name), _) => {
                let text = shogi_core::MoveText::from_usi(name);
                let position = builder.position();
                let m = text.and_then(|text| match self.illegal {
                    Some(_) => position.complete(text),
                    None => position.move_from_text(text),
                });
                let is_played = m.is_some_and(|m| builder.play(m));
                let name = name.escape_debug();
                is_played.then_some(()).ok_or_else(|| {
                    wrong(number, &format!("'{name}' is not legal behind its parent"))
                })
            }
            (None, Some(word)) => {
                let side = builder.side();
                let ending = GameEnding::from_csa(word, side)
                    .or_else(|| GameEnding::from_kif(word))
                    .unwrap_or_else(|| GameEnding::Other(one_line(word)));
                builder
                    .end(ending)
                    .then_some(())
                    .ok_or_else(|| wrong(number, "its parent is an end"))
            }
            (None, None) => Err(wrong(number, "it has neither a move nor an end")),
        }
    }

    /// Writes what stands beside the current node.
    fn write_beside(&self, builder: &mut RecordBuilder) {
        let node = builder.node_mut();
        node.time = self.time_ms;
        node.comments = lines(&self.comment);
        // What comments say already stays in their own words.
        if let Some(score) = self.score
            && node.evaluations().is_empty()
        {
            node.comments.extend(score.comments(self.depth));
        }
    }
}

impl BlackScore {
    /// The comments by which programs of the field write an analysis.
    fn comments(self, depth: Option<u32>) -> Vec<String> {
        let value = match self {
            Self::Cp(cp) => format!("#評価値={cp}"),
            Self::Mate(plies) if plies < 0 => format!("#詰み=後手勝ち:{}手", plies.unsigned_abs()),
            Self::Mate(plies) => format!("#詰み=先手勝ち:{plies}手"),
        };
        let depth = depth.map(|depth| format!("#深さ={depth}"));
        std::iter::once(value).chain(depth).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn there_and_back(text: &str) -> (RecordFields, GameRecord) {
        let (_, mut games) = shogi_kifu::read_games(text.as_bytes()).unwrap();
        let record = games.remove(0).unwrap().record;
        let fields = RecordFields::of(&record, NamesChoice::Ja);
        let sent: RecordFields =
            serde_json::from_value(serde_json::to_value(&fields).unwrap()).unwrap();
        let back = sent.record().unwrap();
        assert_eq!(RecordFields::of(&back, NamesChoice::Ja), fields);
        (fields, record)
    }

    #[test]
    fn a_record_goes_there_and_back() {
        let text = "開始日時：2026/11/29 10:00\n先手：Ann\n後手：Bob\n備考：x\n手合割：平手\n*begin\n\
            1 ７六歩(77) ( 0:12/00:00:12)\n*first\n2 ３四歩(33)\n3 ２六歩(27)\n4 投了\n\n\
            変化：3手\n3 ２二角成(88)\n4 同　銀(31)\n";
        let (fields, record) = there_and_back(text);
        assert_eq!(fields.nodes.len(), 7);
        let info = &fields.info;
        assert_eq!(
            (info.black.as_str(), info.comment.as_str()),
            ("Ann", "begin")
        );
        assert_eq!((info.handicap.as_str(), info.more.len()), ("平手", 1));
        assert_eq!(fields.nodes[4].end.as_deref(), Some("TORYO"));
        assert_eq!(fields.nodes[5].parent, Some(2));
        assert_eq!(fields.nodes[6].name.as_deref(), Some("△同　銀"));
        assert_eq!(fields.nodes[1].time_ms, Some(12_000));
        let back = fields.record().unwrap();
        assert_eq!(back.variations(), record.variations());
        assert_eq!(back.ending(), record.ending());
    }

    #[test]
    fn scores_stand_in_comments() {
        let mut fields: RecordFields = serde_json::from_value(json!({ "nodes": [
            {}, { "parent": 0, "move": "7g7f", "score": { "cp": 34 }, "depth": 20 },
            { "parent": 1, "move": "3c3d", "score": { "mate": -5 } }] }))
        .unwrap();
        let record = fields.record().unwrap();
        let again = RecordFields::of(&record, NamesChoice::None);
        assert_eq!(again.nodes[1].score, Some(BlackScore::Cp(34)));
        assert_eq!(again.nodes[1].depth, Some(20));
        assert_eq!(again.nodes[2].score, Some(BlackScore::Mate(-5)));
        // Once is enough.
        fields.nodes[1].comment = again.nodes[1].comment.clone();
        let twice = RecordFields::of(&fields.record().unwrap(), NamesChoice::None);
        assert_eq!(twice.nodes[1].comment, again.nodes[1].comment);
    }

    #[test]
    fn moves_against_the_rules_end_a_line() {
        let text = "手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n3 ５五玉(59)\n4 反則勝ち\n";
        let (fields, _) = there_and_back(text);
        assert!(fields.nodes[3].illegal.is_some());
        assert!(fields.nodes[4].end.is_some());
    }

    #[test]
    fn wrong_nodes_are_named() {
        let read = |value| {
            serde_json::from_value::<RecordFields>(value)
                .unwrap()
                .record()
        };
        let root = json!({ "parent": null, "move": null });
        for (nodes, told) in [
            (
                json!([root, { "parent": 0, "move": "7g7e" }]),
                "node 1: '7g7e'",
            ),
            (
                json!([root, { "parent": 1, "move": "7g7f" }]),
                "node 1: its parent",
            ),
            (json!([root, { "parent": 0 }]), "node 1: it has neither"),
            (
                json!([root, { "parent": 0, "end": "TORYO" }, { "parent": 1, "end": "TORYO" }]),
                "node 2: its parent is an end",
            ),
        ] {
            let error = read(json!({ "nodes": nodes })).unwrap_err();
            assert!(error.text.starts_with(told), "{error}");
        }
        assert!(read(json!({ "sfen": "X" })).is_err());
        assert!(read(json!({})).unwrap().moves().next().is_none());
    }
}
