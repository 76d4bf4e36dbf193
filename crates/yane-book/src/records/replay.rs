//! A line of a record file, played move by move.

use shogi_core::{Move, Move16, Position};
use shogi_kifu::{GameNodeId, GameOutcome, GameRecord, Step};

use crate::book_move::move_from_usi;
use crate::db::LineProblem;
use crate::records::MoveScore;

/// A game being replayed from its line.
///
/// ```
/// use yane_book::records::Replay;
///
/// let mut game = Replay::new(b"startpos moves 7g7f 3c3d resign")?;
/// assert_eq!(game.play_next()?.unwrap().to_string(), "7g7f");
/// assert_eq!(game.position().ply(), 2);
/// # Ok::<(), yane_book::db::LineProblem>(())
/// ```
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    position: Position,
    moves: Moves<'a>,
    is_decided: bool,
    /// Moves between the start of the game and `position`.
    depth: usize,
    is_variation: bool,
}

/// Where the moves of a game come from.
#[derive(Clone, Debug)]
enum Moves<'a> {
    /// The words of a line.
    Words(Words<'a>),
    /// A record, which was read already.
    Record {
        record: &'a GameRecord,
        /// The node of the last move.
        at: GameNodeId,
        /// The node of the next move, where that is not the first one.
        next: Option<GameNodeId>,
    },
}

impl<'a> Replay<'a> {
    /// Reads the start of the game in `line`, which has no line end.
    ///
    /// # Errors
    /// When the SFEN of the start is wrong.
    pub fn new(line: &'a [u8]) -> Result<Self, LineProblem> {
        let mut words = Words { rest: line };
        let mut position = None;
        loop {
            let here = words.clone();
            match words.next() {
                Some(word) if is(word, "position") || is(word, "moves") => {}
                Some(word) if is(word, "startpos") => position = Some(Position::startpos()),
                Some(word) if is(word, "sfen") => position = Some(words.sfen()?),
                Some(word) if word.contains(&b'/') => {
                    words = here;
                    position = Some(words.sfen()?);
                }
                _ => {
                    return Ok(Self {
                        position: position.unwrap_or_else(Position::startpos),
                        moves: Moves::Words(here),
                        is_decided: false,
                        depth: 0,
                        is_variation: false,
                    });
                }
            }
        }
    }

    /// The game as it was played of a record in any format.
    pub fn of_record(record: &'a GameRecord) -> Self {
        Self {
            position: record.start().clone(),
            moves: Moves::Record {
                record,
                at: GameRecord::ROOT,
                next: None,
            },
            is_decided: false,
            depth: 0,
            is_variation: false,
        }
    }

    /// The variations of a record, each from the position before its first move: with the game as it was played, they have
    /// every move of the record once.
    pub(crate) fn variations_of(record: &'a GameRecord) -> impl Iterator<Item = Self> {
        let mut waiting = vec![Self::of_record(record)];
        let mut found = Vec::new();
        std::iter::from_fn(move || {
            while found.is_empty() {
                waiting.pop()?.branch(&mut found);
                found.reverse();
            }
            let variation: Self = found.pop()?;
            waiting.push(variation.clone());
            Some(variation)
        })
    }

    /// Plays the line to its end and appends the variations that leave it, in their order.
    fn branch(mut self, found: &mut Vec<Self>) {
        loop {
            let Moves::Record { record, at, next } = self.moves else {
                return;
            };
            // The first move of a variation has its variations at the line that it leaves.
            if next.is_none() {
                for &child in record.node(at).children().iter().skip(1) {
                    let moves = Moves::Record {
                        record,
                        at,
                        next: Some(child),
                    };
                    found.push(Self {
                        moves,
                        is_variation: true,
                        ..self.clone()
                    });
                }
            }
            if !matches!(self.play_next(), Ok(Some(_))) {
                return;
            }
        }
    }

    /// Returns whether the line is a variation of a game.
    pub(crate) const fn is_variation(&self) -> bool {
        self.is_variation
    }

    /// Number of moves between the start of the game and [`Self::position`].
    pub(crate) const fn depth(&self) -> usize {
        self.depth
    }

    /// The score that the record has for the move played last, for the side that played it.
    pub(crate) fn score(&self) -> Option<MoveScore> {
        match &self.moves {
            Moves::Record { record, at, .. } => {
                MoveScore::of(record.node(*at), self.position.side_to_move().flip())
            }
            Moves::Words(_) => None,
        }
    }

    /// The position after the moves played so far.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// Returns whether the game has ended with the word `win` or `resign`, or its record says how it came out.
    pub const fn is_decided(&self) -> bool {
        self.is_decided
    }

    /// Plays the next move; `None` at the end of the game.
    ///
    /// # Errors
    /// When the next word is no move or cannot be played. The game has ended then.
    pub fn play_next(&mut self) -> Result<Option<Move>, LineProblem> {
        let words = match &mut self.moves {
            Moves::Words(words) => words,
            Moves::Record { record, at, next } => {
                let children = record.node(*at).children();
                let next = next.take().or_else(|| children.first().copied());
                let Some(next) = next else { return Ok(None) };
                *at = next;
                return match record.node(next).step() {
                    Some(Step::Move(m)) => {
                        let _ = self.position.do_move_unchecked(*m);
                        self.depth += 1;
                        Ok(Some(*m))
                    }
                    Some(Step::Illegal(m)) => Err(LineProblem::Illegal(m.to_string())),
                    Some(Step::End(ending)) if self.is_variation => {
                        let outcome = ending.outcome(self.position.side_to_move());
                        self.is_decided = outcome != GameOutcome::Undecided;
                        Ok(None)
                    }
                    Some(Step::End(_)) | None => {
                        self.is_decided = record.outcome() != GameOutcome::Undecided;
                        Ok(None)
                    }
                };
            }
        };
        let word = match words.next() {
            None => return Ok(None),
            Some(word) if is(word, "win") || is(word, "resign") => {
                words.rest = &[];
                self.is_decided = true;
                return Ok(None);
            }
            Some(word) => word,
        };
        let code = move_from_usi(word).or_else(|| move_from_capitals(word));
        if code.is_none()
            && let Some(ending) = ending_of(word)
        {
            words.rest = &[];
            let outcome = ending.outcome(self.position.side_to_move());
            self.is_decided = outcome != GameOutcome::Undecided;
            return Ok(None);
        }
        let played = code.map(|code| legal_move(&self.position, code));
        let Some(Some(m)) = played else {
            words.rest = &[];
            let text = String::from_utf8_lossy(word).chars().take(60).collect();
            return Err(match played {
                None => LineProblem::Move(text),
                Some(_) => LineProblem::Illegal(text),
            });
        };
        let _ = self.position.do_move_unchecked(m);
        self.depth += 1;
        Ok(Some(m))
    }
}

/// Returns whether a word is this one, in small letters or capitals.
fn is(word: &[u8], name: &str) -> bool {
    word.eq_ignore_ascii_case(name.as_bytes())
}

/// The ending with this word, as ShogiGUI and others write it behind the moves: `break`, `rep_draw` …
#[cold]
fn ending_of(word: &[u8]) -> Option<shogi_kifu::GameEnding> {
    shogi_kifu::GameEnding::from_usi(std::str::from_utf8(word).ok()?)
}

/// A move written in other letters than USI's: `7G7F`, `p*5e`.
#[cold]
fn move_from_capitals(word: &[u8]) -> Option<Move16> {
    let mut usual = word.to_ascii_lowercase();
    if usual.get(1) == Some(&b'*') {
        usual[0] = usual[0].to_ascii_uppercase();
    }
    move_from_usi(&usual)
}

/// The move with this code, if the rules allow it.
pub(crate) fn legal_move(position: &Position, code: Move16) -> Option<Move> {
    position
        .move_from_16(code)
        .filter(|&m| position.is_legal(m))
}

/// The words of a line.
#[derive(Clone, Debug)]
struct Words<'a> {
    rest: &'a [u8],
}

impl Words<'_> {
    /// Reads the next three words, and a fourth if it is a number, as a position.
    fn sfen(&mut self) -> Result<Position, LineProblem> {
        let mut text = String::new();
        for field in 0..4 {
            let here = self.clone();
            let Some(word) = self.next() else {
                break;
            };
            if field == 3 && !word.iter().all(u8::is_ascii_digit) {
                *self = here;
                break;
            }
            text.push_str(&String::from_utf8_lossy(word));
            text.push(' ');
        }
        Ok(Position::from_sfen(&text)?)
    }
}

/// Length of the blank at the start of `text`: a space, a tab, a wide or a hard blank, or a byte order mark that
/// came with a file put behind another.
#[inline]
fn blank(text: &[u8]) -> Option<usize> {
    match text {
        [b' ' | b'\t', ..] => Some(1),
        [0xC2, 0xA0, ..] => Some(2),
        [0xE3, 0x80, 0x80, ..] | [0xEF, 0xBB, 0xBF, ..] => Some(3),
        _ => None,
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        while let Some(len) = blank(self.rest) {
            self.rest = &self.rest[len..];
        }
        let ends = |&at: &usize| blank(&self.rest[at..]).is_some();
        let end = (0..self.rest.len()).find(ends);
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HANDICAP: &str = "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";

    fn play(line: &str) -> (Vec<String>, Option<LineProblem>, Position) {
        let mut game = Replay::new(line.as_bytes()).unwrap();
        let mut moves = Vec::new();
        let problem = loop {
            match game.play_next() {
                Ok(Some(m)) => moves.push(m.to_string()),
                Ok(None) => break None,
                Err(problem) => break Some(problem),
            }
        };
        assert_eq!(game.play_next(), Ok(None), "a game ends once");
        (moves, problem, game.position().clone())
    }

    #[test]
    fn starts_in_every_form() {
        let two = ["7g7f".to_owned(), "3c3d".to_owned()];
        for line in [
            "startpos moves 7g7f 3c3d",
            "position startpos moves 7g7f 3c3d",
            "  startpos \t moves  7g7f 3c3d ",
            "startpos 7g7f 3c3d",
            "moves 7g7f 3c3d",
            "7g7f 3c3d",
            "7g7f 3c3d resign 2g2f",
            "7g7f 3c3d win",
            "7g7f 3c3d break",
            "startpos moves 7g7f 3c3d rep_draw",
            "STARTPOS MOVES 7G7F 3C3D",
            "Position Startpos Moves 7g7F 3C3d RESIGN",
            "startpos\u{3000}moves 7g7f\u{3000}\u{3000}3c3d\u{3000}",
            "\u{feff}startpos\u{a0}moves 7g7f 3c3d",
            &format!("sfen {} moves 7g7f 3c3d", Position::STARTPOS_SFEN),
            &format!("{} 7g7f 3c3d", Position::STARTPOS_SFEN),
        ] {
            let (moves, problem, position) = play(line);
            assert_eq!(moves, two, "{line}");
            assert_eq!((problem, position.ply()), (None, 3));
        }
        for line in ["startpos", "startpos moves", "", "moves", "position"] {
            assert_eq!(play(line), (vec![], None, Position::startpos()), "{line}");
        }
    }

    #[test]
    fn drops_and_promotions_are_read_in_capitals() {
        let (moves, problem, _) = play("7G7F 3C3D 8H2B+ 3A2B b*5e");
        assert_eq!((moves.len(), problem), (5, None));
        assert_eq!(moves[2..], ["8h2b+", "3a2b", "B*5e"]);
    }

    #[test]
    fn positions_without_a_move_number_are_read() {
        let no_ply = HANDICAP.trim_end_matches(" 1");
        for line in [
            format!("sfen {HANDICAP} moves 3c3d"),
            format!("position {no_ply} moves 3c3d"),
            format!("{no_ply} 3c3d"),
        ] {
            let (moves, problem, position) = play(&line);
            assert_eq!(
                (moves.len(), problem, position.ply()),
                (1, None, 2),
                "{line}"
            );
        }
    }

    #[test]
    fn variations_have_every_move_once() {
        let kif = "手合割：平手\n\
            1 ７六歩(77)\n2 ３四歩(33)\n3 ２六歩(27)\n4 中断\n\
            変化：3手\n3 ６六歩(67)\n4 ８四歩(83)\n5 投了\n\
            変化：4手\n4 ４四歩(43)\n\
            変化：2手\n2 ８四歩(83)\n3 ６八銀(79)\n\
            変化：1手\n1 投了\n";
        let record = shogi_kifu::read_kif(kif).unwrap();
        let lines: Vec<_> = Replay::variations_of(&record)
            .map(|mut line| {
                let from = line.depth();
                let mut moves = Vec::new();
                while let Ok(Some(m)) = line.play_next() {
                    moves.push(m.to_string());
                }
                assert_eq!(line.depth(), from + moves.len());
                (from, moves.join(" "), line.is_decided())
            })
            .collect();
        let line = |from, moves: &str, decided| (from, moves.to_owned(), decided);
        assert_eq!(
            lines,
            [
                line(0, "", true),
                line(1, "8c8d 7i6h", false),
                line(2, "6g6f 8c8d", true),
                line(3, "4c4d", false),
            ]
        );
    }

    #[test]
    fn a_word_may_decide_the_game() {
        for (line, decided) in [
            ("7g7f win", true),
            ("7g7f resign 3c3d", true),
            ("7g7f", false),
        ] {
            let mut game = Replay::new(line.as_bytes()).unwrap();
            while game.play_next().unwrap().is_some() {
                assert!(!game.is_decided());
            }
            assert_eq!((game.play_next(), game.is_decided()), (Ok(None), decided));
        }
    }

    #[test]
    fn a_record_is_played_as_its_line_is() {
        for (text, moves, problem, decided) in [
            ("PI\n+\n+7776FU\n-3334FU\n", 2, None, false),
            ("PI\n+\n+7776FU\n-3334FU\n%TORYO\n", 2, None, true),
            ("PI\n+\n+7776FU\n-3334FU\n%SENNICHITE\n", 2, None, true),
            ("PI\n+\n+7776FU\n%CHUDAN\n", 1, None, false),
            (
                "PI\n+\n+7776FU\n-3335FU\n",
                1,
                Some(LineProblem::Illegal("3c3e".to_owned())),
                false,
            ),
        ] {
            let record = shogi_kifu::read_csa(text).unwrap();
            let mut game = Replay::of_record(&record);
            let mut played = 0;
            let found = loop {
                match game.play_next() {
                    Ok(Some(_)) => played += 1,
                    Ok(None) => break None,
                    Err(problem) => break Some(problem),
                }
            };
            assert_eq!((played, found), (moves, problem), "{text}");
            assert_eq!(
                (game.play_next(), game.is_decided()),
                (Ok(None), decided),
                "{text}"
            );
            assert_eq!(game.position().ply() as usize, moves + 1);
        }
    }

    #[test]
    fn a_bad_move_ends_the_game() {
        for (line, problem) in [
            ("7g7f 7g7f 3c3d", LineProblem::Illegal("7g7f".to_owned())),
            ("7g7f drawn", LineProblem::Move("drawn".to_owned())),
            ("7g7f \u{ff17}g", LineProblem::Move("\u{ff17}g".to_owned())),
        ] {
            let (moves, found, _) = play(line);
            assert_eq!((moves.len(), found), (1, Some(problem)), "{line}");
        }
        for line in ["sfen", "sfen moves 7g7f", "9/9 b - 1", "sfen startpos"] {
            assert!(Replay::new(line.as_bytes()).is_err(), "{line}");
        }
    }
}
