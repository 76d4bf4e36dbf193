//! Games at random, with everything a record can have.

use shogi_core::Position;
use shogi_core::movegen::LegalAll;
use shogi_kifu::{GameEnding, GameRecord, Handicap, RecordBuilder};
use test_support::SplitMix64;

/// What a generated game may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Richness {
    /// Everything.
    Full,
    /// Moves and an ending.
    Plain,
}

const ENDINGS: [GameEnding; 12] = [
    GameEnding::Resign,
    GameEnding::Interrupt,
    GameEnding::Repetition,
    GameEnding::Impasse,
    GameEnding::Draw,
    GameEnding::MaxMoves,
    GameEnding::Mate,
    GameEnding::NoMate,
    GameEnding::TimeUp,
    GameEnding::FoulWin,
    GameEnding::FoulLoss,
    GameEnding::EnteringKing,
];

const TEXTS: [&str; 8] = [
    "",
    "良い手",
    "* 123 +7776FU -3334FU #5",
    "  blanks at both ends  ",
    "変化：3手",
    "/",
    "まで5手で先手の勝ち",
    "1 ７六歩(77)",
];

/// The game of a seed.
pub(crate) fn game(seed: u64, richness: Richness) -> GameRecord {
    let mut random = SplitMix64::new(seed);
    let mut builder = RecordBuilder::new(start(&mut random));
    let full = richness == Richness::Full;
    if full {
        for key in ["先手", "後手", "棋戦", "開始日時", "場所", "備考"] {
            if random.below(2) == 0 {
                builder
                    .headers()
                    .set(key, format!("{key}の値{}", random.below(100)));
            }
        }
        annotate(&mut builder, &mut random);
    }
    let length = random.below(40) as usize;
    line(&mut builder, &mut random, length, full);
    for _ in 0..if full { random.below(6) } else { 0 } {
        // Back in the line that was written last, so that variations nest.
        let depth = random.remainder(builder.depth() + 1);
        builder.back_to(depth);
        let length = random.below(8) as usize;
        line(&mut builder, &mut random, length, true);
    }
    builder.finish()
}

/// A handicap, a position of a game, or that with a move number.
fn start(random: &mut SplitMix64) -> Position {
    let handicap = Handicap::ALL[random.remainder(Handicap::ALL.len())];
    let mut position = match random.below(3) {
        0 => Handicap::Even.position(),
        _ => handicap.position(),
    };
    if random.below(3) == 0 {
        for _ in 0..random.below(120) {
            let moves = position.moves::<LegalAll>();
            if moves.is_empty() {
                break;
            }
            let _ = position.do_move_unchecked(moves[random.remainder(moves.len())]);
        }
        position = position.with_ply(1);
    }
    position
}

fn annotate(builder: &mut RecordBuilder, random: &mut SplitMix64) {
    let node = builder.node_mut();
    if random.below(3) == 0 {
        for _ in 0..=random.below(3) {
            node.comments.push((*random.choose(&TEXTS)).to_owned());
        }
    }
}

fn line(builder: &mut RecordBuilder, random: &mut SplitMix64, length: usize, full: bool) {
    let timed = full && random.below(2) == 0;
    for _ in 0..length {
        let moves = builder.position().moves::<LegalAll>();
        if moves.is_empty() {
            break;
        }
        let known: Vec<_> = {
            let record = builder.record();
            let children = record.node(builder.node()).children();
            children
                .iter()
                .map(|&id| record.node(id).legal_move())
                .collect()
        };
        let m = moves[random.remainder(moves.len())];
        if known.contains(&Some(m)) || !builder.play(m) {
            return;
        }
        if timed {
            builder.node_mut().time = Some(random.below(4000) * 1000);
        }
        if full {
            annotate(builder, random);
        }
    }
    if random.below(2) == 0 && builder.end(random.choose(&ENDINGS).clone()) {
        if timed {
            builder.node_mut().time = Some(random.below(100) * 1000);
        }
        if full {
            annotate(builder, random);
        }
    }
}
