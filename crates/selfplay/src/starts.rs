//! Start positions of games.

use std::path::{Path, PathBuf};

use shogi_core::{Game, Position, parse_position_line};
use shogi_kifu::{GameOutcome, KifuFormat, open_archive};
use xxhash_rust::xxh3::Xxh3;
use yane_base::random::{GOLDEN_GAMMA, RngExt, mix_round, stream};
use yane_io::sniff::Expected;

use crate::{Result, SelfplayError, StartLineProblem};

/// The expected content of a list of start positions.
const POSITIONS: Expected<'_> =
    Expected::text("positions, one a line (startpos moves ..., sfen ...)");

/// Start positions with the moves that lead to them.
#[derive(Clone, Debug)]
pub struct Starts {
    /// Lines that were checked.
    lines: Vec<Box<str>>,
}

impl Starts {
    /// The initial position alone.
    pub fn initial() -> Self {
        Self {
            lines: vec!["startpos".into()],
        }
    }

    /// Reads a file: a position a line, as the command `position` takes it (`startpos`, `sfen …`, both with
    /// `moves …` behind; the word `sfen` may be left out, and so may, from the end, all fields of an SFEN
    /// but the board), where empty lines and comments (`//`, `#`) count for nothing; or game records (KIF, KI2, CSA, JKF), each
    /// the position it ends with. Of longer lines and games only the first `plies` moves are played.
    ///
    /// # Errors
    /// When the file cannot be read, a line or game is no position that a record can begin with, or a game has been played to its
    /// end.
    pub fn read(path: &Path, plies: Option<usize>) -> Result<Self> {
        let lines = match shogi_kifu::detect_file(path)? {
            None | Some(KifuFormat::Usi) => read_lines(path, plies)?,
            Some(_) => read_records(path, plies)?,
        };
        if lines.is_empty() {
            return Err(SelfplayError::NoStarts(PathBuf::from(path)));
        }
        Ok(Self { lines })
    }

    /// The positions in `lines`, each as the command `position` takes it, that come from the file at `path`; those without a
    /// legal move are left out.
    ///
    /// # Errors
    /// When there is none, or one is no position that a record can begin with.
    pub fn from_lines(path: &Path, lines: impl IntoIterator<Item = String>) -> Result<Self> {
        let mut checked = Vec::new();
        for (index, line) in lines.into_iter().enumerate() {
            let line = completed(&line);
            let wrong = |problem| SelfplayError::Start {
                path: path.to_owned(),
                line: index + 1,
                problem,
            };
            let game = parse_position_line(&line).map_err(|error| wrong(error.into()))?;
            if game.position().is_mated() {
                continue;
            }
            check(&line).map_err(wrong)?;
            checked.push(line.into_boxed_str());
        }
        if checked.is_empty() {
            return Err(SelfplayError::NoStarts(PathBuf::from(path)));
        }
        Ok(Self { lines: checked })
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Always false: there is at least one.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// A hash of the positions and their order.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = Xxh3::new();
        for line in &self.lines {
            hasher.update(line.as_bytes());
            hasher.update(b"\n");
        }
        hasher.digest()
    }

    /// The start of game number `number`: all positions come up once, in an order that depends on `seed`,
    /// before any comes up again in another order. The game looks back without limit for repetitions.
    ///
    /// # Panics
    /// Never: the lines were checked.
    pub fn start(&self, seed: u64, number: u64) -> Game {
        let count = self.lines.len() as u64;
        let index = permuted(count, seed ^ mix(number / count), number % count);
        let game =
            parse_position_line(&self.lines[index as usize]).expect("a line that was checked");
        let moves: Vec<_> = game.moves().collect();
        let mut start = game;
        while start.undo().is_some() {}
        let mut game = Game::new(start.position().clone()).with_look_back(u32::MAX);
        for m in moves {
            game.play_unchecked(m);
        }
        game
    }
}

impl Starts {
    /// The start of a game after so many attempts: for attempt 0 that of [`Self::start`], then others in its place.
    pub(crate) fn attempt(&self, seed: u64, number: u64, attempt: u64) -> Game {
        self.start(seed ^ attempt.wrapping_mul(0xa076_1d64_78bd_642f), number)
    }
}

/// The lines of a list of positions.
fn read_lines(path: &Path, plies: Option<usize>) -> Result<Vec<Box<str>>> {
    let text = yane_io::read_text(path, &POSITIONS, yane_io::ReadLimit::List)?;
    let text = String::from_utf8_lossy(&text);
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() || line.starts_with("//") || line.starts_with('#') {
            continue;
        }
        let line = first_moves(completed(line), plies);
        check(&line).map_err(|problem| SelfplayError::Start {
            path: path.to_owned(),
            line: index + 1,
            problem,
        })?;
        lines.push(line.into_boxed_str());
    }
    Ok(lines)
}

/// `line` without the moves behind the first `plies`.
fn first_moves(line: String, plies: Option<usize>) -> String {
    let (Some(plies), Some((start, moves))) = (plies, line.split_once("moves")) else {
        return line;
    };
    let kept: Vec<&str> = moves.split_ascii_whitespace().take(plies).collect();
    if kept.is_empty() {
        return start.trim_end().to_owned();
    }
    format!("{start}moves {}", kept.join(" "))
}

/// The games of a file of records as lines.
fn read_records(path: &Path, plies: Option<usize>) -> Result<Vec<Box<str>>> {
    let wrong = |line: u64, problem: StartLineProblem| SelfplayError::Start {
        path: path.to_owned(),
        line: line as usize,
        problem,
    };
    let mut lines = Vec::new();
    for batch in open_archive(path, 1, |game| game)? {
        for game in batch?.items {
            let game = game.map_err(|error| wrong(error.line, error.problem.into()))?;
            let plies = match plies {
                Some(plies) => plies,
                None if game.record.outcome() != GameOutcome::Undecided => {
                    return Err(wrong(game.line, StartLineProblem::Decided));
                }
                None => usize::MAX,
            };
            let line = game.record.usi_line(plies);
            check(&line).map_err(|problem| wrong(game.line, problem))?;
            lines.push(line.into_boxed_str());
        }
    }
    Ok(lines)
}

/// `line` with the fields that were left out.
fn completed(line: &str) -> String {
    let line = line.strip_prefix("position ").unwrap_or(line).trim();
    let (start, moves) = match line.find("moves") {
        Some(at) => line.split_at(at),
        None => (line, ""),
    };
    let fields: Vec<&str> = start.split_ascii_whitespace().collect();
    if fields.first() == Some(&"startpos") {
        return line.to_owned();
    }
    let mut fields: Vec<&str> = fields
        .into_iter()
        .skip_while(|&word| word == "sfen")
        .collect();
    for (number, default) in [(1, "b"), (2, "-"), (3, "1")] {
        if fields.len() == number {
            fields.push(default);
        }
    }
    format!("sfen {} {moves}", fields.join(" "))
        .trim_end()
        .to_owned()
}

/// Checks that a game can start there.
fn check(line: &str) -> std::result::Result<(), StartLineProblem> {
    let game = parse_position_line(line)?;
    let position: &Position = game.position();
    if position.ply() > u32::from(u16::MAX) {
        return Err(StartLineProblem::Ply(position.ply()));
    }
    pack_format::pack::GameBuilder::new(position.clone())?;
    Ok(())
}

/// Spreads the bits of a number.
fn mix(number: u64) -> u64 {
    let bits = mix_round(number.wrapping_mul(GOLDEN_GAMMA));
    bits ^ bits >> 32
}

/// The image of `index` in a permutation of `0..count` that `seed` chooses: a Feistel network over the next
/// power of four, walked until it is back inside, so that no list of all of them is needed.
fn permuted(count: u64, seed: u64, index: u64) -> u64 {
    let half = (64 - (count - 1).leading_zeros()).div_ceil(2).max(1);
    let mask = (1u64 << half) - 1;
    let mut random = stream(seed);
    let keys: [u64; 4] = std::array::from_fn(|_| random.random());
    let mut at = index;
    loop {
        let (mut left, mut right) = (at >> half, at & mask);
        for key in keys {
            (left, right) = (right, left ^ (mix(right ^ key) & mask));
        }
        at = left << half | right;
        if at < count {
            return at;
        }
    }
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use std::collections::HashSet;

    use super::*;

    const BOARD: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";

    fn read(text: &str) -> Result<Starts> {
        let folder = TestFolder::new();
        let path = folder.path("starts.txt");
        std::fs::write(&path, text).unwrap();
        Starts::read(&path, None)
    }

    #[test]
    fn all_forms_of_lines() {
        let starts = read(&format!(
            "// a comment\nstartpos\n\nstartpos moves 7g7f\nsfen {BOARD}\nsfen {BOARD} moves 7g7f\n\
             {BOARD} b - 1\n{BOARD} w - 24 moves 3c3d\r\nposition startpos\n# end\n"
        ));
        let starts = starts.unwrap();
        assert_eq!(starts.len(), 7);
        let mut seen: Vec<_> = (0..7)
            .map(|number| starts.start(5, number).position().to_sfen())
            .collect();
        seen.sort();
        let moved = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
        assert_eq!(seen.iter().filter(|sfen| *sfen == moved).count(), 2);
        assert_eq!(
            seen.iter()
                .filter(|sfen| **sfen == format!("{BOARD} b - 1"))
                .count(),
            4
        );
    }

    #[test]
    fn records_of_games_are_starts() {
        let folder = TestFolder::new();
        let path = folder.path("starts");
        let of = |text: &str, plies| -> Result<Vec<String>> {
            std::fs::write(&path, text).unwrap();
            let starts = Starts::read(&path, plies)?;
            Ok(starts.lines.iter().map(ToString::to_string).collect())
        };
        let game = "手合割：平手\n▲７六歩△３四歩▲２六歩\n";
        assert_eq!(of(game, None).unwrap(), ["startpos moves 7g7f 3c3d 2g2f"]);
        assert_eq!(of(game, Some(1)).unwrap(), ["startpos moves 7g7f"]);
        let ended = "PI82HI\n-\n-3334FU\n+7776FU\n%TORYO\n/\nPI\n+\n+7776FU\n";
        let error = of(ended, None).unwrap_err().to_string();
        assert!(
            error.contains("line 1: ") && error.contains("--start-plies"),
            "{error}"
        );
        let lines = of(ended, Some(1)).unwrap();
        assert!(lines[0].ends_with(" w - 1 moves 3c3d"), "{}", lines[0]);
        assert_eq!(lines.len(), 2);
        let error = of("PI\n+\n+7776FU\n-7776FU\n", Some(1)).unwrap_err();
        assert!(error.to_string().contains("line 4: "), "{error}");
        assert_eq!(
            of("startpos moves 7g7f 3c3d\nstartpos\n", Some(1)).unwrap(),
            ["startpos moves 7g7f", "startpos"]
        );
        assert_eq!(of("startpos moves 7g7f", Some(0)).unwrap(), ["startpos"]);
    }

    #[test]
    fn lines_of_a_book_are_starts_unless_the_game_is_over() {
        let path = std::path::Path::new("book.db");
        let mate = "4k4/4G4/4G4/9/9/9/9/9/4K4 w - 2";
        let of =
            |lines: &[&str]| Starts::from_lines(path, lines.iter().map(|&line| line.to_owned()));
        let starts = of(&[&format!("{BOARD} b - 1 "), mate]).unwrap();
        assert_eq!(starts.len(), 1);
        assert!(of(&[mate]).is_err() && of(&["9/9"]).is_err());
    }

    #[test]
    fn mistakes_have_a_line() {
        for (text, expected) in [
            ("startpos\nstartpos moves 7g7e\n", "line 2: "),
            ("startpos\n\nsfen 9/9 b - 1", "line 3: "),
            (&format!("{BOARD} b - 65536"), "above 65535"),
            ("4k4/9/9/9/9/9/9/9/9 b - 1", "king"),
            ("// nothing", "no start positions"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn every_position_comes_up_before_any_comes_up_again() {
        for count in [1, 2, 3, 4, 5, 16, 17, 1000] {
            let orders: Vec<Vec<u64>> = [1, 2]
                .map(|seed| {
                    (0..count)
                        .map(|index| permuted(count, seed, index))
                        .collect()
                })
                .into();
            for order in &orders {
                assert_eq!(order.iter().collect::<HashSet<_>>().len() as u64, count);
                assert!(order.iter().all(|&index| index < count));
            }
            assert!(count < 16 || orders[0] != orders[1]);
        }
    }
}
