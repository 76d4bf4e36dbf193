//! Prints the output of a search of a position: `think DEPTH [SFEN]`.

use shogi_core::{Game, Position};
use shogi_eval::PositionalEvaluator;
use shogi_search::{Control, Limits, Observer, SearchInfo, SearchOptions, SharedState, search};

struct Print;

impl Observer for Print {
    fn info(&mut self, info: &SearchInfo) {
        let pv: Vec<String> = info.pv.iter().map(ToString::to_string).collect();
        println!(
            "depth {:2}/{:2} score {:6} {:?} nodes {:9} time {:6} ms full {:3} pv {}",
            info.depth,
            info.sel_depth,
            info.score.0,
            info.bound,
            info.nodes,
            info.elapsed.as_millis(),
            info.hash_full,
            pv.join(" "),
        );
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let depth = args.next().map_or(10, |arg| arg.parse().expect("a depth"));
    let sfen = args.collect::<Vec<_>>().join(" ");
    let position = if sfen.is_empty() {
        Position::startpos()
    } else {
        Position::from_sfen(&sfen).expect("an SFEN")
    };
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let result = search(
        &Game::new(position),
        &limits,
        &SearchOptions::default(),
        &mut PositionalEvaluator::new(),
        &mut SharedState::new(64),
        &Control::new(),
        &mut Print,
    );
    println!("{result:?}");
}
