//! Boards and tables in the shape that Egaroucid's console prints.

use std::fmt::Write as _;
use std::time::Duration;

use othello_core::{Move, Position, Side, Square};
use othello_search::{PlayLevel, Selectivity};

use crate::analysis::{AnalysedMove, Judge, analysis_sums};
use crate::hints::{Hint, HintSource, Hints};
use crate::session::PlayedMove;

/// The header of a table of hints.
pub(super) const HINTS: &str = "|          Level|          Depth|           Move|          Score|           Time|          Nodes|            NPS|\n";

/// The header of an analysis.
pub(super) const ANALYSIS: &str = "|          Ply|       Player|       Played|        Depth|        Score|  Alternative|        Depth|        Score|        Judge|\n";

/// The header of the sums of an analysis.
const SUMS: &str = "|       Player|     Disagree|Disagree Loss|Disagree Rate|      Mistake| Mistake Loss| Mistake Rate|   Avg. Error|\n";

/// A board with its facts on the right; `clocks` are those of black and white, `opening` is the name of the opening.
pub(super) fn board(
    position: Position,
    clocks: [Option<Duration>; 2],
    opening: Option<&str>,
) -> String {
    let mut text = "  a b c d e f g h \n".to_owned();
    let board = position.board();
    let clock = |side: usize| match clocks {
        [None, None] => "-s".to_owned(),
        // A side without a clock has no time once the other one has.
        _ => format!("{:.2}s", clocks[side].unwrap_or_default().as_secs_f64()),
    };
    for rank in 0..8u8 {
        let _ = write!(text, "{} ", rank + 1);
        for file in 0..8u8 {
            let bit = Square::new(rank * 8 + file).map_or(0, Square::bit);
            text.push_str(if position.black() & bit != 0 {
                "X "
            } else if position.white() & bit != 0 {
                "O "
            } else {
                ". "
            });
        }
        let empties = board.empty().len();
        let fact = match rank {
            1 if board.is_over() => "GAME OVER".to_owned(),
            1 => match position.side() {
                Side::Black => "BLACK to move".to_owned(),
                Side::White => "WHITE to move".to_owned(),
            },
            2 => format!("ply {} {empties} empties", 61 - i64::from(empties)),
            3 => format!(
                "BLACK: {} WHITE: {}",
                position.black().count_ones(),
                position.white().count_ones()
            ),
            4 => format!("BLACK Remaining {}", clock(0)),
            5 => format!("WHITE Remaining {}", clock(1)),
            6 => opening.unwrap_or_default().to_owned(),
            _ => String::new(),
        };
        if !fact.is_empty() {
            let _ = write!(text, "  {fact}");
        }
        text.push('\n');
    }
    text
}

/// `000:00:00.000`.
fn time(time: Duration) -> String {
    let (seconds, milliseconds) = (time.as_secs(), time.subsec_millis());
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    format!(
        "{hours:03}:{minutes:02}:{:02}.{milliseconds:03}",
        seconds % 60
    )
}

/// Boards a second; the least time is a millisecond.
fn rate(nodes: u64, elapsed: Duration) -> u128 {
    u128::from(nodes) * 1000 / elapsed.as_millis().max(1)
}

fn depth(source: HintSource) -> String {
    match source {
        HintSource::Book { .. } => "Book".to_owned(),
        HintSource::Search { .. } => source.to_string(),
    }
}

fn row(level: u32, hint: &Hint, nodes: u64, elapsed: Duration) -> String {
    format!(
        "|{level:>15}|{:>15}|{:>15}|{:>+15}|{:>15}|{nodes:>15}|{:>15}|\n",
        depth(hint.source),
        hint.mv.to_string(),
        hint.score,
        time(elapsed),
        rate(nodes, elapsed)
    )
}

/// The row of a hint.
pub(super) fn hint(level: u32, hint: &Hint) -> String {
    row(level, hint, hint.nodes, hint.elapsed)
}

/// A table of hints.
pub(super) fn hints(level: u32, hints: &Hints) -> String {
    let rows = hints.moves.iter().map(|found| hint(level, found));
    std::iter::once(HINTS.to_owned()).chain(rows).collect()
}

/// A table of the move that was played.
pub(super) fn played(level: u32, hint: &Hint, chosen: &PlayedMove) -> String {
    HINTS.to_owned() + &row(level, hint, chosen.nodes, chosen.elapsed)
}

/// A move that was played and nothing else but perhaps its value.
pub(super) fn quiet(chosen: &PlayedMove, output: MoveOutput) -> String {
    let name = match chosen.mv {
        Move::Place(square) => square.to_string(),
        Move::Pass => "ps".to_owned(),
    };
    match &chosen.hint {
        Some(hint) if output == MoveOutput::MoveAndValue => format!("{name} {}\n", hint.score),
        _ => format!("{name}\n"),
    }
}

/// The last line of solved positions.
pub(super) fn total(nodes: u64, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    let rate = rate(nodes, elapsed);
    format!("total {nodes} nodes in {seconds:.3}s NPS {rate}\n")
}

/// The row of an analysed move.
pub(super) fn analysed(mv: &AnalysedMove) -> String {
    let player = match mv.side {
        Side::Black => "Black",
        Side::White => "White",
    };
    let judge = match mv.judge() {
        None => "",
        Some(Judge::Disagree) => "Disagree",
        Some(Judge::Mistake) => "Mistake",
    };
    let columns = |hint: Option<&Hint>| match hint {
        Some(hint) => format!(
            "{:>13}|{:>13}|{:>+13}|",
            hint.mv.to_string(),
            depth(hint.source),
            hint.score
        ),
        None => format!("{:>13}|{:>13}|{:>13}|", "", "", ""),
    };
    format!(
        "|{:>13}|{player:>13}|{}{}{judge:>13}|\n",
        mv.ply,
        columns(Some(&mv.played)),
        columns(mv.alternative.as_ref())
    )
}

/// The sums of an analysis, behind an empty line.
pub(super) fn sums(moves: &[AnalysedMove]) -> String {
    let mut text = format!("\n{SUMS}");
    for (name, side) in [("Black", Side::Black), ("White", Side::White)] {
        let sums = analysis_sums(moves, side);
        let of = |count: u32| format!("{count} / {:>2}", sums.moves);
        let _ = writeln!(
            text,
            "|{name:>13}|{:>13}|{:>13}|{:>13.3}|{:>13}|{:>13}|{:>13.3}|{:>13.3}|",
            of(sums.disagree),
            sums.disagree_loss,
            sums.disagree_rate(),
            of(sums.mistake),
            sums.mistake_loss,
            sums.mistake_rate(),
            sums.average_error()
        );
    }
    text
}

/// The depth of each level of a program, and how sure its searches to the end are at each ply.
pub(super) fn levels(of: PlayLevel) -> String {
    let mut text = "Level definition:\n  Endgame probability\n".to_owned();
    for (percent, sign) in [
        ("74", '_'),
        ("88", '-'),
        ("93", '='),
        ("98", '+'),
        ("99", '^'),
        ("99.9", '#'),
        ("100", ' '),
    ] {
        let _ = writeln!(text, "     {percent}%: {sign}");
    }
    text.push_str(
        "  |Level|Midgame        |Endgame 10|        20|        30|        40|        50|        60|\n",
    );
    for number in 1..=PlayLevel::MOST {
        let level = of.with_number(number);
        let first = level.goal(60, 1);
        let midgame = if first.depth < 60 {
            let percent = first.selectivity.percent();
            // Some of our own levels look deeper later in the midgame.
            let depths = (1..60).map(|empties| (level.goal(empties, 1).depth, empties));
            let midgame = depths.filter(|(depth, empties)| depth < empties);
            let most = midgame.map(|(depth, _)| depth).max();
            let depths = match most.filter(|&most| most > first.depth) {
                Some(most) => format!("{}-{most}", first.depth),
                None => first.depth.to_string(),
            };
            format!("{depths} moves@{percent}.000000%")
        } else {
            "None".to_owned()
        };
        let _ = write!(text, "  |{number:>5}|{midgame:>15}|");
        for ply in 0..60 {
            let empties = 60 - ply;
            let goal = level.goal(empties, 1);
            text.push(match goal.selectivity {
                _ if goal.depth < empties => ' ',
                Selectivity::P87 | Selectivity::P88 => '-',
                Selectivity::P93 => '=',
                Selectivity::P95 | Selectivity::P98 => '+',
                Selectivity::P99 => '^',
                // The sureness of the midgame, where its depth happens to reach the end.
                Selectivity::P73 | Selectivity::P74 | Selectivity::Exact => ' ',
            });
            if ply % 10 == 9 {
                text.push('|');
            }
        }
        text.push('\n');
    }
    text
}

/// How a console tells a move of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MoveOutput {
    /// As a table; boards are shown too.
    #[default]
    Table,
    /// The move alone.
    Move,
    /// The move and its value.
    MoveAndValue,
}
