//! Writing JKF.

use serde::Serialize;
use shogi_core::{Color, Position, Square};

use super::{
    Cell, DEEPEST, Data, Entry, HandCounts, Head, Initial, JsonMove, OrderedHeaders, Time, Times,
};
use crate::csa::csa_kind;
use crate::ending::GameEnding;
use crate::error::{LossKind, Losses};
use crate::record::advance;
use crate::record::{GameNodeId, GameRecord, Step};
use crate::start::Handicap;
use crate::text::one_line;
use crate::words::square;

/// Writes a game as JKF, in one line with its end.
///
/// # Panics
/// Never: strings and numbers always become JSON.
pub fn write_jkf(record: &GameRecord) -> (String, Losses) {
    let mut losses = Losses::default();
    let start = record.start();
    if start.ply() != 1 {
        losses.add(LossKind::MoveNumber, 1);
    }
    let handicap = Handicap::of(&start.clone().with_ply(1));
    let initial = match handicap.filter(|handicap| !handicap.is_newer()) {
        Some(handicap) => Initial {
            preset: handicap.jkf().to_owned(),
            data: None,
        },
        None => Initial {
            preset: "OTHER".to_owned(),
            data: Some(data_of(start)),
        },
    };
    let owned = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
    let head = json(&Head {
        header: OrderedHeaders(record.headers.iter().map(owned).collect()),
        initial,
    });
    let mut root = Entry::default();
    beside(record, GameRecord::ROOT, &mut root, &mut losses);
    let head = head.strip_suffix('}').unwrap_or(&head);
    let mut writer = JkfWriter {
        record,
        text: format!("{head},\"moves\":[{}", json(&root)),
        losses,
    };
    if let Some(&first) = record.node(GameRecord::ROOT).children().first() {
        writer.lines(first);
    }
    let JkfWriter {
        mut text, losses, ..
    } = writer;
    text.push_str("]}\n");
    (text, losses)
}

/// The JSON of something without maps of odd keys.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("strings and numbers become JSON")
}

struct JkfWriter<'a> {
    record: &'a GameRecord,
    text: String,
    losses: Losses,
}

/// What is known before a node is written.
#[derive(Clone)]
struct Before {
    position: Position,
    last_to: Option<Square>,
    /// Times of both players so far, in milliseconds.
    totals: [u64; 2],
    /// The number of the node in its game.
    depth: usize,
    /// Forks that it stands in.
    level: usize,
}

/// What is still to be written.
enum Task {
    Text(&'static str),
    /// A line from this node on; the first of a fork has no comma before it.
    Line(GameNodeId, Box<Before>, bool),
}

impl JkfWriter<'_> {
    /// The line that begins with `first`, and all that fork from it.
    fn lines(&mut self, first: GameNodeId) {
        let before = Before {
            position: self.record.start().clone(),
            last_to: None,
            totals: [0; 2],
            depth: 1,
            level: 0,
        };
        let mut tasks = vec![Task::Line(first, Box::new(before), false)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Text(text) => self.text.push_str(text),
                Task::Line(id, before, begins) => self.line(id, *before, begins, &mut tasks),
            }
        }
    }

    /// Writes a line up to the first node with forks; these, and what is left of the line, become tasks.
    fn line(&mut self, first: GameNodeId, mut before: Before, begins: bool, tasks: &mut Vec<Task>) {
        let record = self.record;
        let mut next = Some((first, begins));
        while let Some((id, begins)) = next {
            if !begins {
                self.text.push(',');
            }
            let parent = record.node(id).parent().unwrap_or(GameRecord::ROOT);
            let siblings = record.node(parent).children();
            let mut forks: &[GameNodeId] = if siblings.first() == Some(&id) {
                &siblings[1..]
            } else {
                &[]
            };
            if before.level == DEEPEST {
                self.losses.add(LossKind::Variations, forks.len());
                forks = &[];
            }
            let here = (!forks.is_empty()).then(|| Before {
                level: before.level + 1,
                ..before.clone()
            });
            let entry = self.entry(id, &mut before);
            let entry = json(&entry);
            let follows = record.node(id).children().first().copied();
            let Some(here) = here else {
                self.text.push_str(&entry);
                next = follows.map(|id| (id, false));
                continue;
            };
            let bare = entry.strip_suffix('}').unwrap_or(&entry);
            let comma = if bare.ends_with('{') { "" } else { "," };
            self.text.push_str(bare);
            self.text.push_str(comma);
            self.text.push_str("\"forks\":[");
            if let Some(follows) = follows {
                tasks.push(Task::Line(follows, Box::new(before), false));
            }
            tasks.push(Task::Text("]}"));
            for (index, &fork) in forks.iter().enumerate().rev() {
                tasks.push(Task::Text("]"));
                tasks.push(Task::Line(fork, Box::new(here.clone()), true));
                tasks.push(Task::Text(if index == 0 { "[" } else { ",[" }));
            }
            return;
        }
    }

    /// The entry of a node without its forks; `before` goes on to what is known behind it.
    fn entry(&mut self, id: GameNodeId, before: &mut Before) -> Entry<'static> {
        let record = self.record;
        let node = record.node(id);
        let mut entry = Entry::default();
        let side = record.side_at(before.depth - 1);
        match node.step() {
            Some(Step::Move(m) | Step::Illegal(m)) => {
                entry.mv = Some(JsonMove::of(&before.position, *m, before.last_to));
                before.last_to = Some(m.to());
            }
            Some(Step::End(ending)) => {
                let word = ending.csa(side).unwrap_or(ending.kif());
                if GameEnding::of_word(word, side).0 != *ending {
                    self.losses.add(LossKind::Endings, 1);
                }
                self.losses
                    .add(LossKind::EndingWords, usize::from(node.word.is_some()));
                entry.special = Some(word.to_owned());
            }
            None => {}
        }
        if let Some(step) = node.step() {
            advance(&mut before.position, step);
        }
        before.depth += 1;
        if let Some(time) = node.time {
            let total = &mut before.totals[side.index()];
            *total += time;
            self.losses
                .add(LossKind::Fractions, usize::from(!time.is_multiple_of(1000)));
            entry.time = Some(Times {
                now: Time::of(time / 1000, false),
                total: Some(Time::of(*total / 1000, true)),
            });
        }
        beside(record, id, &mut entry, &mut self.losses);
        entry
    }
}

impl Time {
    /// A time with hours always, or only when there are some.
    fn of(seconds: u64, with_hours: bool) -> Self {
        let hours = seconds / 3600;
        Self {
            h: (with_hours || hours > 0).then_some(hours),
            m: seconds / 60 % 60,
            s: seconds % 60,
        }
    }
}

fn beside(record: &GameRecord, id: GameNodeId, entry: &mut Entry<'_>, losses: &mut Losses) {
    let node = record.node(id);
    let comments = node.comments.iter();
    entry.comments = comments
        .map(|comment| one_line(comment, LossKind::Comments, losses).into_owned())
        .collect();
    losses.add(LossKind::Remarks, node.remarks.len());
    losses.add(LossKind::Bookmarks, usize::from(node.bookmark.is_some()));
}

fn data_of(position: &Position) -> Data {
    let cell = |file: usize, rank: usize| {
        let piece = square(file, rank).and_then(|square| position.piece_on(square));
        piece.map_or_else(Cell::default, |piece| Cell {
            color: Some(piece.color() as u8),
            kind: Some(csa_kind(piece.kind()).to_owned()),
        })
    };
    let hands = Color::ALL.into_iter().map(|color| {
        let mut counts = HandCounts::default();
        for (kind, count) in position.hand(color).iter() {
            *counts.count(kind) = count;
        }
        counts
    });
    Data {
        color: position.side_to_move() as u8,
        board: (1..=9)
            .map(|file| (1..=9).map(|rank| cell(file, rank)).collect())
            .collect(),
        hands: hands.collect(),
    }
}
