//! Writes two games of a few moves as a pack, and converts it to hcpe:
//! `cargo run -p yane-pack-format --example convert_games [FOLDER]`.

use std::error::Error;
use std::fs::File;
use std::path::PathBuf;

use pack_format::convert::{TeacherConvertOptions, convert};
use pack_format::pack::{GameBuilder, PackWriter};
use pack_format::stream::Input;
use pack_format::{EndReason, TeacherFormat, TeacherResult, TeacherScore};
use shogi_core::Position;
use yane_io::Job;

/// Moves with their scores, in centipawns for the player who moves.
const GAMES: [&[(&str, i16)]; 2] = [
    &[("7g7f", 52), ("3c3d", -31), ("2g2f", 60)],
    &[("2g2f", 40), ("8c8d", -25)],
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1);
    let folder = folder.map_or_else(std::env::temp_dir, PathBuf::from);
    let (pack, hcpe) = (folder.join("games.pack"), folder.join("games.hcpe"));

    let mut writer = PackWriter::new(File::create(&pack)?);
    for moves in GAMES {
        let mut game = GameBuilder::new(Position::startpos())?;
        for &(text, score) in moves {
            let mv = game.position().move_from_usi(text)?;
            game.play(mv, TeacherScore(score))?;
        }
        writer.write(&game.finish(TeacherResult::BlackWin, EndReason::RESIGN)?)?;
    }
    writer.finish()?;

    let options = TeacherConvertOptions::new(TeacherFormat::Pack, TeacherFormat::Hcpe);
    let inputs = [Input::named(&pack)];
    let report = convert(&inputs, &hcpe, &options, &Job::default())?;
    println!("{} positions in {}", report.positions, hcpe.display());
    Ok(())
}
