//! Fields of a row.

use std::borrow::Cow;
use std::str::FromStr;

use crate::text::TextProblem;
use crate::text::fields::{PLY, RawSample, SCORE, value};
use crate::{EndReason, Sample, TeacherResult, TeacherScore};

/// A column of the format.
#[derive(Clone, Copy)]
enum Column {
    Game,
    Ply,
    Sfen,
    Move,
    Score,
    Result,
    Reason,
}

const NAMES: [&str; 7] = ["game", "ply", "sfen", "move", "score", "result", "reason"];

/// A row.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) sample: Sample,
    /// The game it belongs to, if it does.
    pub(super) game: Option<Membership>,
}

/// Game that a row is a part of.
#[derive(Debug)]
pub(super) struct Membership {
    /// Contents of the game column.
    pub(super) game: String,
    pub(super) reason: EndReason,
}

/// A row that cannot be read.
#[derive(Debug)]
pub(super) struct InvalidRow {
    pub(super) owner: Owner,
    pub(super) problem: TextProblem,
}

/// The game column of an invalid row.
#[derive(Debug)]
pub(super) enum Owner {
    /// The game column could not be found.
    Unknown,
    /// The row belongs to no game.
    Nobody,
    /// The game with this number.
    Game(String),
}

impl From<TextProblem> for InvalidRow {
    fn from(problem: TextProblem) -> Self {
        let owner = Owner::Unknown;
        Self { owner, problem }
    }
}

/// Positions of the columns in a row.
#[derive(Debug)]
pub(super) struct Columns {
    at: [Option<usize>; NAMES.len()],
    count: usize,
}

impl Columns {
    /// The columns of a header.
    pub(super) fn from_header(line: &str) -> Result<Self, TextProblem> {
        let fields = split(line)?;
        let at = NAMES.map(|name| {
            fields
                .iter()
                .position(|field| field.trim_ascii().eq_ignore_ascii_case(name))
        });
        for column in [Column::Sfen, Column::Move, Column::Score, Column::Result] {
            if at[column as usize].is_none() {
                return Err(TextProblem::Missing(NAMES[column as usize]));
            }
        }
        Ok(Self {
            at,
            count: fields.len(),
        })
    }

    /// Reads a row.
    pub(super) fn parse(&self, line: &str) -> Result<Row, InvalidRow> {
        let fields = split(line)?;
        if fields.len() != self.count {
            return Err(InvalidRow::from(TextProblem::FieldCount {
                found: fields.len(),
                expected: self.count,
            }));
        }
        // An empty field says nothing, like a column that is not there.
        let get = |column: Column| {
            let text = fields[self.at[column as usize]?].trim_ascii();
            (!text.is_empty()).then_some(text)
        };
        let game = get(Column::Game);
        row(get).map_err(|problem| InvalidRow {
            owner: game.map_or(Owner::Nobody, |game| Owner::Game(game.to_owned())),
            problem,
        })
    }
}

fn row<'a>(get: impl Fn(Column) -> Option<&'a str>) -> Result<Row, TextProblem> {
    let need = |column: Column| get(column).ok_or(TextProblem::Missing(NAMES[column as usize]));
    let reason = get(Column::Reason).map(reason).transpose()?;
    let game = get(Column::Game)
        .zip(reason)
        .map(|(game, reason)| Membership {
            game: game.to_owned(),
            reason,
        });
    let sfen = need(Column::Sfen)?;
    let mut ply = get(Column::Ply)
        .map(|text| parse("ply", text, PLY))
        .transpose()?;
    if game.is_some() && ply.is_none() {
        // Games know their plies, so the SFEN does.
        let last = sfen.split_ascii_whitespace().nth(3);
        ply = last.and_then(|last| last.parse().ok());
    }
    let sample = RawSample {
        sfen,
        mv: need(Column::Move)?,
        score: TeacherScore(parse("score", need(Column::Score)?, SCORE)?),
        result: result(need(Column::Result)?)?,
        ply,
    };
    Ok(Row {
        sample: sample.check()?,
        game,
    })
}

fn parse<T: FromStr>(
    field: &'static str,
    text: &str,
    expected: &'static str,
) -> Result<T, TextProblem> {
    text.parse().map_err(|_| value(field, text, expected))
}

fn result(text: &str) -> Result<TeacherResult, TextProblem> {
    TeacherResult::ALL
        .into_iter()
        .find(|result| text.eq_ignore_ascii_case(result.name()))
        .or_else(|| TeacherResult::from_number(text.parse().ok()?))
        .ok_or_else(|| value("result", text, "draw, black, white, 0, 1 or 2"))
}

fn reason(text: &str) -> Result<EndReason, TextProblem> {
    EndReason::KNOWN
        .into_iter()
        .find(|reason| {
            reason
                .name()
                .is_some_and(|name| text.eq_ignore_ascii_case(name))
        })
        .or_else(|| text.parse().ok().map(EndReason))
        .ok_or_else(|| {
            value(
                "reason",
                text,
                "an end reason's name or a number from 0 to 255",
            )
        })
}

/// The fields of a row.
fn split(line: &str) -> Result<Vec<Cow<'_, str>>, TextProblem> {
    if !line.contains('"') {
        return Ok(line.split(',').map(Cow::Borrowed).collect());
    }
    let mut fields = Vec::new();
    let mut rest = Some(line);
    while let Some(text) = rest {
        let (field, behind) = if let Some(quoted) = text.strip_prefix('"') {
            unquote(quoted).ok_or(TextProblem::Quote(fields.len() + 1))?
        } else {
            let end = text.find(',').unwrap_or(text.len());
            (Cow::Borrowed(&text[..end]), &text[end..])
        };
        fields.push(field);
        rest = match behind.strip_prefix(',') {
            None if !behind.is_empty() => return Err(TextProblem::Quote(fields.len())),
            next => next,
        };
    }
    Ok(fields)
}

/// Returns the contents of a quoted field whose opening quote has been read, and the text after it.
/// Two quotes stand for one.
fn unquote(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let mut field = String::new();
    let mut rest = text;
    loop {
        let (part, behind) = rest.split_once('"')?;
        field.push_str(part);
        match behind.strip_prefix('"') {
            Some(next) => {
                field.push('"');
                rest = next;
            }
            None => return Some((Cow::Owned(field), behind)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_split_at_commas_outside_of_quotes() {
        assert_eq!(split("a,,b").unwrap(), ["a", "", "b"]);
        assert_eq!(split("").unwrap(), [""]);
        assert_eq!(
            split(r#""a,b","c ""d""","",e"#).unwrap(),
            ["a,b", r#"c "d""#, "", "e"]
        );
        assert_eq!(split(r#""a",b,"#).unwrap(), ["a", "b", ""]);
        assert_eq!(split(r#"a,"b"#), Err(TextProblem::Quote(2)));
        assert_eq!(split(r#"a,"b"c"#), Err(TextProblem::Quote(2)));
    }
}
