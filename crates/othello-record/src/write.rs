//! Records as text in every format.

use othello_core::{Position, Side};

use crate::format::OthelloFormat;
use crate::losses::{RecordLoss, RecordLosses};
use crate::tree::OthelloRecord;
use crate::writing::one_line;
use crate::{base81, diagram, egaroucid, ggf, parse, pgn, quest, sgf};

impl OthelloFormat {
    /// The text of a record, with a line end, and what it leaves out. [`Wthor`](Self::Wthor) is written by
    /// [`WthorWriter`](crate::WthorWriter): here its games are transcripts.
    pub fn write(self, record: &OthelloRecord) -> (String, RecordLosses) {
        let mut losses = RecordLosses::default();
        let text = match self {
            Self::Transcript | Self::Wthor => transcript(record, &mut losses),
            Self::Ggf => ggf::write(record, &mut losses),
            Self::Sgf => sgf::write(record, &mut losses),
            Self::Pgn => pgn::write(record, &mut losses),
            Self::Quest => quest::write(record, &mut losses),
            Self::Egaroucid => egaroucid::write(record, &mut losses),
            Self::Obf => obf(record, &mut losses),
            Self::Board
            | Self::Ggs
            | Self::Bitboards
            | Self::BlackWhite
            | Self::Base81
            | Self::Diagram => {
                losses.add(RecordLoss::Moves, record.game().moves().len());
                losses.add_all_but_moves(record);
                board(self, record.node(record.last()).position())
            }
        };
        (text, losses)
    }
}

/// The transcript, behind the start position if it is another, and the result if it is stated.
pub(super) fn transcript(record: &OthelloRecord, losses: &mut RecordLosses) -> String {
    let game = record.game();
    let mut text = String::new();
    if game.start() != Position::START {
        text = format!("{} ", game.start());
    }
    text.push_str(&game.to_string());
    if game.moves().is_empty() && game.start() == Position::START {
        // An empty line is no game.
        text = game.start().to_string();
    }
    if let Some(result) = record.info.result.filter(|_| !game.moves().is_empty()) {
        text.push(' ');
        text.push_str(&result.to_string());
        losses.check_end(result);
    } else {
        losses.add(
            RecordLoss::Results,
            usize::from(record.info.result.is_some()),
        );
    }
    let mut other = record.clone();
    other.info.result = None;
    losses.add_all_but_moves(&other);
    text.push('\n');
    text
}

/// The line of an `.obf` file of the last position; the answers are those of the file that it was read from.
pub(super) fn obf(record: &OthelloRecord, losses: &mut RecordLosses) -> String {
    let position = record.node(record.last()).position();
    let mut rest = record.clone();
    let is_position = record.game().moves().is_empty();
    let is_answer = |extra: &crate::RecordExtra| {
        is_position && extra.format == OthelloFormat::Obf && extra.key == "answers"
    };
    let answers = record.info.extras.iter().find(|extra| is_answer(extra));
    let answers = answers
        .map(|extra| format!(" {}", extra.value))
        .unwrap_or_default();
    let comment = one_line(&record.info.comment);
    rest.info.extras.retain(|extra| !is_answer(extra));
    rest.info.comment.clear();
    losses.add(RecordLoss::Moves, record.game().moves().len());
    losses.add_all_but_moves(&rest);
    let comment = if comment.is_empty() {
        String::new()
    } else {
        format!(" % {comment}")
    };
    format!("{position};{answers}{comment}\n")
}

/// The numbers of black and white, and the side to move: words tell them from those of the mover and the opponent.
pub(super) fn black_white(position: Position) -> String {
    let (black, white) = (
        position.black().reverse_bits(),
        position.white().reverse_bits(),
    );
    let side = if position.side() == Side::Black {
        "black"
    } else {
        "white"
    };
    format!("black 0x{black:016x} white 0x{white:016x} {side}")
}

/// A position in one of the forms of boards.
pub(super) fn board(format: OthelloFormat, position: Position) -> String {
    let text = match format {
        OthelloFormat::Ggs => ggf::board(position),
        OthelloFormat::Bitboards => {
            // Without a word, two numbers are the mover's and the opponent's, and black moves.
            let [mover, opponent] = position.board().h8_first();
            let side = if position.side() == Side::Black {
                "black"
            } else {
                "white"
            };
            let text = format!("0x{mover:016x}\t0x{opponent:016x}\t{side}");
            // Of a board that no game leads to, the numbers would be exchanged.
            if parse(&text).is_ok_and(|read| read.position() == position) {
                text
            } else {
                black_white(position)
            }
        }
        OthelloFormat::BlackWhite => black_white(position),
        OthelloFormat::Base81 => base81(position),
        OthelloFormat::Diagram => diagram(position).trim_end().to_owned(),
        _ => position.to_string(),
    };
    format!("{text}\n")
}
