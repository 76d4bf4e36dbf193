//! Writing of CSA, versions 2.2 and 3.0.

use std::fmt::Write as _;

use shogi_core::{Color, Hand, Position};

use crate::csa::{CsaVersion, KEYS, csa_kind, csa_move};
use crate::ending::GameEnding;
use crate::error::{LossKind, Losses};
use crate::record::{GameRecord, Headers, Step};
use crate::start::Handicap;
use crate::text::one_line;
use crate::words::square;

/// Writes the game as it was played, as CSA in UTF-8 with LF line ends.
pub fn write_csa(record: &GameRecord, version: CsaVersion) -> (String, Losses) {
    let mut losses = Losses::default();
    let mut text = String::with_capacity(500 + record.node_count() * 14);
    text.push_str(match version {
        CsaVersion::V22 => "V2.2\n",
        CsaVersion::V3 => "'CSA encoding=UTF-8\nV3.0\n",
    });
    write_headers(&mut text, record, version, &mut losses);
    write_start(&mut text, record.start());
    if record.start().ply() != 1 {
        losses.add(LossKind::MoveNumber, 1);
    }
    losses.add(LossKind::Variations, record.variations());
    for (depth, id) in record.line_from(GameRecord::ROOT).enumerate() {
        let node = record.node(id);
        match node.step() {
            None => {}
            Some(Step::Move(m) | Step::Illegal(m)) => {
                let _ = writeln!(text, "{}", csa_move(*m));
            }
            Some(Step::End(ending)) => {
                let side = record.side_at(depth - 1);
                let other = match ending {
                    GameEnding::Other(word) => {
                        let is_word = word.bytes().all(|b| b.is_ascii_graphic() && b != b',')
                            && !word.is_empty();
                        let same = GameEnding::from_csa(word, side).is_none();
                        (is_word && same).then_some(word.as_str())
                    }
                    _ => None,
                };
                if let Some(word) = ending.csa(side).or(other) {
                    let _ = writeln!(text, "%{word}");
                } else {
                    losses.add(LossKind::Endings, 1);
                    text.push_str("%CHUDAN\n");
                }
                losses.add(LossKind::EndingWords, usize::from(node.word.is_some()));
            }
        }
        if let Some(time) = node.time {
            let (seconds, rest) = (time / 1000, time % 1000);
            match version {
                CsaVersion::V3 if rest != 0 => {
                    let _ = writeln!(text, "T{seconds}.{rest:03}");
                }
                _ => {
                    let _ = writeln!(text, "T{seconds}");
                    losses.add(LossKind::Fractions, usize::from(rest != 0));
                }
            }
        }
        for comment in &node.comments {
            let comment = one_line(comment, LossKind::Comments, &mut losses);
            let _ = writeln!(text, "'*{comment}");
        }
        for remark in &node.remarks {
            if remark.starts_with('*') || remark.starts_with("CSA encoding=") {
                losses.add(LossKind::Remarks, 1);
            } else {
                let remark = one_line(remark, LossKind::Remarks, &mut losses);
                let _ = writeln!(text, "'{remark}");
            }
        }
        losses.add(LossKind::Bookmarks, usize::from(node.bookmark.is_some()));
    }
    (text, losses)
}

fn write_headers(text: &mut String, record: &GameRecord, version: CsaVersion, losses: &mut Losses) {
    let plain = |value: &str| !value.contains(char::is_control) && value.trim_end() == value;
    let mut named = [false; 2];
    for (key, value) in record.headers.iter() {
        let color = Color::ALL.into_iter().find(|color| match color {
            Color::Black => Headers::BLACK.contains(&key),
            Color::White => Headers::WHITE.contains(&key),
        });
        if let Some(color) = color {
            if !plain(value)
                || value.is_empty()
                || std::mem::replace(&mut named[color.index()], true)
            {
                losses.add(LossKind::Headers, 1);
            } else {
                let _ = writeln!(text, "{}{value}", ["N+", "N-"][color.index()]);
            }
            continue;
        }
        let known = KEYS.iter().find(|(csa, name, old)| {
            let newer_time = version == CsaVersion::V3 && *csa == "TIME_LIMIT";
            *name == key && (*old || version == CsaVersion::V3) && !newer_time
        });
        let own = key
            .strip_prefix('$')
            .filter(|own| !own.is_empty() && !own.contains(':') && plain(own))
            // A keyword that has a name of its own is read as that.
            .filter(|own| KEYS.iter().all(|(csa, _, _)| csa != own));
        let word = known.map(|(csa, _, _)| *csa).or(own);
        match word {
            Some(word) if plain(value) => {
                let _ = writeln!(text, "${word}:{value}");
            }
            _ => losses.add(LossKind::Headers, 1),
        }
    }
}

/// The start position and the side to move.
fn write_start(text: &mut String, position: &Position) {
    let sign = if position.side_to_move() == Color::Black {
        '+'
    } else {
        '-'
    };
    if let Some(handicap) = Handicap::of(&position.clone().with_ply(1)) {
        text.push_str("PI");
        let even = Handicap::Even.position();
        for number in [82, 22, 11, 91, 21, 81, 31, 71, 41, 61] {
            let at = square(number / 10, number % 10).expect("a square");
            if let Some(piece) = even
                .piece_on(at)
                .filter(|_| position.piece_on(at).is_none())
            {
                let _ = write!(text, "{number}{}", csa_kind(piece.kind()));
            }
        }
        debug_assert!(handicap != Handicap::Even || text.ends_with("PI"));
    } else {
        for rank in 1..=9 {
            let _ = write!(text, "P{rank}");
            for file in (1..=9).rev() {
                let piece = square(file, rank).and_then(|square| position.piece_on(square));
                match piece {
                    None => text.push_str(" * "),
                    Some(piece) => {
                        text.push(if piece.color() == Color::Black {
                            '+'
                        } else {
                            '-'
                        });
                        text.push_str(csa_kind(piece.kind()));
                    }
                }
            }
            if rank < 9 {
                text.push('\n');
            }
        }
        for color in Color::ALL {
            write_hand(text, color, position.hand(color));
        }
    }
    let _ = writeln!(text, "\n{sign}");
}

fn write_hand(text: &mut String, color: Color, hand: Hand) {
    if hand.is_empty() {
        return;
    }
    text.push_str(if color == Color::Black {
        "\nP+"
    } else {
        "\nP-"
    });
    for (kind, count) in hand.iter() {
        for _ in 0..count {
            let _ = write!(text, "00{}", csa_kind(kind.piece_kind()));
        }
    }
}
