//! Games that other machines played: read and replayed before they are recorded.

use farm::queue::RefusedResult;
use pack_format::hcpe3::{self, Hcpe3Replayer};
use pack_format::pack::{self, Contradictions, PackReplayer};
use pack_format::{EndReason, TeacherResult};

use crate::GameFormat;
use crate::report::Outline;

/// The game of a result as files have it, and its outline. Every move was played, and the outline is that of the game.
///
/// # Errors
/// When there is no game, anything is behind it, or it is not as its outline says.
pub(crate) fn received<'a>(
    format: &GameFormat,
    result: &'a [u8],
) -> Result<(Outline, &'a [u8]), RefusedResult> {
    let (outline, bytes) =
        Outline::decode(result).ok_or_else(|| RefusedResult::new("there is no game"))?;
    let replayed = match format {
        GameFormat::Pack => replay_pack(bytes).map_err(RefusedResult::new)?,
        GameFormat::Hcpe3(_) => replay_hcpe3(bytes).map_err(RefusedResult::new)?,
    };
    if replayed.len != bytes.len() {
        let behind = bytes.len() - replayed.len;
        return Err(RefusedResult::new(format!(
            "{behind} bytes behind the game"
        )));
    }
    let is_as_told = replayed.plies == outline.plies as usize
        && replayed.result == outline.result
        && replayed.reason.is_none_or(|it| it == outline.reason);
    if !is_as_told {
        return Err(RefusedResult::new(
            "the game is not the one that its outline tells of",
        ));
    }
    Ok((outline, bytes))
}

/// A game that was replayed.
struct Replayed {
    len: usize,
    plies: usize,
    result: TeacherResult,
    /// Where the format has it.
    reason: Option<EndReason>,
}

fn replay_pack(bytes: &[u8]) -> Result<Replayed, pack::PackProblem> {
    let frame = pack::frame(bytes)?;
    let mut plies = 0;
    let mut replayer = PackReplayer::new(Contradictions::Refuse);
    let result = replayer.replay(&frame, |_, _, _| plies += 1)?;
    Ok(Replayed {
        len: frame.len,
        plies,
        result,
        reason: Some(frame.reason),
    })
}

fn replay_hcpe3(bytes: &[u8]) -> Result<Replayed, hcpe3::Hcpe3Problem> {
    let frame = hcpe3::frame(bytes)?;
    let mut plies = 0;
    let ending = Hcpe3Replayer::default().replay(&frame, |_, _, _, _| plies += 1)?;
    Ok(Replayed {
        len: frame.len,
        plies,
        result: ending.result,
        reason: None,
    })
}

#[cfg(test)]
mod tests {
    use pack_format::TeacherScore;
    use pack_format::pack::GameBuilder;
    use shogi_core::Position;

    use super::*;

    fn game() -> (Outline, Vec<u8>) {
        let mut game = GameBuilder::new(Position::startpos()).unwrap();
        let mut position = Position::startpos();
        for text in ["7g7f", "3c3d"] {
            let mv = position.move_from_usi(text).unwrap();
            game.play(mv, TeacherScore::default()).unwrap();
            let _ = position.do_move_unchecked(mv);
        }
        let (result, reason) = (TeacherResult::Draw, EndReason::MAX_MOVES);
        let mut bytes = Vec::new();
        game.finish(result, reason).unwrap().write_to(&mut bytes);
        let outline = Outline {
            plies: 2,
            result,
            reason,
        };
        (outline, bytes)
    }

    #[test]
    fn a_game_is_replayed_before_it_is_believed() {
        let (outline, bytes) = game();
        let message = outline.encode(&bytes);
        assert_eq!(
            received(&GameFormat::Pack, &message),
            Ok((outline, &bytes[..]))
        );
        // A right outline and a hundred bytes that are none.
        let random: Vec<u8> = (0..100u32).map(|n| (n * 89 + 7) as u8).collect();
        let longer = [&bytes[..], b"\0"].concat();
        let mut illegal = bytes.clone();
        illegal[1] ^= 0x15;
        let shorter = bytes[..bytes.len() - 1].to_vec();
        for wrong in [random, longer, illegal, shorter] {
            let message = outline.encode(&wrong);
            assert!(received(&GameFormat::Pack, &message).is_err(), "{wrong:?}");
        }
        let other = Outline {
            plies: 3,
            ..outline
        };
        let refused = received(&GameFormat::Pack, &other.encode(&bytes)).unwrap_err();
        assert!(refused.to_string().contains("outline"), "{refused}");
        assert!(received(&GameFormat::Pack, b"").is_err());
    }
}
