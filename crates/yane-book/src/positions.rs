//! The positions of game records that are worth a thought (`makebook think`).

use std::path::Path;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use shogi_core::{Color, Position};

use crate::db::BadLines;
use crate::db::LineProblem;
use crate::from_sfen::RecordInput;
use crate::records::{
    FileProblems, PendingProblems, Problems, RecordPiece, Replay, Variations, for_each_record_piece,
};
use crate::{Job, Result};

/// Options: positions of every game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The first one, counted from the start of the line, which is 1 (`startmoves`).
    pub first: usize,
    /// The last one (`moves`).
    pub last: usize,
    /// Choice of the lines of records.
    pub variations: Variations,
    /// Policy for lines that are no games and for moves that cannot be played. The positions before
    /// such a move are used in either case.
    pub bad_lines: BadLines,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            first: 1,
            last: 16,
            variations: Variations::default(),
            bad_lines: BadLines::Skip,
        }
    }
}

/// Positions of records.
#[derive(Clone, Debug, Default)]
pub struct Positions {
    /// Each once, at the smallest move number at which it was reached, in the order of their SFENs (as text).
    pub list: Vec<Position>,
    /// Games read: lines with content.
    pub games: u64,
    /// Variations left out.
    pub variations_left_out: u64,
    /// Lines that are no games, and games with a move that cannot be played.
    pub problems: Problems,
}

/// Reads the positions of the games in `inputs` in which a move was played, and those at which a record ends
/// without saying how the game did: there is where a line that is to be longer goes on.
///
/// # Errors
/// When a file cannot be read, or at the first problem if that is the policy.
pub fn positions(inputs: &[RecordInput], wanted: Wanted, job: &Job) -> Result<Positions> {
    let mut all = Positions::default();
    let mut found = Found::default();
    for input in inputs {
        let mut problems = FileProblems::new(&mut all.problems);
        let games = &mut all.games;
        let variations = &mut all.variations_left_out;
        let side = input.side;
        let work = move |piece: &RecordPiece<'_>, file: &Path| {
            PositionsChunk::read(piece, file, side, wanted)
        };
        for_each_record_piece(&input.path, job, work, |file, part: PositionsChunk| {
            problems.append(file, part.problems, *games)?;
            *games += part.games;
            *variations += part.variations;
            for position in part.found.0.into_values() {
                found.add(&position);
            }
            Ok(())
        })?;
        problems.flush()?;
    }
    all.list = found.0.into_values().collect();
    all.list.sort_by_cached_key(Position::to_sfen);
    Ok(all)
}

/// Positions by their keys without move numbers.
#[derive(Default)]
struct Found(HashMap<u128, Position>);

impl Found {
    fn add(&mut self, position: &Position) {
        match self.0.entry(position.key128()) {
            Entry::Occupied(mut known) => {
                if position.ply() < known.get().ply() {
                    known.insert(position.clone());
                }
            }
            Entry::Vacant(place) => {
                place.insert(position.clone());
            }
        }
    }
}

/// The data of a piece of a record file.
struct PositionsChunk {
    found: Found,
    games: u64,
    /// Variations left out.
    variations: u64,
    problems: PendingProblems,
}

impl PositionsChunk {
    fn read(
        piece: &RecordPiece<'_>,
        file: &Path,
        side: Option<Color>,
        wanted: Wanted,
    ) -> Result<Self> {
        let mut part = Self {
            found: Found::default(),
            games: 0,
            variations: 0,
            problems: PendingProblems::default(),
        };
        let left_out = piece.for_each_game(wanted.last, wanted.variations, |place, game| {
            part.games += u64::from(!game.as_ref().is_ok_and(Replay::is_variation));
            let played = game.and_then(|game| part.game(game, side, wanted));
            played.or_else(|problem| {
                let policy = wanted.bad_lines;
                part.problems
                    .note(policy, file, &place, part.games, problem)
            })
        })?;
        part.variations = left_out;
        Ok(part)
    }

    fn game(
        &mut self,
        mut game: Replay<'_>,
        side: Option<Color>,
        wanted: Wanted,
    ) -> std::result::Result<(), LineProblem> {
        for number in game.depth() + 1..=wanted.last {
            let before = game.position().clone();
            let played = game.play_next()?;
            let counts = number >= wanted.first
                && side.is_none_or(|side| side == before.side_to_move())
                && !game.is_decided();
            if counts {
                self.found.add(&before);
            }
            if played.is_none() {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;

    fn of(text: &str, wanted: Wanted, side: Option<Color>) -> (Vec<String>, u64) {
        let folder = TestFolder::new();
        let path = folder.path("games.sfen");
        std::fs::write(&path, text).unwrap();
        let input = RecordInput { path, side };
        let found = positions(&[input], wanted, &Job::default()).unwrap();
        let told = |position: &Position| {
            let sfen = position.to_sfen();
            let words: Vec<_> = sfen.split(' ').collect();
            format!("{} {}", words[1], words[3])
        };
        let mut list: Vec<_> = found.list.iter().map(told).collect();
        list.sort_unstable();
        (list, found.problems.count)
    }

    #[test]
    fn of_a_game_and_the_end_of_its_record() {
        let game = "startpos moves 7g7f 3c3d 2g2f";
        let upto = |first, last| Wanted {
            first,
            last,
            ..Wanted::default()
        };
        let plies = |wanted| of(game, wanted, None).0;
        assert_eq!(plies(upto(1, 16)), ["b 1", "b 3", "w 2", "w 4"]);
        assert_eq!(plies(upto(1, 3)), ["b 1", "b 3", "w 2"]);
        assert_eq!(plies(upto(2, 2)), ["w 2"]);
        assert_eq!(of(game, upto(1, 16), Some(Color::White)).0, ["w 2", "w 4"]);
        // Nobody asks what to do where the game was over, or went wrong.
        for end in [" resign", " win", " 7g7f"] {
            let text = format!("{game}{end}");
            let (found, problems) = of(&text, upto(1, 16), None);
            assert_eq!(found, ["b 1", "b 3", "w 2"], "{end}");
            assert_eq!(problems, u64::from(end == " 7g7f"));
        }
        assert_eq!(plies(upto(5, 16)), Vec::<String>::new());
    }

    #[test]
    fn a_position_is_there_once_at_its_smallest_ply() {
        let text = "startpos moves 7g7f 3c3d 2g2f\n\
                    startpos moves 2g2f 3c3d 7g7f\n\
                    sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 7\n";
        let (found, _) = of(text, Wanted::default(), None);
        assert_eq!(found, ["b 1", "b 3", "b 3", "w 2", "w 2", "w 4"]);
    }
}
