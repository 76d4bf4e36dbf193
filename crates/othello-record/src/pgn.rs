//! Games with tags as in chess, and numbered moves; comments in braces, with `[%eval 1.50]` (discs for black) and
//! `[%emt 0.250]` (seconds) in them.

use std::time::Duration;

use othello_core::{Move, Position, Side};

use crate::losses::{RecordLoss, RecordLosses};
use crate::writing::{one_line, steps};

use crate::result::parse_result;
use crate::side::fold;
use crate::tree::{GameVariant, MoveNote, OthelloRecord, RecordExtra};
use crate::{Error, OthelloFormat, boards, transcript};

/// Reads a game.
pub(crate) fn read(text: &str) -> Result<OthelloRecord, Error> {
    let mut rest = text.trim_start_matches('\u{feff}');
    let (mut tags, mut start, mut result) = (Vec::new(), Position::START, None);
    while let Some((name, value, behind)) = tag(rest) {
        let is_start =
            ["fen", "board", "position", "setup"].contains(&name.to_lowercase().as_str());
        if is_start && boards::is_board(&fold(value)) {
            start = boards::parse_board(&fold(value))?.positions[0];
        } else if name.eq_ignore_ascii_case("result") && parse_result(value).is_some() {
            result = parse_result(value);
        } else {
            tags.push((name, unescaped(value)));
        }
        rest = behind;
    }
    let lines: Vec<_> = rest.lines().map(without_comment).collect();
    if lines.iter().any(|line| is_tag(line)) {
        return Err(Error::Several(2));
    }
    let read = transcript::parse_with_comments(start, &lines.join("\n"))?;
    let mut record = OthelloRecord::from(&read.game);
    let played: Vec<_> = record.main_line().collect();
    for (ply, comment) in read.comments {
        let note = record.note_mut(played[ply]);
        take_comment(note, &comment);
    }
    for (name, value) in tags {
        let info = &mut record.info;
        let field = match name {
            "Black" => &mut info.black.name,
            "White" => &mut info.white.name,
            "BlackElo" => &mut info.black.rating,
            "WhiteElo" => &mut info.white.rating,
            "Event" => &mut info.event,
            "Round" => &mut info.round,
            "Site" => &mut info.place,
            "Date" => &mut info.date,
            "TimeControl" => &mut info.time_control,
            "Comment" => &mut info.comment,
            "Result" if value == "*" => continue,
            "Variant" if GameVariant::of_name(&value).is_some() => {
                info.variant = GameVariant::of_name(&value).unwrap_or_default();
                continue;
            }
            _ => {
                info.extras.push(RecordExtra {
                    format: OthelloFormat::Pgn,
                    key: name.to_owned(),
                    value,
                });
                continue;
            }
        };
        // Question marks are for what is not known.
        if ["?", "????.??.??"].contains(&&value[..]) {
            continue;
        }
        *field = value;
    }
    record.set_result(result.or_else(|| parse_result(&read.result?)));
    Ok(record)
}

/// A line without the comment behind `;`, which is none within braces.
fn without_comment(line: &str) -> &str {
    let mut depth = 0usize;
    for (at, c) in line.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => return &line[..at],
            _ => {}
        }
    }
    line
}

/// Takes a comment with its commands.
fn take_comment(note: &mut MoveNote, comment: &str) {
    let mut text = comment.trim().to_owned();
    while let Some((before, command, value, behind)) = command(&text) {
        let is_known = match command {
            "eval" => value
                .parse()
                .is_ok_and(|value| note.value.replace(value).is_none()),
            "emt" => seconds(value).is_some_and(|time| note.time.replace(time).is_none()),
            "level" => value
                .parse()
                .is_ok_and(|level| note.level.replace(level).is_none()),
            _ => false,
        };
        if !is_known {
            break;
        }
        let rest = [before, behind].concat();
        text.clear();
        text.push_str(rest.trim());
    }
    if !note.comment.is_empty() && !text.is_empty() {
        note.comment.push('\n');
    }
    note.comment.push_str(&text);
}

/// The first command of a comment, `[%eval 1.5]`: the text before it, its name, its value, the text behind.
fn command(text: &str) -> Option<(&str, &str, &str, &str)> {
    let (before, rest) = text.split_once("[%")?;
    let (inside, behind) = rest.split_once(']')?;
    let (name, value) = inside.split_once(' ')?;
    Some((before, name, value.trim(), behind))
}

/// `0.25`, `1:30`, `0:01:30`.
fn seconds(text: &str) -> Option<Duration> {
    let mut seconds = 0.0;
    for part in text.split(':') {
        let part: f64 = part.parse().ok()?;
        seconds = seconds * 60.0 + part;
    }
    (0.0..1e9)
        .contains(&seconds)
        .then(|| Duration::from_millis((seconds * 1000.0).round() as u64))
}

fn unescaped(value: &str) -> String {
    // A tag ends at the first quotation mark: they are written as two apostrophes.
    value.replace("''", "\"")
}

/// Writes the line that is played.
pub(crate) fn write(record: &OthelloRecord, losses: &mut RecordLosses) -> String {
    let info = &record.info;
    let mut text = String::new();
    let result = record.result().map(|result| {
        losses.check_end(result);
        result.to_string()
    });
    let start = (record.start() != Position::START).then(|| record.start().to_string());
    let mut or = |value: &str, unknown: &str| {
        let line = one_line(value);
        losses.add(RecordLoss::Names, usize::from(line != value));
        if line.is_empty() {
            unknown.to_owned()
        } else {
            line
        }
    };
    let tags = [
        ("Event", or(&info.event, "?")),
        ("Site", or(&info.place, "?")),
        ("Date", or(&info.date, "????.??.??")),
        ("Round", or(&info.round, "?")),
        ("Black", or(&info.black.name, "?")),
        ("White", or(&info.white.name, "?")),
        ("Result", result.unwrap_or_else(|| "*".to_owned())),
        ("BlackElo", info.black.rating.clone()),
        ("WhiteElo", info.white.rating.clone()),
        ("TimeControl", info.time_control.clone()),
        ("Comment", info.comment.clone()),
        ("Board", start.unwrap_or_default()),
        (
            "Variant",
            match info.variant {
                GameVariant::Standard => String::new(),
                GameVariant::Anti => GameVariant::Anti.name().to_owned(),
            },
        ),
    ];
    let own = info
        .extras
        .iter()
        .filter(|extra| extra.format == OthelloFormat::Pgn);
    let own = own.map(|extra| (extra.key.as_str(), extra.value.clone()));
    for (name, value) in tags.into_iter().chain(own) {
        let line = one_line(&value);
        let kind = if name == "Comment" {
            RecordLoss::Comments
        } else {
            RecordLoss::Properties
        };
        losses.add(kind, usize::from(line != value));
        if !line.is_empty() {
            let tag = format!("[{name} \"{}\"]\n", line.replace('"', "''"));
            text.push_str(&tag);
        }
    }
    losses.foreign(&info.extras, OthelloFormat::Pgn);
    losses.variations(record);
    text.push('\n');
    let mut words = Words::default();
    words.comment(&record.node(OthelloRecord::ROOT).note, losses);
    let mut played: Vec<_> = steps(record).collect();
    // A pass at the end would be read as a part of the result.
    while let Some((id, _, Move::Pass)) = played.last() {
        losses.whole_note(&record.node(*id).note);
        played.pop();
    }
    for (ply, (id, side, mv)) in played.into_iter().enumerate() {
        if side == Side::Black || ply == 0 {
            let of_white = usize::from(record.start().side() == Side::White);
            words.push(&format!("{}.", usize::midpoint(ply, of_white) + 1));
        }
        words.push(&match mv {
            Move::Pass => "--".to_owned(),
            Move::Place(square) => square.to_string(),
        });
        words.comment(&record.node(id).note, losses);
    }
    if let Some(result) = record.info.result {
        words.push(&result.to_string());
    }
    text.push_str(words.0.trim_end());
    text.push('\n');
    text
}

/// Words in lines of usual length.
#[derive(Default)]
struct Words(String);

impl Words {
    fn push(&mut self, word: &str) {
        let line = self.0.len() - self.0.rfind('\n').map_or(0, |at| at + 1);
        if line > 0 {
            self.0
                .push(if line + word.len() >= 80 { '\n' } else { ' ' });
        }
        self.0.push_str(word);
    }

    fn comment(&mut self, note: &MoveNote, losses: &mut RecordLosses) {
        let mut parts = Vec::new();
        if let Some(value) = note.value {
            parts.push(format!("[%eval {value}]"));
        }
        if let Some(level) = note.level {
            parts.push(format!("[%level {level}]"));
        }
        if let Some(time) = note.time {
            parts.push(format!("[%emt {:.3}]", time.as_secs_f64()));
        }
        if !note.comment.is_empty() {
            let comment = note.comment.replace('{', "(").replace('}', ")");
            let comment = one_line(&comment);
            losses.add(RecordLoss::Comments, usize::from(comment != note.comment));
            if !comment.is_empty() {
                parts.push(comment);
            }
        }
        losses.add(RecordLoss::Properties, note.extras.len());
        if !parts.is_empty() {
            self.push(&format!("{{{}}}", parts.join(" ")));
        }
    }
}

/// Returns whether a text begins with a tag, `[Name "value"]`.
pub(crate) fn is_tag(text: &str) -> bool {
    tag(text).is_some()
}

/// Splits off the leading tag: its name, its value, the rest.
pub(crate) fn tag(text: &str) -> Option<(&str, &str, &str)> {
    let inside = text.trim_start().strip_prefix('[')?;
    let (name, rest) = inside.split_once(char::is_whitespace)?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let rest = rest.trim_start().strip_prefix('"').filter(|_| is_name)?;
    let (value, rest) = rest.split_once('"')?;
    let rest = rest.trim_start().strip_prefix(']')?;
    Some((name, value, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_with_tags_and_comments_are_read_as_they_are_written() {
        let text = "[Event \"Spring\"]\n[Site \"Oita\"]\n[Date \"2024.05.01\"]\n[Round \"3\"]\n[Black \"太郎ー\"]\n[White \"?\"]\n[Result \"45-19\"]\n\
                    [Annotator \"x ''y''\"]\n\n{first} 1. f5 {[%eval 1.5] [%emt 0:01.25] good; very} d6 2. c3 ; rest\nd3 3. c4 45-19\n";
        let record = read(text).unwrap();
        assert_eq!(record.game().to_string(), "f5d6c3d3c4");
        assert_eq!(
            (&record.info.black.name[..], &record.info.white.name[..]),
            ("太郎ー", "")
        );
        assert_eq!(record.info.extras[0].value, "x \"y\"");
        let notes: Vec<_> = record
            .main_line()
            .map(|id| record.node(id).note.clone())
            .collect();
        assert_eq!(
            (&notes[0].comment[..], &notes[1].comment[..]),
            ("first", "good; very")
        );
        assert_eq!(notes[1].time, Some(Duration::from_millis(1250)));
        assert_eq!(
            record.result().map(|result| result.to_string()).as_deref(),
            Some("B+26")
        );
        let mut losses = RecordLosses::default();
        let written = write(&record, &mut losses);
        assert_eq!(read(&written).as_ref(), Ok(&record), "{written}");
        assert!(losses.is_empty(), "{losses}");
        assert_eq!(read("[A \"x\"]\n\nf5\n[B \"y\"]\n"), Err(Error::Several(2)));
    }
}
