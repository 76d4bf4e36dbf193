//! Counting games.

use shogi_core::{Hcp, Position};
use shogi_packed::Packing as _;

use super::Stats;
use crate::games::walk;
use crate::pack::{self, PackStart};
use crate::{Hcpe3Game, InvalidData, TeacherResult, hcpe3};

/// Counts the games of a pack file up to the first damage.
pub(super) fn read_pack(bytes: &[u8], stats: &mut Stats) -> Option<InvalidData> {
    let initial = initial();
    let replayer = &mut pack::PackReplayer::default();
    walk::<pack::Game>(bytes, replayer, |replayer, frame, _| {
        Ok(pack_game(frame, initial, replayer, stats)?)
    })
}

/// The initial position, which is packed in one way only: its hands and box are empty.
fn initial() -> Option<Hcp> {
    Hcp::pack(&Position::startpos()).ok()
}

/// Counts a game.
fn pack_game(
    frame: &pack::PackFrame<'_>,
    initial: Option<Hcp>,
    replayer: &mut pack::PackReplayer,
    stats: &mut Stats,
) -> Result<(), pack::PackProblem> {
    let mut start = None;
    let result = replayer.replay(frame, |position, ply, result| {
        start.get_or_insert_with(|| position.key128());
        stats.add(
            position,
            Some(ply.mv),
            ply.score,
            result,
            Some(position.ply()),
        );
    })?;
    let (is_initial, ply) = match frame.start {
        PackStart::Initial => (true, 1),
        PackStart::Hcp { hcp, ply } => (Some(hcp) == initial, ply),
    };
    // Without plies the replayer is still where it started.
    let start = start.unwrap_or_else(|| replayer.position().key128());
    stats.add_game(result, frame.reason.0, frame.plies.len(), start, is_initial);
    stats.games.start_plies.add(ply.into());
    stats.games.contradictions += u64::from(!frame.reason.allows(result));
    Ok(())
}

/// Counts the games of an hcpe3 file up to the first damage.
pub(super) fn read_hcpe3(bytes: &[u8], stats: &mut Stats) -> Option<InvalidData> {
    let initial = initial();
    let replayer = &mut hcpe3::Hcpe3Replayer::default();
    walk::<Hcpe3Game>(bytes, replayer, |replayer, frame, _| {
        Ok(hcpe3_game(frame, initial, replayer, stats)?)
    })
}

/// Counts a game.
fn hcpe3_game(
    frame: &hcpe3::Hcpe3Frame<'_>,
    initial: Option<Hcp>,
    replayer: &mut hcpe3::Hcpe3Replayer,
    stats: &mut Stats,
) -> Result<(), hcpe3::Hcpe3Problem> {
    let mut start = None;
    let ending = replayer.replay(frame, |position, ply, _, result| {
        start.get_or_insert_with(|| position.key128());
        // The format has no ply numbers.
        stats.add(position, Some(ply.mv), ply.score, result, None);
    })?;
    let is_initial = Some(frame.start) == initial;
    // Without plies the replayer is still where it started.
    let start = start.unwrap_or_else(|| replayer.position().key128());
    let plies = frame.ply_count.into();
    stats.add_game(ending.result, ending.flags.bits(), plies, start, is_initial);
    Ok(())
}

impl Stats {
    /// Counts a game, but for its positions.
    fn add_game(
        &mut self,
        result: TeacherResult,
        reason: u8,
        plies: usize,
        start: u128,
        from_initial: bool,
    ) {
        let games = &mut self.games;
        games.results.add(result);
        games.reasons.entry(reason).or_default().add(result);
        games.lengths.add(plies as u32);
        games.starts.add(start);
        games.from_initial += u64::from(from_initial);
    }
}
