//! Games and positions from lines.

use std::borrow::Cow;

use serde::Deserialize;
use shogi_core::{AperyMove16, MoveError, Position};
use shogi_packed::Hcp;

use super::write::{game_len, hcpe3_len, terminator};
use crate::hcpe3::{Ending, Hcpe3Builder, Hcpe3Candidate, Hcpe3Error};
use crate::pack::{Game, GameBuilder, GameError, is_initial};
use crate::text::fields::{
    BYTE, PLY, RawSample, disagrees, named_move, number, result, score, sfen, value,
};
use crate::text::{TextLine, TextProblem};
use crate::{EndReason, Hcpe3Game};

/// A text of a field, borrowed where it has no escapes.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
struct JsonText<'a>(#[serde(borrow)] Cow<'a, str>);

/// All fields of all kinds of lines. Numbers are as wide as can be, so that those that do not fit get
/// a message of ours.
#[derive(Debug, Deserialize)]
struct Fields<'a> {
    // A position.
    #[serde(borrow)]
    sfen: Option<JsonText<'a>>,
    #[serde(borrow, rename = "move")]
    mv: Option<JsonText<'a>>,
    score: Option<i64>,
    ply: Option<i64>,
    // Field of positions and both kinds of games.
    result: Option<i64>,
    // Field of both kinds of games.
    #[serde(borrow)]
    start_sfen: Option<JsonText<'a>>,
    #[serde(borrow)]
    start_hcp: Option<JsonText<'a>>,
    #[serde(borrow)]
    moves: Option<JsonText<'a>>,
    bytes: Option<i64>,
    // A game of a pack file.
    start_kind: Option<i64>,
    game_ply: Option<i64>,
    #[serde(borrow)]
    terminator: Option<JsonText<'a>>,
    reason: Option<i64>,
    plies: Option<i64>,
    move16: Option<Vec<i64>>,
    scores: Option<Vec<i64>>,
    #[serde(borrow)]
    final_sfen: Option<JsonText<'a>>,
    // A game of an hcpe3 file.
    #[serde(rename = "moveNum")]
    move_num: Option<i64>,
    #[serde(rename = "gameInfo")]
    game_info: Option<i64>,
    evals: Option<Vec<i64>>,
    #[serde(borrow)]
    candidates: Option<Vec<Vec<(JsonText<'a>, i64)>>>,
}

/// Reads a line; see [the module](super) for what it must hold.
///
/// # Errors
/// What is wrong with it.
pub fn parse_line(line: &str) -> Result<TextLine, TextProblem> {
    // The JSON reader would accept arrays for objects, too.
    if !line.trim_ascii_start().starts_with('{') {
        return Err(TextProblem::Json {
            column: 1,
            message: "not a JSON object".to_owned(),
        });
    }
    let fields: Fields<'_> = serde_json::from_str(line).map_err(|_| json_problem(line))?;
    if fields.candidates.is_some() || fields.evals.is_some() || fields.move_num.is_some() {
        fields.hcpe3().map(TextLine::Hcpe3)
    } else if fields.moves.is_some() || fields.scores.is_some() || fields.start_sfen.is_some() {
        fields.game().map(TextLine::Game)
    } else if fields.mv.is_some() || fields.sfen.is_some() {
        fields.sample().map(TextLine::Sample)
    } else {
        Err(TextProblem::Unknown)
    }
}

/// Returns the problem of a line that could not be parsed: parses the line again, which is slower,
/// to find the field.
fn json_problem(line: &str) -> TextProblem {
    let mut json = serde_json::Deserializer::from_str(line);
    let (column, message) = match serde_path_to_error::deserialize::<_, Fields<'_>>(&mut json) {
        Err(error) => {
            let field = error.path().to_string();
            let cause = error.inner().to_string();
            let cause = cause.rsplit_once(" at line ").map_or(&*cause, |it| it.0);
            let message = if field == "." {
                cause.to_owned()
            } else {
                format!("field \"{field}\": {cause}")
            };
            (error.inner().column(), message)
        }
        Ok(_) => match json.end() {
            Err(error) => (error.column(), "text behind the JSON object".to_owned()),
            Ok(()) => (1, "not readable".to_owned()),
        },
    };
    TextProblem::Json { column, message }
}

/// The value of a field that must be there.
fn need<T>(field: &'static str, value: Option<T>) -> Result<T, TextProblem> {
    value.ok_or(TextProblem::Missing(field))
}

impl Fields<'_> {
    fn sample(self) -> Result<crate::Sample, TextProblem> {
        let raw = RawSample {
            sfen: &need("sfen", self.sfen)?.0,
            mv: &need("move", self.mv)?.0,
            score: score("score", need("score", self.score)?)?,
            result: result("result", need("result", self.result)?)?,
            ply: self.ply.map(|ply| number("ply", ply, PLY)).transpose()?,
        };
        raw.check()
    }

    fn game(self) -> Result<Game, TextProblem> {
        let start = sfen(
            "start_sfen",
            &need("start_sfen", self.start_sfen.as_ref())?.0,
        )?;
        let result = result("result", need("result", self.result)?)?;
        let reason = EndReason(number("reason", need("reason", self.reason)?, BYTE)?);
        let moves = &need("moves", self.moves.as_ref())?.0;
        let scores = need("scores", self.scores.as_ref())?;
        same_length("scores", scores.len(), moves)?;
        let mut game = GameBuilder::new(start)?;
        for (index, (text, &found)) in moves.split_ascii_whitespace().zip(scores).enumerate() {
            let illegal = |error| TextProblem::GameMove {
                field: "moves",
                ply: index + 1,
                error,
            };
            let mv = named_move(game.position(), text).map_err(illegal)?;
            match game.play(mv, score("scores", found)?) {
                Err(GameError::IllegalMove(_)) => {
                    return Err(illegal(MoveError::Illegal(text.to_owned())));
                }
                other => other?,
            }
        }
        let last = game.position().clone();
        let game = game.finish_as_read(result, reason);
        self.check_start(game.start())?;
        self.check_game(&game, &last)?;
        Ok(game)
    }

    /// Checks that redundant fields of the line agree with the game.
    fn check_game(&self, game: &Game, last: &Position) -> Result<(), TextProblem> {
        let plies = game.plies();
        let initial = is_initial(game.start());
        let from_hcp = match self.start_kind {
            None => !initial,
            Some(0) => true,
            Some(1) if initial => false,
            Some(1) => return Err(disagrees("start_kind", 1, 0)),
            Some(found) => return Err(value("start_kind", found, "0 (hcp) or 1 (initial)")),
        };
        same_number("game_ply", self.game_ply, game.start().ply().into())?;
        let bits = terminator(game.result());
        if let Some(JsonText(found)) = &self.terminator
            && *found != bits
        {
            return Err(disagrees("terminator", found, bits));
        }
        same_number("plies", self.plies, plies.len() as i64)?;
        if let Some(found) = &self.move16 {
            check_codes(found, game)?;
        }
        if let Some(JsonText(found)) = &self.final_sfen
            && sfen("final_sfen", found)? != *last
        {
            return Err(disagrees("final_sfen", found, last));
        }
        same_number("bytes", self.bytes, game_len(from_hcp, plies.len()) as i64)
    }

    fn hcpe3(self) -> Result<Hcpe3Game, TextProblem> {
        let start = sfen(
            "start_sfen",
            &need("start_sfen", self.start_sfen.as_ref())?.0,
        )?;
        let bits = need("result", self.result)?;
        let ending = u8::try_from(bits).ok().and_then(Ending::from_bits);
        let ending = ending.ok_or_else(|| {
            let expected = "0, 1 or 2, with 4 (repetition), 8 (declaration), 16 (max moves) added";
            value("result", bits, expected)
        })?;
        let opponent = number("gameInfo", need("gameInfo", self.game_info)?, BYTE)?;
        let moves = &need("moves", self.moves.as_ref())?.0;
        let scores = need("evals", self.evals.as_ref())?;
        let candidates = need("candidates", self.candidates.as_ref())?;
        same_length("evals", scores.len(), moves)?;
        same_length("candidates", candidates.len(), moves)?;
        if start.ply() != 1 {
            return Err(disagrees("start_sfen", &start, start.clone().with_ply(1)));
        }
        let mut game = Hcpe3Builder::new(start)?;
        let plies = moves.split_ascii_whitespace().zip(scores).zip(candidates);
        for (index, ((text, &found), candidates)) in plies.enumerate() {
            let ply = Hcpe3Ply {
                number: index + 1,
                text,
                score: found,
                candidates,
            };
            ply.play(&mut game)?;
        }
        let game = game.finish(ending, opponent);
        self.check_start(game.start())?;
        same_number("moveNum", self.move_num, game.plies().len() as i64)?;
        same_number("bytes", self.bytes, hcpe3_len(&game) as i64)?;
        Ok(game)
    }

    fn check_start(&self, start: &Position) -> Result<(), TextProblem> {
        let Some(JsonText(found)) = &self.start_hcp else {
            return Ok(());
        };
        let read = read_hcp(found).and_then(|hcp| hcp.decode().ok());
        let read =
            read.ok_or_else(|| value("start_hcp", found, "a position as 64 hexadecimal digits"))?;
        // The order of pieces in hand may differ between tools.
        if read.with_ply(start.ply()) == *start {
            Ok(())
        } else {
            let expected = Hcp::encode(start).map_or_else(|_| String::new(), |hcp| hcp.to_string());
            Err(disagrees("start_hcp", found, expected))
        }
    }
}

/// A ply of an hcpe3 game's line.
struct Hcpe3Ply<'a> {
    number: usize,
    text: &'a str,
    score: i64,
    candidates: &'a [(JsonText<'a>, i64)],
}

impl Hcpe3Ply<'_> {
    fn play(&self, game: &mut Hcpe3Builder) -> Result<(), TextProblem> {
        let wrong = |field, error| TextProblem::GameMove {
            field,
            ply: self.number,
            error,
        };
        let position = game.position();
        let mv = named_move(position, self.text).map_err(|error| wrong("moves", error))?;
        let mut candidates = Vec::with_capacity(self.candidates.len());
        for (JsonText(text), visits) in self.candidates {
            let mv = named_move(position, text).map_err(|error| wrong("candidates", error))?;
            let visits = number("candidates", *visits, "visits from 0 to 65535")?;
            candidates.push(Hcpe3Candidate { mv, visits });
        }
        match game.play(mv, score("evals", self.score)?, &candidates) {
            Err(Hcpe3Error::IllegalMove(illegal)) => {
                let field = if illegal == mv { "moves" } else { "candidates" };
                Err(wrong(field, MoveError::Illegal(illegal.to_string())))
            }
            other => Ok(other?),
        }
    }
}

fn same_length(field: &'static str, found: usize, moves: &str) -> Result<(), TextProblem> {
    let expected = moves.split_ascii_whitespace().count();
    if found == expected {
        Ok(())
    } else {
        Err(TextProblem::Length {
            field,
            found,
            expected,
        })
    }
}

fn same_number(field: &'static str, found: Option<i64>, expected: i64) -> Result<(), TextProblem> {
    match found {
        Some(found) if found != expected => Err(disagrees(field, found, expected)),
        _ => Ok(()),
    }
}

fn check_codes(found: &[i64], game: &Game) -> Result<(), TextProblem> {
    let plies = game.plies();
    if found.len() != plies.len() {
        return Err(TextProblem::Length {
            field: "move16",
            found: found.len(),
            expected: plies.len(),
        });
    }
    for (&found, ply) in found.iter().zip(plies) {
        same_number("move16", Some(found), AperyMove16::from(ply.mv).0.into())?;
    }
    Ok(())
}

/// The hcp of 64 hexadecimal digits.
fn read_hcp(digits: &str) -> Option<Hcp> {
    let mut bytes = [0; 32];
    if digits.len() != 64 {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().as_chunks::<2>().0) {
        let [high, low] = pair.map(|digit| (digit as char).to_digit(16));
        *byte = (high? << 4 | low?) as u8;
    }
    Some(Hcp(bytes))
}
