//! `cargo xtask synth-teacher`: pack files of any size, made of nothing but a seed.
//!
//! For measuring and testing the tools for teacher data. The games are random but legal: captures
//! and promotions are preferred as in real ones, most start in the middle of an opening, scores
//! wander, results follow them. Same seed, same bytes, on every machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use pack_format::pack::{Game, GameBuilder, PackWriter};
use pack_format::{EndReason, TeacherResult, TeacherScore};
use shogi_core::movegen::Legal;
use shogi_core::{Color, Move, Position};
use yane_base::random::SplitMix64;

use crate::outcome::Outcome;
use crate::workspace;

const EXAMPLES: &str = "\
Examples:
  cargo xtask synth-teacher --positions 20000000 t20m.pack        85 MB, 20 million positions
  cargo xtask synth-teacher --positions 100000 --seed 2 small.pack";

/// Write synthetic self-play games in the pack format.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The file to write; replaced if it exists.
    out: PathBuf,
    /// Number of positions, at least; the last game is played to its end.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    positions: u64,
    /// Seed of the games.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Plies after which a game is drawn.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=65_535))]
    max_plies: u32,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    if let Some(outcome) = workspace::rerun_in_release() {
        return outcome;
    }
    let start = Instant::now();
    let (games, positions) = write(&args.out, args.positions, args.seed, args.max_plies)?;
    println!(
        "{}: {games} games, {positions} positions in {:.1} s",
        args.out.display(),
        start.elapsed().as_secs_f64()
    );
    Ok(Outcome::Clean)
}

/// Writes a file of at least `wanted` positions; the numbers of games and positions.
pub(crate) fn write(out: &Path, wanted: u64, seed: u64, max_plies: u32) -> Result<(u64, u64)> {
    let temporary = out.with_extension("tmp");
    let mut writer = PackWriter::new(fs::File::create(&temporary)?);
    let mut random = SplitMix64::new(seed);
    let mut positions = 0;
    while positions < wanted {
        let game = play(&mut random, max_plies)?;
        positions += game.plies().len() as u64;
        writer.write(&game)?;
    }
    let games = writer.games();
    writer.finish()?.sync_all()?;
    fs::rename(&temporary, out)?;
    Ok((games, positions))
}

/// A game: a few random moves that are not part of it, then up to `max_plies` that are.
fn play(random: &mut SplitMix64, max_plies: u32) -> Result<Game> {
    let mut start = Position::startpos();
    for _ in 0..random.index(25) {
        let Some(mv) = choose(&start, random) else {
            break;
        };
        let _ = start.do_move_unchecked(mv);
    }
    let mut game = GameBuilder::new(start)?;
    // Black's view.
    let mut score = 0i32;
    for _ in 0..max_plies {
        let Some(mv) = choose(game.position(), random) else {
            let winner = game.position().side_to_move().flip();
            return Ok(game.finish(TeacherResult::win_of(winner), EndReason::RESIGN)?);
        };
        score = (score + random.index(241) as i32 - 120).clamp(-32_000, 32_000);
        let view = match game.position().side_to_move() {
            Color::Black => score,
            Color::White => -score,
        };
        game.play(mv, TeacherScore(view as i16))?;
        if score.abs() > 1500 && random.index(20) == 0 {
            let winner = if score > 0 {
                Color::Black
            } else {
                Color::White
            };
            return Ok(game.finish(TeacherResult::win_of(winner), EndReason::RESIGN)?);
        }
    }
    Ok(game.finish(TeacherResult::Draw, EndReason::MAX_MOVES)?)
}

/// A random legal move, captures and promotions more often than others.
fn choose(position: &Position, random: &mut SplitMix64) -> Option<Move> {
    let moves = position.moves::<Legal>();
    if moves.is_empty() {
        return None;
    }
    let any = moves[random.index(moves.len())];
    let second = moves[random.index(moves.len())];
    let forcing = |mv: Move| mv.is_promotion() || position.piece_on(mv.to()).is_some();
    Some(if forcing(second) { second } else { any })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_the_same_legal_games() {
        let games = |seed| {
            let mut random = SplitMix64::new(seed);
            let mut bytes = Vec::new();
            for _ in 0..20 {
                play(&mut random, 120).unwrap().write_to(&mut bytes);
            }
            bytes
        };
        assert_eq!(games(7), games(7));
        assert_ne!(games(7), games(8));
        let read = pack_format::pack::games(&games(7))
            .map(Result::unwrap)
            .count();
        assert_eq!(read, 20);
    }
}
