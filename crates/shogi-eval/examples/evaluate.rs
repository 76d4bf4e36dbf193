//! Evaluates the start position and what each first move makes of it, with the files of a folder or the network that is built in:
//! `cargo run -p yane-shogi-eval --example evaluate [FOLDER]`.

use std::error::Error;
use std::path::PathBuf;

use shogi_core::movegen::LegalAll;
use shogi_core::{Delta, Position};
use shogi_eval::Evaluator as _;
use shogi_eval::loader::{EvalFiles, EvalOpenOptions, Evaluation};

fn main() -> Result<(), Box<dyn Error>> {
    let opened = match std::env::args_os().nth(1).map(PathBuf::from) {
        None => Evaluation::embedded()?,
        Some(folder) => {
            let files = EvalFiles::find(&folder).ok_or("no evaluation in the folder")?;
            files.open(&EvalOpenOptions::default())?
        }
    };
    println!("{}", opened.evaluation.name());
    // One evaluation for all threads, an evaluator for each.
    let mut evaluator = opened.evaluation.evaluator(None);
    let mut position = Position::startpos();
    evaluator.reset(&position);
    println!("start: {}", evaluator.evaluate(&position));
    for mv in position.moves::<LegalAll>() {
        let undo = position.do_move_unchecked(mv);
        evaluator.push(Some(&Delta::new(&position, mv, &undo)));
        println!("{mv}: {}", -evaluator.evaluate(&position));
        evaluator.pop();
        position.undo_move(mv, &undo);
    }
    Ok(())
}
