//! `position`: everything that the rules say about a position.

use page_messages::PageFailure;
use serde::{Deserialize, Serialize};
use shogi_core::movegen::LegalAll;
use shogi_core::{
    Color, Declaration, EnteringKingRule, Game, HandKind, Move, MoveClass, Position, Repetition,
};

use crate::fields::{BothSides, NamesChoice, SideName};
use crate::line::LineFields;
use crate::openings::{NameFields, castles, opening};

/// Times that a position stands in a game that ends by it.
const REPETITIONS: u32 = 4;

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct PositionRequest {
    #[serde(flatten)]
    line: LineFields,
    #[serde(default)]
    names: NamesChoice,
}

/// What the rules say about a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PositionFields {
    sfen: String,
    side: SideName,
    ply: u32,
    moves: Vec<String>,
    line_names: Vec<String>,
    last: Option<String>,
    state: &'static str,
    end: Option<&'static str>,
    check: bool,
    repetition: Option<RepetitionFields>,
    can_declare: bool,
    impasse: BothSides<Option<u32>>,
    legal: Vec<LegalFields>,
    opening: Option<NameFields>,
    castles: BothSides<Option<NameFields>>,
    flipped: String,
}

/// A legal move.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct LegalFields {
    #[serde(rename = "move")]
    mv: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

/// What a position is to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct RepetitionFields {
    pub(crate) kind: &'static str,
    pub(crate) times: u32,
}

impl RepetitionFields {
    /// What the last position of a game is to those before it; `None` if it is new.
    pub(crate) fn of(game: &Game) -> Option<Self> {
        let state = game.repetition();
        Some(Self {
            kind: repetition_name(state.kind)?,
            times: state.times + 1,
        })
    }
}

/// The name of a repetition; `None` if it is none.
pub(crate) const fn repetition_name(kind: Repetition) -> Option<&'static str> {
    match kind {
        Repetition::None => None,
        Repetition::Draw => Some("draw"),
        Repetition::Win => Some("win"),
        Repetition::Lose => Some("lose"),
        Repetition::Superior => Some("superior"),
        Repetition::Inferior => Some("inferior"),
    }
}

/// Why a game is over by the rules; `None` if it is not.
pub(crate) fn game_end(game: &Game) -> Option<&'static str> {
    let position = game.position();
    if position.has_no_legal_move() {
        let is_mate = position.in_check();
        return Some(if is_mate { "mate" } else { "stalemate" });
    }
    let state = game.repetition();
    if state.times + 1 < REPETITIONS {
        return None;
    }
    match state.kind {
        Repetition::Draw => Some("repetition"),
        Repetition::Win | Repetition::Lose => Some("perpetual_check"),
        _ => None,
    }
}

/// Answers `position`.
pub(crate) fn position(request: &PositionRequest) -> Result<PositionFields, PageFailure> {
    let game = request.line.game()?;
    Ok(PositionFields::of(&game, request.names))
}

impl PositionFields {
    fn of(game: &Game, names: NamesChoice) -> Self {
        let position = game.position();
        let end = game_end(game);
        let rule = EnteringKingRule::default();
        let moves: Vec<Move> = game.moves().collect();
        let mut start = game.clone();
        while start.undo().is_some() {}
        Self {
            sfen: position.to_sfen(),
            side: position.side_to_move().into(),
            ply: position.ply(),
            line_names: names.line(&start, &moves),
            moves: moves.iter().map(ToString::to_string).collect(),
            last: game.last_move().map(|m| m.to_string()),
            state: if end.is_some() { "over" } else { "moves" },
            end,
            check: position.in_check(),
            repetition: RepetitionFields::of(game),
            can_declare: position.declaration(rule) == Some(Declaration::Win),
            impasse: BothSides {
                black: impasse_points(position, Color::Black),
                white: impasse_points(position, Color::White),
            },
            legal: legal(game, names),
            opening: opening(game),
            castles: castles(position),
            flipped: position.flip().to_sfen(),
        }
    }
}

/// The legal moves, those too that nobody wants, such as a pawn that does not promote.
fn legal(game: &Game, names: NamesChoice) -> Vec<LegalFields> {
    let moves = game.position().moves::<LegalAll>();
    let fields = |&m: &Move| LegalFields {
        mv: m.to_string(),
        name: names.next(game, m),
    };
    moves.iter().map(fields).collect()
}

/// The points of a side whose king is in the enemy camp: 5 for each rook and bishop and 1 for each other piece in hand and in the
/// camp, the king not counted.
fn impasse_points(position: &Position, side: Color) -> Option<u32> {
    let king = position.king(side)?;
    if !king.is_promotion_zone(side) {
        return None;
    }
    let mut points = 0;
    for square in position.color(side) {
        if square == king || !square.is_promotion_zone(side) {
            continue;
        }
        let class = position.piece_on(square)?.kind().move_class();
        let is_big = matches!(
            class,
            MoveClass::Bishop | MoveClass::Rook | MoveClass::Horse | MoveClass::Dragon
        );
        points += if is_big { 5 } else { 1 };
    }
    for (kind, count) in position.hand(side).iter() {
        let is_big = matches!(kind, HandKind::Bishop | HandKind::Rook);
        points += u32::from(count) * if is_big { 5 } else { 1 };
    }
    Some(points)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn asked(fields: Value) -> Value {
        let request = serde_json::from_value(fields).unwrap();
        serde_json::to_value(position(&request).unwrap()).unwrap()
    }

    #[test]
    fn a_position_is_told_whole() {
        let told = asked(json!({ "moves": ["7g7f", "3c3d", "8h2b+"] }));
        assert_eq!((&told["side"], &told["ply"]), (&json!("white"), &json!(4)));
        assert_eq!(told["line_names"][2], "▲２二角成");
        assert_eq!(
            (&told["last"], &told["state"]),
            (&json!("8h2b+"), &json!("moves"))
        );
        let legal = told["legal"].as_array().unwrap();
        let taking = legal.iter().find(|one| one["move"] == "3a2b").unwrap();
        assert_eq!(taking["name"], "△同　銀");
        assert_eq!(
            told["flipped"].as_str().unwrap().split(' ').nth(1),
            Some("b")
        );
        let english = asked(json!({ "moves": ["7g7f"], "names": "en" }));
        assert_eq!(english["line_names"], json!(["P-7f"]));
        let none = asked(json!({ "moves": ["7g7f"], "names": "none" }));
        assert_eq!(none["line_names"], json!([]));
        assert!(none["legal"][0].get("name").is_none());
    }

    #[test]
    fn games_end_by_the_rules() {
        let end = |sfen: &str, moves: &[&str]| {
            let told = asked(json!({ "sfen": sfen, "moves": moves }));
            (told["end"].clone(), told["repetition"].clone())
        };
        let mate = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
        assert_eq!(end(mate, &["G*5b"]).0, "mate");
        assert_eq!(end("9/9/9/9/9/9/9/2r6/K1g6 b - 1", &[]).0, "stalemate");
        let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
        let round = ["2h3h", "8b7b", "3h2h", "7b8b"];
        let draw = |times| json!({ "kind": "draw", "times": times });
        assert_eq!(end(start, &round), (Value::Null, draw(2)));
        assert_eq!(end(start, &round.repeat(3)), (json!("repetition"), draw(4)));
        let checks = "4k4/9/9/9/9/9/9/4R4/K8 w - 1";
        let round = ["5a4a", "5h4h", "4a5a", "4h5h"];
        assert_eq!(end(checks, &round.repeat(3)).0, "perpetual_check");
    }

    #[test]
    fn kings_in_the_enemy_camp_have_points() {
        let entered = "LNSGKGSNL/1R5B1/PPPPPPPPP/9/9/9/ppppppppp/1b5r1/lnsgkgsnl b - 1";
        let told = asked(json!({ "sfen": entered }));
        assert_eq!(told["impasse"], json!({ "black": 27, "white": 27 }));
        assert_eq!(told["can_declare"], json!(false));
        let told = asked(json!({}));
        assert_eq!(told["impasse"], json!({ "black": null, "white": null }));
    }
}
