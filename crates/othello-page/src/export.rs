//! `export`: a game or its last position as text.

use std::collections::BTreeMap;

use othello_core::Square;
use othello_engine::{BoardPicture, PictureMarks};
use othello_record::{OthelloFormat, OthelloRecord};
use page_messages::PageFailure;
use serde::{Deserialize, Serialize};

use crate::game_fields::GameFields;
use crate::line::LineFields;

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ExportRequest {
    format: String,
    #[serde(default)]
    game: Option<GameFields>,
    #[serde(flatten)]
    line: LineFields,
    /// Values that a picture shows.
    #[serde(default)]
    values: BTreeMap<String, i32>,
    /// True if a picture shows the numbers of moves.
    #[serde(default)]
    numbers: bool,
}

/// The text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ExportFields {
    text: String,
    file_name: String,
    media_type: &'static str,
    losses: Vec<&'static str>,
}

/// Answers `export`.
pub(crate) fn export(request: &ExportRequest) -> Result<ExportFields, PageFailure> {
    let record = match &request.game {
        Some(game) => game.record()?,
        None => OthelloRecord::from(&request.line.game()?),
    };
    if request.format == "svg" {
        return picture(request, &record);
    }
    let format: OthelloFormat = request.format.parse().map_err(|()| {
        let names: Vec<_> = OthelloFormat::all().map(OthelloFormat::name).collect();
        let names = names.join(", ");
        let format = &request.format;
        PageFailure::new(format!(
            "'{format}' is no format: one of {names}, svg was expected"
        ))
    })?;
    let (text, losses) = format.write(&record);
    Ok(ExportFields {
        text,
        file_name: format!("game.{}", format.extension()),
        media_type: match format.extension() {
            "json" => "application/json",
            _ => "text/plain",
        },
        losses: losses.iter().map(|(name, _)| name).collect(),
    })
}

fn picture(request: &ExportRequest, record: &OthelloRecord) -> Result<ExportFields, PageFailure> {
    let value = |(name, &value): (&String, &i32)| {
        let square: Square = name.parse().map_err(|error| PageFailure::of(&error))?;
        Ok((square, value))
    };
    let values: Vec<_> = request
        .values
        .iter()
        .map(value)
        .collect::<Result<_, PageFailure>>()?;
    let marks = if request.numbers {
        PictureMarks::Numbers
    } else {
        PictureMarks::LastMove
    };
    let game = record.game();
    Ok(ExportFields {
        text: BoardPicture::new(&game, marks).values(&values).to_string(),
        file_name: "board.svg".to_owned(),
        media_type: "image/svg+xml",
        losses: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn exported(fields: serde_json::Value) -> Result<ExportFields, PageFailure> {
        export(&serde_json::from_value(fields).unwrap())
    }

    #[test]
    fn lines_and_games_are_written_in_all_formats() {
        let text = |format: &str| {
            let fields = json!({ "format": format, "moves": ["f5", "d6"] });
            exported(fields).unwrap().text
        };
        assert_eq!(text("transcript"), "f5d6\n");
        assert_eq!(text("bitboards").matches("0x").count(), 2);
        assert!(text("svg").starts_with("<svg "));
        for format in OthelloFormat::all() {
            assert!(!text(format.name()).is_empty(), "{format}");
        }
        let game = json!({ "nodes": [{}, { "parent": 0, "move": "f5", "comment": "hm" }, { "parent": 0, "move": "d3" }] });
        let sgf = exported(json!({ "format": "sgf", "game": game })).unwrap();
        assert!(
            sgf.text.contains("C[hm]") && sgf.losses.is_empty(),
            "{sgf:?}"
        );
        let transcript = exported(json!({ "format": "transcript", "game": game })).unwrap();
        assert_eq!(transcript.losses, ["variations", "comments"]);
    }

    #[test]
    fn unknown_formats_and_squares_are_errors() {
        let error = exported(json!({ "format": "doc" })).unwrap_err();
        assert!(
            error
                .text
                .starts_with("'doc' is no format: one of transcript, ")
        );
        assert!(exported(json!({ "format": "svg", "values": { "z9": 1 } })).is_err());
        assert!(exported(json!({ "format": "ggf", "moves": ["a1"] })).is_err());
    }
}
