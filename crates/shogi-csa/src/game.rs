//! A game in progress as its client sees it: moves, clocks, the end, and the record that it becomes.

use shogi_core::movegen::{GenKind, Legal, LegalAll};
use shogi_core::{Color, Game, IllegalMove, Move, Position};
use shogi_kifu::{GameEnding, GameRecord, KifuProblem, RecordBuilder, csa_move, move_from_csa};

use crate::clocks::{CsaClocks, time_limit, time_limit_in_seconds};
use crate::message::{EndCause, GameVerdict};
use crate::summary::{CsaSummary, SummaryError};

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameOver {
    /// The reason, where the server has told one.
    pub cause: Option<EndCause>,
    /// The result for the client.
    pub verdict: GameVerdict,
    /// True if a player declared (`%KACHI`).
    pub declared: bool,
}

/// What a record tells beside the game itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordNotes {
    /// The place: the server.
    pub site: Option<String>,
    /// The beginning, as `2026/11/25 23:00:00`.
    pub started: Option<String>,
    /// The end, in the same form.
    pub ended: Option<String>,
}

/// A game in progress.
#[derive(Clone, Debug)]
pub struct CsaGame {
    summary: CsaSummary,
    game: Game,
    record: RecordBuilder,
    clocks: CsaClocks,
    /// A word of the server instead of a move, such as `KACHI`.
    special: Option<String>,
    cause: Option<EndCause>,
}

impl CsaGame {
    /// The game that `summary` offers, after the moves that were played before.
    ///
    /// # Errors
    /// [`SummaryError::Move`] when one of them is not legal.
    pub fn new(summary: CsaSummary) -> Result<Self, SummaryError> {
        let mut game = Game::new(summary.start.clone()).with_look_back(u32::MAX);
        let mut record = RecordBuilder::new(summary.start.clone());
        let clocks = CsaClocks::new(&summary);
        for (index, earlier) in summary.moves.iter().enumerate() {
            game.try_play(earlier.m)
                .map_err(|IllegalMove(m)| SummaryError::Move {
                    number: index + 1,
                    text: csa_move(m),
                })?;
            record.play(earlier.m);
            record.node_mut().time = earlier
                .spent
                .map(|units| clocks.spent_ms(earlier.m.color(), units));
        }
        Ok(Self {
            summary,
            game,
            record,
            clocks,
            special: None,
            cause: None,
        })
    }

    /// Goes on with `earlier`, which was broken off: what was known of its moves (times, thoughts) stays in the record, and the
    /// clocks are those of this offer. A server offers the game with all its moves, or just the position that it has come to,
    /// which may be up to two moves further; with neither the record begins anew.
    pub(crate) fn go_on_from(&mut self, earlier: &Self) {
        let Some(moves) = self.moves_since(earlier) else {
            return;
        };
        self.record = earlier.record.clone();
        self.game = earlier.game.clone();
        for (m, spent) in moves {
            self.record.play(m);
            self.record.node_mut().time = spent.map(|units| self.clocks.spent_ms(m.color(), units));
            self.game.play_unchecked(m);
        }
        self.summary.start = earlier.summary.start.clone();
        self.summary.moves.clone_from(&earlier.summary.moves);
    }

    /// The moves that have been made since `earlier` was broken off; `None` when this is another game.
    fn moves_since(&self, earlier: &Self) -> Option<Vec<(Move, Option<u64>)>> {
        let known = earlier.game.len();
        if self.summary.start == earlier.summary.start {
            let goes_on =
                self.game.len() >= known && self.game.moves().take(known).eq(earlier.game.moves());
            if goes_on {
                let new = self.summary.moves.iter().skip(known);
                return Some(new.map(|earlier| (earlier.m, earlier.spent)).collect());
            }
        }
        if !self.summary.moves.is_empty() {
            return None;
        }
        let now = self.game.position();
        let before = earlier.game.position();
        let moves = path_between(before, now)?;
        Some(moves.into_iter().map(|m| (m, None)).collect())
    }

    /// The offer that the game came from.
    pub const fn summary(&self) -> &CsaSummary {
        &self.summary
    }

    /// The game as the engine is told it.
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// The clocks.
    pub const fn clocks(&self) -> &CsaClocks {
        &self.clocks
    }

    /// Returns whether the client is to move.
    pub fn is_our_turn(&self) -> bool {
        self.game.position().side_to_move() == self.summary.color
            && self.cause.is_none()
            && self.special.is_none()
            && !self.record.is_illegal()
    }

    /// Returns whether the server has told of no end.
    pub(crate) const fn is_open(&self) -> bool {
        self.cause.is_none() && self.special.is_none()
    }

    /// Number of moves, those before the game among them.
    pub fn moves(&self) -> usize {
        self.game.len()
    }

    /// Plays a move that the server has told. An illegal one is the last of the record, and no part of [`Self::game`].
    ///
    /// # Errors
    /// When the move cannot even be made by a piece that is there, or follows an illegal one. Nothing is changed then.
    pub fn moved(&mut self, text: &str, units: Option<u64>) -> Result<Move, KifuProblem> {
        let m = move_from_csa(self.record.position(), text)?;
        if self.record.is_illegal() || !self.record.play(m) {
            return Err(KifuProblem::AfterEnd {
                found: text.to_owned(),
                after: "an illegal move",
            });
        }
        // One against the rules ends the game, and stands in the record alone.
        self.game.try_play(m).ok();
        self.clocks.press(m.color(), units);
        self.record.node_mut().time = units.map(|units| self.clocks.spent_ms(m.color(), units));
        Ok(m)
    }

    /// Notes what the engine thought of the last move, as floodgate's records have it.
    pub fn comment(&mut self, comment: &str) {
        let line = format!("* {comment}");
        self.record.node_mut().comments.push(line);
    }

    /// Takes a word of the server instead of a move, such as `TORYO`.
    pub(crate) fn special(&mut self, word: &str) {
        self.special = Some(word.to_owned());
    }

    /// Takes the reason for the end.
    pub(crate) const fn caused_by(&mut self, cause: EndCause) {
        self.cause = Some(cause);
    }

    /// The end with this result.
    pub(crate) fn over(&self, verdict: GameVerdict) -> GameOver {
        let by_word = match self.special.as_deref() {
            Some("TORYO") => Some(EndCause::Resign),
            Some("CHUDAN") => Some(EndCause::Interrupted),
            Some("KACHI") => Some(EndCause::Jishogi),
            _ => None,
        };
        let interrupted = verdict == GameVerdict::Interrupted;
        GameOver {
            cause: self
                .cause
                .or(interrupted.then_some(EndCause::Interrupted))
                .or(by_word),
            verdict,
            declared: self.special.as_deref() == Some("KACHI"),
        }
    }

    /// The record so far; with the end of the game when it is over.
    pub fn record(&self, notes: &RecordNotes, over: Option<&GameOver>) -> GameRecord {
        let mut builder = self.record.clone();
        let [black, white] = &self.summary.names;
        let mut set = |key: &str, value: &str| {
            if !value.is_empty() {
                builder.headers().set(key, value);
            }
        };
        set("先手", black);
        set("後手", white);
        set("棋戦", &self.summary.game_id);
        set("場所", notes.site.as_deref().unwrap_or_default());
        set("開始日時", notes.started.as_deref().unwrap_or_default());
        set("終了日時", notes.ended.as_deref().unwrap_or_default());
        match self.summary.times {
            [black, white] if black == white => set("持ち時間", &time_limit(&black)),
            [black, white] => {
                set("先手持ち時間", &time_limit_in_seconds(&black));
                set("後手持ち時間", &time_limit_in_seconds(&white));
            }
        }
        if let Some(over) = over
            && let Some(ending) = self.ending(*over)
            && !(builder.is_illegal() && ending == GameEnding::FoulWin)
        {
            builder.end(ending);
        }
        if let Some(over) = over {
            builder.node_mut().remarks.push(self.outcome_line(*over));
        }
        let mut record = builder.finish();
        record.node_mut(GameRecord::ROOT).remarks = self.conditions();
        record
    }

    /// The conditions that CSA 2.2 has no line for, as shogi-server's records have them.
    fn conditions(&self) -> Vec<String> {
        let time = self.summary.times[self.summary.color.index()];
        let mut lines = Vec::new();
        if let Some(moves) = self.summary.max_moves {
            lines.push(format!("Max_Moves:{moves}"));
        }
        let in_units = |ms: u64| ms / time.unit_ms;
        for (name, ms) in [
            ("Least_Time_Per_Move", time.least_ms),
            ("Increment", time.increment_ms),
            ("Delay", time.delay_ms),
        ] {
            if ms > 0 {
                lines.push(format!("{name}:{}", in_units(ms)));
            }
        }
        if time.unit_ms != 1000 {
            lines.push(format!("Time_Unit:{}msec", time.unit_ms));
        }
        lines
    }

    /// `summary:toryo:a lose:b win`, as shogi-server's records have it.
    fn outcome_line(&self, over: GameOver) -> String {
        // The server calls it censored, and writes it down as a draw.
        let ours = match over.cause {
            Some(EndCause::MaxMoves) => GameVerdict::Draw.name(),
            _ => over.verdict.name(),
        };
        let theirs = match ours {
            "win" => "lose",
            "lose" => "win",
            same => same,
        };
        let words = match self.summary.color {
            Color::Black => [ours, theirs],
            Color::White => [theirs, ours],
        };
        let [black, white] = &self.summary.names;
        let cause = match over.cause {
            Some(EndCause::IllegalMove) if over.declared => "illegal kachi",
            Some(cause) => cause.summary(),
            None => "unknown",
        };
        format!("summary:{cause}:{black} {}:{white} {}", words[0], words[1])
    }

    /// The ending of the record. `None`: nothing that a record has a word for.
    fn ending(&self, over: GameOver) -> Option<GameEnding> {
        let side = self.record.side();
        let winner = match over.verdict {
            GameVerdict::Win => Some(self.summary.color),
            GameVerdict::Lose => Some(self.summary.color.flip()),
            GameVerdict::Draw | GameVerdict::Censored | GameVerdict::Interrupted => None,
        };
        let foul = || match winner {
            Some(winner) if winner == side => GameEnding::FoulWin,
            Some(_) => GameEnding::FoulLoss,
            None => GameEnding::Interrupt,
        };
        Some(match over.cause? {
            // Out of turn, which records have no word for.
            EndCause::Resign if winner == Some(side) => GameEnding::Interrupt,
            EndCause::Resign => GameEnding::Resign,
            EndCause::TimeUp => GameEnding::TimeUp,
            EndCause::IllegalMove | EndCause::IllegalAction | EndCause::PerpetualCheck => foul(),
            EndCause::Repetition => GameEnding::Repetition,
            EndCause::Jishogi if winner.is_none() => GameEnding::Impasse,
            EndCause::Jishogi => GameEnding::EnteringKing,
            EndCause::MaxMoves => GameEnding::MaxMoves,
            EndCause::Interrupted => GameEnding::Interrupt,
        })
    }
}

/// At most two moves that lead from one position to another, whatever their move numbers are. Moves that promote where they can are
/// more likely than others.
fn path_between(from: &Position, to: &Position) -> Option<Vec<Move>> {
    path_by::<Legal>(from, to).or_else(|| path_by::<LegalAll>(from, to))
}

/// [`path_between`] by moves of a kind.
fn path_by<G: GenKind>(from: &Position, to: &Position) -> Option<Vec<Move>> {
    let goal = to.clone().with_ply(1);
    let is_there = |position: &Position| position.clone().with_ply(1) == goal;
    if is_there(from) {
        return Some(Vec::new());
    }
    let after = |position: &Position, m: Move| {
        let mut position = position.clone();
        let _ = position.do_move_unchecked(m);
        position
    };
    let one = from.side_to_move() != to.side_to_move();
    from.moves::<G>().iter().find_map(|&m| {
        let next = after(from, m);
        if one {
            return is_there(&next).then(|| vec![m]);
        }
        let replies = next.moves::<G>();
        let mut replies = replies.iter().copied();
        let second = replies.find(|&reply| is_there(&after(&next, reply)))?;
        Some(vec![m, second])
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use shogi_kifu::{CsaVersion, GameOutcome, write_csa};

    use super::*;
    use crate::summary::EarlierMove;

    fn summary(color: &str, time: &str) -> CsaSummary {
        let text = format!(
            "Game_ID:test+x-300-10F+a+b+1\nName+:a\nName-:b\nYour_Turn:{color}\nMax_Moves:256\n\
             BEGIN Time\n{time}\nEND Time\nBEGIN Position\nPI\n+\nEND Position"
        );
        CsaSummary::parse(text.lines()).unwrap()
    }

    fn begin(summary: CsaSummary) -> CsaGame {
        CsaGame::new(summary).unwrap()
    }

    fn game(color: &str, moves: &str) -> CsaGame {
        let mut game = begin(summary(color, "Total_Time:300\nIncrement:10"));
        for text in moves.split_whitespace() {
            game.moved(text, Some(2)).unwrap();
        }
        game
    }

    fn limits(time: &str, margin_ms: u64) -> String {
        let game = begin(summary("+", time));
        let margin = Duration::from_millis(margin_ms);
        game.clocks().limits(Color::Black, margin).to_string()
    }

    #[test]
    fn limits_are_those_that_a_gui_sends() {
        for (time, margin, expected) in [
            (
                "Total_Time:300\nIncrement:10",
                0,
                "btime 300000 wtime 300000 binc 10000 winc 10000",
            ),
            (
                "Total_Time:300\nIncrement:10",
                500,
                "btime 299500 wtime 300000 binc 10000 winc 10000",
            ),
            (
                "Total_Time:900\nByoyomi:10",
                500,
                "btime 900000 wtime 900000 byoyomi 9500",
            ),
            (
                "Total_Time:1\nByoyomi:1",
                1500,
                "btime 500 wtime 1000 byoyomi 0",
            ),
            (
                "Total_Time:60\nByoyomi:5\nIncrement:2",
                0,
                "btime 62000 wtime 62000 byoyomi 5000",
            ),
            (
                "Total_Time:60\nDelay:5",
                0,
                "btime 60000 wtime 60000 byoyomi 5000",
            ),
            ("Total_Time:60", 0, "btime 60000 wtime 60000 byoyomi 0"),
            (
                "Time_Unit:1min\nTotal_Time:2",
                0,
                "btime 120000 wtime 120000 byoyomi 0",
            ),
            ("Time_Unit:1sec", 0, "movetime 10000"),
        ] {
            assert_eq!(limits(time, margin), format!("go {expected}"), "{time}");
        }
    }

    #[test]
    fn clocks_follow_the_times_of_the_server() {
        let mut game = begin(summary("+", "Total_Time:5\nIncrement:2\nByoyomi:1"));
        assert_eq!(game.clocks().allowed_ms(Color::Black), Some(8000));
        game.moved("+7776FU", Some(3)).unwrap();
        game.moved("-3334FU", Some(8)).unwrap();
        game.moved("+2726FU", None).unwrap();
        let left = Color::ALL.map(|color| game.clocks().left_ms(color));
        assert_eq!(left, [6000, 0]);
        assert_eq!(game.clocks().allowed_ms(Color::White), Some(3000));
    }

    #[test]
    fn earlier_moves_have_used_their_time() {
        let text = "Your_Turn:-\nBEGIN Time\nTime_Unit:100msec\nTotal_Time:50\nEND Time\nBEGIN Position\nPI\n+\n\
            +7776FU,T20\nEND Position";
        let game = begin(CsaSummary::parse(text.lines()).unwrap());
        assert_eq!(game.clocks().left_ms(Color::Black), 3000);
        assert!(game.is_our_turn() && game.moves() == 1);
        let record = game.record(&RecordNotes::default(), None);
        let last = record.main_line().last().unwrap();
        assert_eq!(record.node(last).time, Some(2000));
    }

    #[test]
    fn earlier_moves_are_checked() {
        let mut summary = summary("+", "Total_Time:300");
        let mut played = game("+", "");
        for text in ["+7776FU", "-3334FU"] {
            let m = played.moved(text, None).unwrap();
            summary.moves.push(EarlierMove { m, spent: None });
        }
        summary.moves.push(summary.moves[1]);
        let error = CsaGame::new(summary.clone()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "move 3 of the game summary, -3334FU, is not legal"
        );
        summary.moves.pop();
        assert_eq!(begin(summary).moves(), 2);
    }

    /// An offer of a game after these moves of which `told` are told, and the rest only by the position that they lead to.
    fn offer_after(moves: &str, told: bool) -> CsaGame {
        let played = game("+", moves);
        if told {
            let times: Vec<_> = moves
                .split_whitespace()
                .map(|m| format!("{m},T2\n"))
                .collect();
            let times = times.concat();
            let text = format!(
                "Game_ID:test+x-300-10F+a+b+1\nName+:a\nName-:b\nYour_Turn:+\nBEGIN Position\nPI\n+\n{times}END Position"
            );
            return begin(CsaSummary::parse(text.lines()).unwrap());
        }
        let mut summary = summary("+", "Total_Time:100");
        summary.start = played.game.position().clone().with_ply(1);
        begin(summary)
    }

    #[test]
    fn a_game_goes_on_with_what_was_known() {
        let mut before = game("+", "+7776FU -3334FU");
        before.comment("30 -3334FU");
        for (now, told) in [
            ("+7776FU -3334FU", true),
            ("+7776FU -3334FU", false),
            ("+7776FU -3334FU +2726FU", true),
            ("+7776FU -3334FU +2726FU", false),
            ("+7776FU -3334FU +8822UM -3122GI", true),
            ("+7776FU -3334FU +8822UM -3122GI", false),
        ] {
            let mut game = offer_after(now, told);
            game.go_on_from(&before);
            let (csa, _) = write_csa(&game.record(&RecordNotes::default(), None), CsaVersion::V22);
            let moves: Vec<_> = now.split_whitespace().collect();
            for text in &moves {
                assert!(csa.contains(&format!("{text}\n")), "{now} {told}: {csa}");
            }
            assert!(
                csa.contains("-3334FU\nT2\n'** 30 -3334FU\n"),
                "{now} {told}: {csa}"
            );
            assert_eq!(game.moves(), moves.len(), "{now} {told}");
            assert_eq!(game.is_our_turn(), moves.len() % 2 == 0);
        }
        // The clocks are those of the offer.
        let mut game = offer_after("+7776FU -3334FU", false);
        game.go_on_from(&before);
        assert_eq!(game.clocks().left_ms(Color::Black), 100_000);
    }

    #[test]
    fn another_game_begins_anew() {
        let before = game("+", "+7776FU -3334FU");
        for (now, told) in [
            ("+2726FU", true),
            ("+2726FU -8384FU +2625FU -8485FU", false),
        ] {
            let mut game = offer_after(now, told);
            let alone = game.clone();
            game.go_on_from(&before);
            assert_eq!(game, alone, "{now}");
        }
    }

    #[test]
    fn clocks_of_all_lengths_stand_in_records() {
        for (times, expected) in [
            ("Total_Time:20\nIncrement:2", "20+0+2"),
            ("Total_Time:300\nIncrement:10", "00:05+00"),
            ("Total_Time:90\nByoyomi:10", "90+10+0"),
            ("Total_Time:0\nByoyomi:30", "00:00+30"),
            ("Total_Time:0\nIncrement:5", "0+0+5"),
            ("Total_Time:36000\nByoyomi:600", "36000+600+0"),
            (
                "Time_Unit:1msec\nTotal_Time:10500\nByoyomi:100",
                "10.5+0.1+0",
            ),
            ("Time_Unit:1min\nTotal_Time:90", "01:30+00"),
        ] {
            let record = begin(summary("+", times)).record(&RecordNotes::default(), None);
            assert_eq!(record.headers.get("持ち時間"), Some(expected), "{times}");
        }
        let unlimited = begin(summary("+", "Time_Unit:1sec"));
        let record = unlimited.record(&RecordNotes::default(), None);
        assert_eq!(record.headers.get("持ち時間"), None);
    }

    #[test]
    fn clocks_that_differ_stand_in_records() {
        let text = "Your_Turn:+\nBEGIN Time+\nTotal_Time:60\nEND Time+\nBEGIN Time-\nTotal_Time:30\nByoyomi:5\nEND Time-\n\
            BEGIN Position\nPI\n+\nEND Position";
        let game = begin(CsaSummary::parse(text.lines()).unwrap());
        let record = game.record(&RecordNotes::default(), None);
        let times = ["先手持ち時間", "後手持ち時間"].map(|key| record.headers.get(key));
        assert_eq!(times, [Some("60+0+0"), Some("30+5+0")]);
        let (csa, _) = write_csa(&record, CsaVersion::V3);
        assert!(csa.contains("$TIME+:60+0+0\n$TIME-:30+5+0\n"), "{csa}");
    }

    #[test]
    fn a_record_is_as_the_server_writes_it() {
        let mut game = game("-", "+7776FU -3334FU");
        game.comment("-30 +2726FU");
        game.special("TORYO");
        game.caused_by(EndCause::Resign);
        let over = game.over(GameVerdict::Win);
        let notes = RecordNotes {
            site: Some("localhost:4081".to_owned()),
            started: Some("2026/11/25 22:00:00".to_owned()),
            ended: Some("2026/11/25 22:05:00".to_owned()),
        };
        let (csa, losses) = write_csa(&game.record(&notes, Some(&over)), CsaVersion::V22);
        assert!(losses.is_empty(), "{losses}");
        assert_eq!(
            csa,
            "V2.2\nN+a\nN-b\n$EVENT:test+x-300-10F+a+b+1\n$SITE:localhost:4081\n$START_TIME:2026/11/25 22:00:00\n\
             $END_TIME:2026/11/25 22:05:00\n$TIME_LIMIT:00:05+00\nPI\n+\n'Max_Moves:256\n'Increment:10\n+7776FU\nT2\n-3334FU\nT2\n\
             '** -30 +2726FU\n%TORYO\n'summary:toryo:a lose:b win\n"
        );
    }

    /// The ending and outcome of a game in which white has moved last.
    fn end(color: &str, words: &str, verdict: GameVerdict) -> (Option<GameEnding>, GameOutcome) {
        let mut game = game(color, "+7776FU -3334FU");
        for word in words.split_whitespace() {
            match crate::ServerMessage::parse(word) {
                crate::ServerMessage::Special { word, .. } => game.special(word),
                crate::ServerMessage::Cause(cause) => game.caused_by(cause),
                other => panic!("{other:?}"),
            }
        }
        let over = game.over(verdict);
        let record = game.record(&RecordNotes::default(), Some(&over));
        (record.ending().cloned(), record.outcome())
    }

    #[test]
    fn all_ends() {
        use GameEnding as E;
        use GameVerdict::{Censored, Draw, Interrupted, Lose, Win};
        let (black, white) = (
            GameOutcome::Win(Color::Black),
            GameOutcome::Win(Color::White),
        );
        for (color, words, verdict, ending, outcome) in [
            ("+", "%TORYO #RESIGN", Lose, E::Resign, white),
            ("-", "%TORYO #RESIGN", Win, E::Resign, white),
            ("+", "#TIME_UP", Lose, E::TimeUp, white),
            ("+", "#ILLEGAL_MOVE", Lose, E::FoulLoss, white),
            ("+", "%KACHI #ILLEGAL_MOVE", Lose, E::FoulLoss, white),
            ("+", "#ILLEGAL_ACTION", Win, E::FoulWin, black),
            ("+", "#SENNICHITE", Draw, E::Repetition, GameOutcome::Draw),
            ("+", "#OUTE_SENNICHITE", Win, E::FoulWin, black),
            ("+", "#OUTE_SENNICHITE", Lose, E::FoulLoss, white),
            ("-", "%KACHI #JISHOGI", Lose, E::EnteringKing, black),
            ("-", "#JISHOGI", Draw, E::Impasse, GameOutcome::Draw),
            ("+", "#MAX_MOVES", Censored, E::MaxMoves, GameOutcome::Draw),
            ("+", "", Interrupted, E::Interrupt, GameOutcome::Undecided),
            (
                "+",
                "%CHUDAN",
                Censored,
                E::Interrupt,
                GameOutcome::Undecided,
            ),
        ] {
            let expected = (Some(ending), outcome);
            assert_eq!(end(color, words, verdict), expected, "{color} {words}");
        }
        // Without a reason the line about the result says who won.
        assert_eq!(end("+", "", Win), (None, black));
    }

    #[test]
    fn an_illegal_move_ends_the_record() {
        let mut game = game("+", "+7776FU");
        // A pawn that jumps.
        let m = game.moved("-3335FU", Some(1)).unwrap();
        assert_eq!(m.color(), Color::White);
        assert_eq!(game.moves(), 1);
        assert!(!game.is_our_turn());
        assert!(game.moved("+2726FU", Some(1)).is_err());
        game.caused_by(EndCause::IllegalMove);
        let over = game.over(GameVerdict::Win);
        let record = game.record(&RecordNotes::default(), Some(&over));
        assert_eq!(record.outcome(), GameOutcome::Win(Color::Black));
        let (csa, _) = write_csa(&record, CsaVersion::V22);
        assert!(
            csa.ends_with("-3335FU\nT1\n'summary:illegal move:a win:b lose\n"),
            "{csa}"
        );
    }

    #[test]
    fn moves_that_no_piece_can_make_change_nothing() {
        let mut game = game("+", "+7776FU");
        for text in ["+2726FU", "-5555KA", "-0055KA", "garbage", "-3334XX"] {
            assert!(game.moved(text, Some(1)).is_err(), "{text}");
        }
        assert_eq!(game.moves(), 1);
        assert!(game.moved("-3334FU", Some(1)).is_ok());
    }
}
