//! A game of teacher data as a game record.

use shogi_kifu::{CsaVersion, KifuFormat, Losses};

use crate::EndReason;
use crate::pack::Game;
use shogi_core::Color;
use shogi_kifu::GameEnding;
use shogi_kifu::{GameRecord, RecordBuilder};

// Games into records.

/// Appends a game as a record behind its separator, and returns what the format cannot hold.
pub(super) fn write_record(format: KifuFormat, game: &Game, output: &mut Vec<u8>) -> Losses {
    let (text, losses) = format.write(&record_of(game), CsaVersion::V22);
    output.extend_from_slice(format.separator().as_bytes());
    output.extend_from_slice(text.as_bytes());
    losses
}

/// The record of a game, with the scores as comments.
pub(super) fn record_of(game: &Game) -> GameRecord {
    let mut builder = RecordBuilder::new(game.start().clone());
    for ply in game.plies() {
        builder.play(ply.mv);
        let score = match ply.mv.color() {
            Color::Black => ply.score,
            Color::White => ply.score.flip(),
        };
        builder.node_mut().set_player_score(score.0.into());
    }
    builder.end(ending_of(game, builder.side()));
    builder.finish()
}

/// The ending that says the same with `side` to move.
pub(super) fn ending_of(game: &Game, side: Color) -> GameEnding {
    let reason = game.reason();
    match game.result().winner() {
        None => match reason {
            EndReason::REPETITION => GameEnding::Repetition,
            EndReason::MAX_MOVES => GameEnding::MaxMoves,
            EndReason::INTERRUPT => GameEnding::Interrupt,
            EndReason::DRAW_CSA24 => GameEnding::Impasse,
            _ => GameEnding::Draw,
        },
        Some(winner) if winner != side => match reason {
            EndReason::TIME_UP => GameEnding::TimeUp,
            EndReason::ILLEGAL_MOVE | EndReason::PERPETUAL_CHECK => GameEnding::FoulLoss,
            _ => GameEnding::Resign,
        },
        Some(_) => match reason {
            EndReason::WIN_CSA24 | EndReason::WIN_CSA27 => GameEnding::EnteringKing,
            EndReason::WIN_TRY => GameEnding::TryWin,
            _ => GameEnding::FoulWin,
        },
    }
}
