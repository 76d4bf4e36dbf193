//! `export`: a game or its last position as text.

use page_messages::PageFailure;
use serde::{Deserialize, Serialize};
use shogi_core::{Color, Move, Position};
use shogi_kifu::{
    BoardLabels, BoardSvg, CsaVersion, GameRecord, KifuFormat, RecordBuilder, write_bod,
};

use crate::fields::{NamesChoice, SideName};
use crate::game_fields::RecordFields;
use crate::line::LineFields;

/// Arrows of a picture at most.
const MOST_ARROWS: usize = 100;

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ExportRequest {
    format: String,
    #[serde(default)]
    game: Option<RecordFields>,
    #[serde(flatten)]
    line: LineFields,
    /// Moves that a picture shows as arrows.
    #[serde(default)]
    arrows: Vec<String>,
    /// Who sits at the bottom of a picture.
    #[serde(default)]
    side: Option<SideName>,
    /// True if the names of the players are in a picture.
    #[serde(default)]
    title: bool,
    /// The language of a picture.
    #[serde(default)]
    lang: NamesChoice,
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
        // A position is that of the line, which may go along a variation.
        Some(game) if is_of_game(&request.format) => game.record()?,
        Some(game) if request.line.moves.is_empty() && request.line.sfen.is_none() => {
            game.record()?
        }
        _ => record_of(&request.line)?,
    };
    let end = || record.position_at(usize::MAX);
    let position = |text, extension: &str| ExportFields {
        text,
        file_name: format!("position.{extension}"),
        media_type: "text/plain",
        losses: Vec::new(),
    };
    match request.format.as_str() {
        "sfen" => Ok(position(format!("{}\n", end().0.to_sfen()), "sfen")),
        "bod" => Ok(position(write_bod(&end().0), "bod")),
        "svg" => picture(request, &record),
        name => game(name, &record),
    }
}

/// Returns whether a format holds games.
fn is_of_game(format: &str) -> bool {
    format.parse::<KifuFormat>().is_ok()
}

fn record_of(line: &LineFields) -> Result<GameRecord, PageFailure> {
    let mut game = line.game()?;
    let moves: Vec<Move> = game.moves().collect();
    while game.undo().is_some() {}
    let mut builder = RecordBuilder::new(game.position().clone());
    for m in moves {
        builder.play(m);
    }
    Ok(builder.finish())
}

fn game(name: &str, record: &GameRecord) -> Result<ExportFields, PageFailure> {
    let format: KifuFormat = name.parse().map_err(|_| {
        let names: Vec<_> = KifuFormat::ALL.map(KifuFormat::name).to_vec();
        let (name, names) = (name.escape_debug(), names.join(", "));
        PageFailure::new(format!(
            "'{name}' is no format: one of {names}, sfen, bod, svg was expected"
        ))
    })?;
    let (text, losses) = format.write(record, CsaVersion::V22);
    Ok(ExportFields {
        text,
        file_name: format!("game.{}", format.extension()),
        media_type: match format {
            KifuFormat::Jkf => "application/json",
            _ => "text/plain",
        },
        losses: losses.iter().map(|(kind, _)| kind.name()).collect(),
    })
}

fn picture(request: &ExportRequest, record: &GameRecord) -> Result<ExportFields, PageFailure> {
    let (position, last) = record.position_at(usize::MAX);
    if request.arrows.len() > MOST_ARROWS {
        let arrows = request.arrows.len();
        return Err(PageFailure::new(format!(
            "{arrows} arrows are more than {MOST_ARROWS}"
        )));
    }
    let arrow = |name: &String| arrow(&position, name);
    let arrows = request.arrows.iter().map(arrow);
    let arrows = arrows.collect::<Result<Vec<Move>, PageFailure>>()?;
    let captions = if request.title {
        captions(request, record)
    } else {
        Vec::new()
    };
    let labels = match request.lang {
        NamesChoice::En => BoardLabels::ENGLISH,
        NamesChoice::Ja | NamesChoice::None => BoardLabels::JAPANESE,
    };
    let svg = BoardSvg::new(&position)
        .last_move(last)
        .arrows(&arrows)
        .captions(&captions)
        .bottom(request.side.map_or(Color::Black, Color::from))
        .labels(labels);
    Ok(ExportFields {
        text: svg.to_string(),
        file_name: "board.svg".to_owned(),
        media_type: "image/svg+xml",
        losses: Vec::new(),
    })
}

/// A move that an arrow shows, of the side to move or of the other one.
fn arrow(position: &Position, name: &str) -> Result<Move, PageFailure> {
    let wrong = || PageFailure::new(format!("arrows: '{}' is no move", name.escape_debug()));
    let text = shogi_core::MoveText::from_usi(name).ok_or_else(wrong)?;
    let other = || {
        let mut setup = position.to_setup();
        setup.side = setup.side.flip();
        let diagram = shogi_core::Diagram::from_setup(&setup).ok()?;
        diagram.pieces().complete(text)
    };
    position.complete(text).or_else(other).ok_or_else(wrong)
}

/// The names of the players.
fn captions(request: &ExportRequest, record: &GameRecord) -> Vec<String> {
    // The headers of a game whose position is that of a line stand in the game alone.
    let info = request.game.as_ref().map(|game| &game.info);
    let name = |color, of_game: Option<&String>| {
        let of_record = record.headers.player(color).unwrap_or_default();
        of_game.map_or(of_record, String::as_str).to_owned()
    };
    let black = name(Color::Black, info.map(|info| &info.black));
    let white = name(Color::White, info.map(|info| &info.white));
    if black.is_empty() && white.is_empty() {
        return Vec::new();
    }
    vec![format!("☗{black}  ☖{white}")]
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
            let fields = json!({ "format": format, "moves": ["7g7f", "3c3d"] });
            exported(fields).unwrap().text
        };
        assert_eq!(text("usi"), "startpos moves 7g7f 3c3d\n");
        assert!(text("sfen").ends_with(" b - 3\n"));
        assert!(text("bod").contains("後手の持駒"));
        assert!(text("csa").contains("+7776FU"));
        assert!(text("kif").contains("７六歩(77)"));
        assert!(text("ki2").contains("▲７六歩"));
        assert!(text("svg").starts_with("<svg "));
        let game = json!({ "info": { "black": "Ann", "white": "Bob" }, "nodes": [{},
            { "parent": 0, "move": "7g7f", "comment": "hm" }, { "parent": 0, "move": "2g2f" }] });
        let kif = exported(json!({ "format": "kif", "game": game })).unwrap();
        assert!(kif.text.contains("*hm") && kif.losses.is_empty(), "{kif:?}");
        assert!(kif.text.contains("変化：1手"));
        let usi = exported(json!({ "format": "usi", "game": game })).unwrap();
        assert_eq!(usi.losses, ["variations", "lines of comment", "headers"]);
        let svg = json!({ "format": "svg", "game": game, "moves": ["2g2f"], "title": true,
            "side": "white", "lang": "en", "arrows": ["3c3d", "2f2e", "5a5b"] });
        let svg = exported(svg).unwrap().text;
        assert!(svg.contains("☗Ann") && svg.contains("☗ Black"));
        assert_eq!(svg.matches("<polygon").count(), 3);
    }

    #[test]
    fn unknown_formats_and_moves_are_errors() {
        let error = exported(json!({ "format": "doc" })).unwrap_err();
        assert!(error.text.starts_with("'doc' is no format: one of kif, "));
        for wrong in [
            json!({ "format": "svg", "arrows": ["z9"] }),
            json!({ "format": "svg", "arrows": ["5e5d"] }),
            json!({ "format": "kif", "moves": ["1a1b"] }),
        ] {
            assert!(exported(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
