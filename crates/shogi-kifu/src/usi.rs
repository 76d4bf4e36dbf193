//! Games as USI's `position` lines, one a line: `startpos moves 7g7f 3c3d resign`.

use shogi_core::{Move, MoveText, Position, SfenError};

use crate::ending::GameEnding;
use crate::error::{KifuError, KifuProblem, LossKind, Losses};
use crate::record::{GameRecord, RecordBuilder, Step};

/// Reads one game from a line: `position`, `sfen` and `moves` may be missing. A word may end it: `resign`, `win`, and those of
/// other programs such as `break`, `rep_draw`, `draw` or `timeout`.
///
/// # Errors
/// When the line has no position, or one of its words is no move that a piece can make.
pub fn read_usi(line: &str) -> Result<GameRecord, KifuError> {
    read(line).map_err(|problem| KifuError::new(1, problem))
}

fn read(line: &str) -> Result<GameRecord, KifuProblem> {
    let mut words = line.split_whitespace().peekable();
    let _ = words.next_if(|word| word.eq_ignore_ascii_case("position"));
    let _ = words.next_if(|word| word.eq_ignore_ascii_case("sfen"));
    let start = match words.peek() {
        None => return Err(KifuProblem::Nothing),
        Some(word) if word.eq_ignore_ascii_case("startpos") => {
            words.next();
            Position::startpos()
        }
        Some(word) if word.contains('/') => {
            let mut sfen = String::new();
            for field in 0..4 {
                let fits = |word: &&str| field < 3 || word.bytes().all(|b| b.is_ascii_digit());
                let Some(word) = words.next_if(fits) else {
                    break;
                };
                sfen.push_str(word);
                sfen.push(' ');
            }
            Position::from_sfen(&sfen)
                .map_err(|error: SfenError| KifuProblem::Start(error.into()))?
        }
        Some(_) => Position::startpos(),
    };
    let _ = words.next_if(|word| word.eq_ignore_ascii_case("moves"));
    let mut builder = RecordBuilder::new(start);
    for word in words {
        let ending = GameEnding::from_usi(word).or_else(|| other_ending(word));
        match ending {
            Some(_) if builder.is_ended() => builder.node_mut().remarks.push(word.to_owned()),
            Some(ending) => {
                builder.end(ending);
            }
            None => {
                let _ = builder.reopen();
                let m = move_from_usi(builder.position(), word)?;
                builder.play_on(m);
            }
        }
    }
    Ok(builder.finish())
}

/// A word that can be no move, of letters alone: some program's name of an ending.
fn other_ending(word: &str) -> Option<GameEnding> {
    let is_word = word.len() > 2 && word.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_');
    is_word.then(|| GameEnding::Other(word.to_owned()))
}

/// The move, legal or not, that `word` is in `position`.
fn move_from_usi(position: &Position, word: &str) -> Result<Move, KifuProblem> {
    let usual = || {
        let lower = word.to_ascii_lowercase();
        match lower.split_once('*') {
            Some((kind, to)) => format!("{}*{to}", kind.to_ascii_uppercase()),
            None => lower,
        }
    };
    let text = MoveText::from_usi(word).or_else(|| MoveText::from_usi(&usual()));
    let text = text.ok_or_else(|| KifuProblem::expected("a move such as 7g7f", word))?;
    let missing = |reason: &str| KifuProblem::Move {
        found: word.to_owned(),
        reason: reason.to_owned(),
    };
    if let shogi_core::Origin::Hand(kind) = text.origin
        && !position.hand(position.side_to_move()).has(kind)
    {
        return Err(missing("no such piece is in hand"));
    }
    position
        .complete(text)
        .ok_or_else(|| missing("no own piece that could is on its origin"))
}

impl GameRecord {
    /// The first `plies` moves of the game as it was played as a line: `startpos moves …` or `sfen … moves …`, without an end.
    pub fn usi_line(&self, plies: usize) -> String {
        let mut text = start_line(self.start());
        for (number, m) in self.moves().take(plies).enumerate() {
            text.push_str(if number == 0 { " moves " } else { " " });
            text.push_str(&m.to_string());
        }
        text
    }
}

fn start_line(start: &Position) -> String {
    if *start == Position::startpos() {
        "startpos".to_owned()
    } else {
        format!("sfen {}", start.to_sfen())
    }
}

/// Writes the game as it was played as a line, with its end: `startpos moves …` or `sfen … moves …`.
pub fn write_usi(record: &GameRecord) -> (String, Losses) {
    let mut losses = Losses::default();
    let mut text = start_line(record.start());
    losses.add(LossKind::Variations, record.variations());
    losses.add(LossKind::Headers, record.headers.iter().count());
    for (depth, id) in record.line_from(GameRecord::ROOT).enumerate() {
        let node = record.node(id);
        losses.add(LossKind::Comments, node.comments.len());
        losses.add(LossKind::Remarks, node.remarks.len());
        losses.add(LossKind::Bookmarks, usize::from(node.bookmark.is_some()));
        losses.add(LossKind::Times, usize::from(node.time.is_some()));
        losses.add(LossKind::EndingWords, usize::from(node.word.is_some()));
        let word = match node.step() {
            None => continue,
            Some(Step::Move(m) | Step::Illegal(m)) => m.to_string(),
            Some(Step::End(GameEnding::Resign)) => "resign".to_owned(),
            Some(Step::End(GameEnding::EnteringKing)) => "win".to_owned(),
            Some(Step::End(_)) => {
                losses.add(LossKind::Endings, 1);
                continue;
            }
        };
        text.push_str(if depth == 1 { " moves " } else { " " });
        text.push_str(&word);
    }
    text.push('\n');
    (text, losses)
}
