//! The openings of the games: lines of a file, or random but balanced openings of our own.
//!
//! A random opening depends on nothing but the seed and its own number, so a match that is resumed
//! meets the same openings.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::IndexedRandom;
use shogi_core::movegen::{Captures, Legal};
use shogi_core::{Game, PieceKind, Position, parse_position_line};

/// A start for a game.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    /// The rest of a `position` command.
    pub(crate) line: String,
    /// The position reached, with its history.
    pub(crate) game: Game,
}

impl Opening {
    fn parse(line: &str) -> Result<Self> {
        let line = line.strip_prefix("position ").unwrap_or(line);
        let game = parse_position_line(line)?;
        let word = line.split_whitespace().next();
        let prefix = if matches!(word, Some("startpos" | "sfen")) {
            ""
        } else {
            "sfen "
        };
        Ok(Self {
            line: format!("{prefix}{line}"),
            game,
        })
    }
}

/// The openings of a match.
#[derive(Clone, Debug)]
pub(crate) enum Openings {
    /// In this order, from the first again when they have been used up. Never empty.
    Listed(Vec<Opening>),
    /// `plies` random moves from the initial position.
    Random { seed: u64, plies: u32 },
}

impl Openings {
    /// Reads a file of openings: a line each, in the form of USI's `position` command with or
    /// without that word, or a bare SFEN. Empty lines and lines that start with `#` are skipped.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let mut openings = Vec::new();
        for (index, line) in text.lines().map(str::trim).enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let opening = Opening::parse(line)
                .with_context(|| format!("{}, line {}", path.display(), index + 1))?;
            openings.push(opening);
        }
        ensure!(!openings.is_empty(), "{} holds no openings", path.display());
        Ok(Self::Listed(openings))
    }

    /// The opening with the given number, counted from 0.
    pub(crate) fn get(&self, number: usize) -> Opening {
        match self {
            Self::Listed(openings) => openings[number % openings.len()].clone(),
            Self::Random { seed, plies } => random(*seed, number, *plies),
        }
    }
}

/// Random numbers for the opening with the given number, counted from 0.
pub(crate) fn rng(seed: u64, number: usize) -> Xoshiro256PlusPlus {
    // Consecutive seeds give unrelated streams: the generator hashes its seed first. The odd factor
    // keeps the openings of neighbouring seeds apart.
    let stream = seed
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(number as u64);
    Xoshiro256PlusPlus::seed_from_u64(stream)
}

/// Plays random moves until an opening of `plies` plies is balanced.
fn random(seed: u64, number: usize, plies: u32) -> Opening {
    let mut rng = rng(seed, number);
    loop {
        let mut game = Game::new(Position::startpos());
        let mut line = String::from(if plies == 0 {
            "startpos"
        } else {
            "startpos moves"
        });
        for _ in 0..plies {
            let moves = game.position().moves::<Legal>();
            let Some(&m) = moves.choose(&mut rng) else {
                break;
            };
            line.push(' ');
            line.push_str(&m.to_string());
            game.play(m);
        }
        if game.len() == plies as usize && is_balanced(game.position()) {
            return Opening { line, game };
        }
    }
}

/// Returns whether neither side is ahead as far as one can see without searching: no check, equal material,
/// no mate in one, and nothing to be won by a capture.
fn is_balanced(position: &Position) -> bool {
    !position.in_check()
        && position.material() == 0
        && position.mate_in_one().is_none()
        && !wins_material(position)
}

/// Returns whether the side to move wins more than a pawn by a capture.
fn wins_material(position: &Position) -> bool {
    let pawn = PieceKind::Pawn.exchange_value();
    position
        .moves::<Captures>()
        .iter()
        .any(|&m| position.see_ge(m, pawn + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_openings_are_balanced_and_repeatable() {
        let openings = Openings::Random { seed: 7, plies: 10 };
        let lines: Vec<String> = (0..20).map(|number| openings.get(number).line).collect();
        for (number, line) in lines.iter().enumerate() {
            assert_eq!(*line, openings.get(number).line);
            let game = parse_position_line(line).expect(line);
            assert_eq!(game.len(), 10);
            assert_eq!(game.position().material(), 0);
            assert!(!game.position().in_check());
        }
        let mut distinct = lines.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), lines.len());
        let other = Openings::Random { seed: 8, plies: 10 };
        assert_ne!(other.get(0).line, lines[0]);
    }

    #[test]
    fn no_random_plies_give_the_initial_position() {
        assert_eq!(
            Openings::Random { seed: 1, plies: 0 }.get(3).line,
            "startpos"
        );
    }

    #[test]
    fn a_position_where_a_rook_hangs_is_not_balanced() {
        let hanging = Position::from_sfen("4k4/9/9/9/4r4/4P4/9/9/4K4 b - 1").expect("a position");
        assert!(wins_material(&hanging));
        assert!(!wins_material(&Position::startpos()));
    }

    #[test]
    fn a_file_may_hold_all_forms() {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        let sfen = Position::STARTPOS_SFEN;
        let text = format!(
            "# openings\n\nstartpos moves 7g7f\nposition startpos\n{sfen}\nsfen {sfen} moves 2g2f\n"
        );
        std::fs::write(file.path(), text).expect("written");
        let openings = Openings::read(file.path()).expect("openings");
        let lines: Vec<String> = (0..5).map(|number| openings.get(number).line).collect();
        let expected = [
            "startpos moves 7g7f".to_owned(),
            "startpos".to_owned(),
            format!("sfen {sfen}"),
            format!("sfen {sfen} moves 2g2f"),
            "startpos moves 7g7f".to_owned(),
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_wrong_line_is_reported_with_its_number() {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), "startpos\nstartpos moves 7g7e\n").expect("written");
        let error = Openings::read(file.path()).expect_err("an illegal move");
        assert!(format!("{error:#}").contains("line 2"), "{error:#}");
    }
}
