//! How games end, and the words of each format for it.

use std::fmt;

use shogi_core::Color;

/// The winner of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameOutcome {
    /// This player won.
    Win(Color),
    /// Nobody won.
    Draw,
    /// The record does not say.
    Undecided,
}

impl GameOutcome {
    /// The name in JSON: `black`, `white`, `draw` or `undecided`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Win(Color::Black) => "black",
            Self::Win(Color::White) => "white",
            Self::Draw => "draw",
            Self::Undecided => "undecided",
        }
    }
}

/// The end of a line. "The side to move" is the player whose turn it is at the end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GameEnding {
    /// 投了: the side to move resigns.
    Resign,
    /// 中断: broken off.
    Interrupt,
    /// 千日手: a draw by repetition.
    Repetition,
    /// 持将棋: a draw by entering kings.
    Impasse,
    /// 引き分け: a draw.
    Draw,
    /// 最大手数: a draw by the number of moves.
    MaxMoves,
    /// 詰み: the side to move is mated.
    Mate,
    /// 不詰: there is no mate (problems).
    NoMate,
    /// 切れ負け: the side to move has lost on time.
    TimeUp,
    /// 反則勝ち: the side to move wins by a foul of the other one.
    FoulWin,
    /// 反則負け: the side to move has committed a foul.
    FoulLoss,
    /// 入玉勝ち: the side to move wins by declaration.
    EnteringKing,
    /// トライ勝ち: the side to move has won by the try rule.
    TryWin,
    /// 不戦勝: the side to move wins without a game.
    WinByDefault,
    /// 不戦敗: the side to move loses without a game.
    LossByDefault,
    /// 待った: a move was taken back.
    TakeBack,
    /// エラー: a program failed.
    Failure,
    /// Any other word of a KIF file.
    Other(String),
}

/// The words of the endings: in KIF, in CSA and JKF (empty: none).
const ENDINGS: [(GameEnding, &str, &str); 17] = [
    (GameEnding::Resign, "投了", "TORYO"),
    (GameEnding::Interrupt, "中断", "CHUDAN"),
    (GameEnding::Repetition, "千日手", "SENNICHITE"),
    (GameEnding::Impasse, "持将棋", "JISHOGI"),
    (GameEnding::Draw, "引き分け", "HIKIWAKE"),
    (GameEnding::MaxMoves, "最大手数", "MAX_MOVES"),
    (GameEnding::Mate, "詰み", "TSUMI"),
    (GameEnding::NoMate, "不詰", "FUZUMI"),
    (GameEnding::TimeUp, "切れ負け", "TIME_UP"),
    (GameEnding::FoulWin, "反則勝ち", ""),
    (GameEnding::FoulLoss, "反則負け", "ILLEGAL_MOVE"),
    (GameEnding::EnteringKing, "入玉勝ち", "KACHI"),
    (GameEnding::TryWin, "トライ勝ち", ""),
    (GameEnding::WinByDefault, "不戦勝", ""),
    (GameEnding::LossByDefault, "不戦敗", ""),
    (GameEnding::TakeBack, "待った", "MATTA"),
    (GameEnding::Failure, "エラー", "ERROR"),
];

/// Other spellings of the words in KIF files. Words that say something of their own (封じ手, フラッグ落ち, 反則行為) are not
/// among them: they stay as they are.
const SPELLINGS: [(&str, GameEnding); 47] = [
    ("投了図", GameEnding::Resign),
    ("投了。", GameEnding::Resign),
    ("投げ", GameEnding::Resign),
    ("負けました", GameEnding::Resign),
    ("詰", GameEnding::Mate),
    ("つみ", GameEnding::Mate),
    ("詰め", GameEnding::Mate),
    ("不詰み", GameEnding::NoMate),
    ("不詰め", GameEnding::NoMate),
    ("時間切れ", GameEnding::TimeUp),
    ("時間切れ負け", GameEnding::TimeUp),
    ("時間切", GameEnding::TimeUp),
    ("時間切負", GameEnding::TimeUp),
    ("切負", GameEnding::TimeUp),
    ("切れ負", GameEnding::TimeUp),
    ("切負け", GameEnding::TimeUp),
    ("入玉", GameEnding::EnteringKing),
    ("入玉勝", GameEnding::EnteringKing),
    ("入玉宣言", GameEnding::EnteringKing),
    ("入玉宣言勝ち", GameEnding::EnteringKing),
    ("宣言勝ち", GameEnding::EnteringKing),
    ("宣言勝", GameEnding::EnteringKing),
    ("勝ち宣言", GameEnding::EnteringKing),
    ("トライ", GameEnding::TryWin),
    ("トライ勝", GameEnding::TryWin),
    ("引分", GameEnding::Draw),
    ("引分け", GameEnding::Draw),
    ("引き分", GameEnding::Draw),
    ("引き分け。", GameEnding::Draw),
    ("手数制限", GameEnding::MaxMoves),
    ("手数上限", GameEnding::MaxMoves),
    ("最長手数", GameEnding::MaxMoves),
    ("最大手数到達", GameEnding::MaxMoves),
    ("千日手。", GameEnding::Repetition),
    ("千日手成立", GameEnding::Repetition),
    ("千日手引き分け", GameEnding::Repetition),
    ("持将棋成立", GameEnding::Impasse),
    ("持将棋引き分け", GameEnding::Impasse),
    ("反則勝", GameEnding::FoulWin),
    ("反則負", GameEnding::FoulLoss),
    ("反則敗", GameEnding::FoulLoss),
    ("不戦勝ち", GameEnding::WinByDefault),
    ("不戦負", GameEnding::LossByDefault),
    ("不戦負け", GameEnding::LossByDefault),
    ("中断。", GameEnding::Interrupt),
    ("まった", GameEnding::TakeBack),
    ("待った。", GameEnding::TakeBack),
];

/// Words behind the moves of USI lines, as ShogiGUI, ShogiHome and others write them.
const USI_WORDS: [(&str, GameEnding); 24] = [
    ("resign", GameEnding::Resign),
    ("win", GameEnding::EnteringKing),
    ("nyugyoku", GameEnding::EnteringKing),
    ("kachi", GameEnding::EnteringKing),
    ("break", GameEnding::Interrupt),
    ("interrupt", GameEnding::Interrupt),
    ("abort", GameEnding::Interrupt),
    ("chudan", GameEnding::Interrupt),
    ("rep_draw", GameEnding::Repetition),
    ("repetition", GameEnding::Repetition),
    ("sennichite", GameEnding::Repetition),
    ("draw", GameEnding::Draw),
    ("hikiwake", GameEnding::Draw),
    ("impass", GameEnding::Impasse),
    ("impasse", GameEnding::Impasse),
    ("jishogi", GameEnding::Impasse),
    ("max_moves", GameEnding::MaxMoves),
    ("maxmoves", GameEnding::MaxMoves),
    ("timeout", GameEnding::TimeUp),
    ("time_up", GameEnding::TimeUp),
    ("mate", GameEnding::Mate),
    ("checkmate", GameEnding::Mate),
    ("nomate", GameEnding::NoMate),
    ("toryo", GameEnding::Resign),
];

/// The number of a mate such as `61手詰`, in any digits, and what follows it.
fn is_counted_mate(word: &str) -> bool {
    let is_digit = |c: char| {
        c.is_ascii_digit() || ('０'..='９').contains(&c) || "〇一二三四五六七八九十百".contains(c)
    };
    let rest = word.trim_start_matches(is_digit);
    rest.len() < word.len() && matches!(rest, "手詰" | "手詰み" | "手詰め" | "手で詰み" | "手で詰")
}

impl GameEnding {
    /// The word in KIF files.
    pub fn kif(&self) -> &str {
        if let Self::Other(word) = self {
            return word;
        }
        ENDINGS
            .iter()
            .find(|row| row.0 == *self)
            .map_or("", |row| row.1)
    }

    /// The ending of a word in a KIF file, whatever it is, and the word itself where it says more than the ending does.
    pub(crate) fn of_kif_word(word: &str) -> (Self, Option<String>) {
        if let Some(ending) = Self::from_kif(word) {
            return (ending, None);
        }
        if is_counted_mate(word) || matches!(word, "以下詰み" | "以下詰" | "にて詰み") {
            return (Self::Mate, Some(word.to_owned()));
        }
        // A word of CSA or JKF, as some programs write in KIF files: no ending of its own, or JKF would read it as another one.
        let mut rows = ENDINGS.iter().filter(|row| !row.2.is_empty());
        match rows.find(|row| row.2.eq_ignore_ascii_case(word)) {
            Some(row) => (row.0.clone(), Some(word.to_owned())),
            None => (Self::Other(word.to_owned()), None),
        }
    }

    /// Returns whether a word ends games in KIF files: any usual spelling, and words that say something of their own.
    pub(crate) fn is_kif_word(word: &str) -> bool {
        matches!(
            word,
            "封じ手" | "フラッグ落ち" | "反則行為" | "指し掛け" | "指掛け"
        ) || !matches!(Self::of_kif_word(word).0, Self::Other(_))
    }

    /// The ending of a word of CSA or JKF with `side` to move, or of KIF, which some programs write there; and the word where
    /// it says more.
    pub(crate) fn of_word(word: &str, side: Color) -> (Self, Option<String>) {
        match Self::from_csa(word, side) {
            Some(ending) => (ending, None),
            None => Self::of_kif_word(word),
        }
    }

    /// The ending with this word behind the moves of a USI line (`resign`, `win`, `break`, `rep_draw`, `timeout` …), in small
    /// or capital letters.
    ///
    /// ```
    /// use shogi_kifu::GameEnding;
    /// assert_eq!(GameEnding::from_usi("rep_draw"), Some(GameEnding::Repetition));
    /// assert_eq!(GameEnding::from_usi("7g7f"), None);
    /// ```
    pub fn from_usi(word: &str) -> Option<Self> {
        let found = USI_WORDS
            .iter()
            .find(|row| row.0.eq_ignore_ascii_case(word));
        found.map(|row| row.1.clone())
    }

    /// The ending with this word in KIF files, in any usual spelling.
    pub fn from_kif(word: &str) -> Option<Self> {
        let usual = ENDINGS.iter().find(|row| row.1 == word).map(|row| &row.0);
        let other = || SPELLINGS.iter().find(|row| row.0 == word).map(|row| &row.1);
        usual.or_else(other).cloned()
    }

    /// The word in CSA files, without `%`, when `side` is to move; `None`: there is none.
    pub fn csa(&self, side: Color) -> Option<&'static str> {
        match self {
            Self::FoulWin if side == Color::White => Some("+ILLEGAL_ACTION"),
            Self::FoulWin => Some("-ILLEGAL_ACTION"),
            _ => ENDINGS
                .iter()
                .find(|row| row.0 == *self && !row.2.is_empty())
                .map(|row| row.2),
        }
    }

    /// The ending with this word, without `%`, in CSA files when `side` is to move.
    pub fn from_csa(word: &str, side: Color) -> Option<Self> {
        let by = match word {
            "+ILLEGAL_ACTION" => Some(Color::Black),
            "-ILLEGAL_ACTION" => Some(Color::White),
            "ILLEGAL_ACTION" => return Some(Self::FoulWin),
            _ => None,
        };
        if let Some(by) = by {
            return Some(if by == side {
                Self::FoulLoss
            } else {
                Self::FoulWin
            });
        }
        ENDINGS
            .iter()
            .find(|row| row.2.eq_ignore_ascii_case(word) && !row.2.is_empty())
            .map(|row| row.0.clone())
    }

    /// The winner when `side` is to move.
    pub const fn outcome(&self, side: Color) -> GameOutcome {
        match self {
            Self::Resign | Self::Mate | Self::TimeUp | Self::FoulLoss | Self::LossByDefault => {
                GameOutcome::Win(side.flip())
            }
            Self::FoulWin | Self::EnteringKing | Self::WinByDefault | Self::TryWin => {
                GameOutcome::Win(side)
            }
            Self::Repetition | Self::Impasse | Self::Draw | Self::MaxMoves => GameOutcome::Draw,
            Self::Interrupt | Self::NoMate | Self::TakeBack | Self::Failure | Self::Other(_) => {
                GameOutcome::Undecided
            }
        }
    }

    /// The sentence at the end of KIF and KI2 files, after `moves` moves with `side` to move: `まで7手で先手の勝ち`.
    pub(crate) fn sentence(
        &self,
        word: Option<&str>,
        moves: usize,
        side: Color,
        names: [&str; 2],
    ) -> String {
        if let Some(word) = word {
            return format!("まで{moves}手で{word}");
        }
        let (mover, other) = (names[side.index()], names[side.flip().index()]);
        match self {
            Self::Resign => format!("まで{moves}手で{other}の勝ち"),
            Self::TimeUp => format!("まで{moves}手で時間切れにより{other}の勝ち"),
            // Readers take other words that end in 勝ち for resignations.
            Self::TryWin => format!("まで{moves}手でトライ"),
            Self::FoulWin | Self::FoulLoss | Self::EnteringKing => {
                format!("まで{moves}手で{mover}の{self}")
            }
            _ => format!("まで{moves}手で{self}"),
        }
    }

    /// The ending that a sentence tells, with `side` to move, and its own word where it says more; `None` when it is no such
    /// sentence.
    pub(crate) fn from_sentence(line: &str, side: Color) -> Option<(Self, Option<String>)> {
        let rest = line.trim().strip_prefix("まで")?;
        let rest = rest.trim_start_matches(['、', '，', ',', ' ', '\u{3000}']);
        let digits =
            rest.trim_start_matches(|c: char| c.is_ascii_digit() || ('０'..='９').contains(&c));
        let counted = digits
            .strip_prefix('手')
            .filter(|_| digits.len() < rest.len());
        let rest = counted.unwrap_or(rest).trim();
        let rest = rest.strip_prefix('で').unwrap_or(rest).trim();
        let rest = rest.trim_start_matches(['、', '，', ',']).trim();
        let (ending, word) = Self::of_kif_word(rest);
        if !matches!(ending, Self::Other(_)) {
            return Some((ending, word));
        }
        let told = Self::told_by(rest, side)?;
        // Without a number it may be any text.
        let is_told = counted.is_some() || !matches!(told, Self::Other(_));
        is_told.then_some((told, None))
    }

    /// The ending that the words behind `まで7手で` tell with `side` to move.
    fn told_by(rest: &str, side: Color) -> Option<Self> {
        let named = |names: [&str; 4]| names.iter().any(|name| rest.contains(name));
        let player = if named(["先手", "下手", "▲", "☗"]) {
            Some(Color::Black)
        } else if named(["後手", "上手", "△", "☖"]) {
            Some(Color::White)
        } else {
            None
        };
        let has = |word: &str| rest.contains(word);
        if let Some(player) = player {
            let mover = player == side;
            if has("反則勝") || has("反則負") {
                let wins = mover == has("反則勝");
                return Some(if wins { Self::FoulWin } else { Self::FoulLoss });
            }
            if has("不戦勝") || has("不戦敗") {
                let wins = mover == has("不戦勝");
                let ending = if wins {
                    Self::WinByDefault
                } else {
                    Self::LossByDefault
                };
                return Some(ending);
            }
            let wins = has("勝") && !has("負");
            let mover_wins = mover == wins;
            let kinds = [
                ("切れ", Self::TimeUp, false),
                ("切負", Self::TimeUp, false),
                ("入玉", Self::EnteringKing, true),
                ("宣言", Self::EnteringKing, true),
                ("トライ", Self::TryWin, true),
                ("勝", Self::Resign, false),
                ("負", Self::Resign, false),
            ];
            let found = kinds.into_iter().find(|(word, _, _)| has(word));
            if let Some((_, ending, by_mover)) = found {
                // The winner is never another one than the sentence says.
                return Some(if mover_wins == by_mover {
                    ending
                } else {
                    Self::Other(rest.to_owned())
                });
            }
        }
        let starts = [
            ("時間切れ", Self::TimeUp),
            ("詰", Self::Mate),
            ("千日手", Self::Repetition),
            ("持将棋", Self::Impasse),
        ];
        let found = starts.into_iter().find(|(word, _)| rest.starts_with(word));
        match found {
            Some((_, ending)) => Some(ending),
            None => (!rest.is_empty()).then(|| Self::Other(rest.to_owned())),
        }
    }
}

impl fmt::Display for GameEnding {
    /// The word in KIF files.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kif())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_field_are_known_or_kept() {
        for (word, ending, own) in [
            ("投了", GameEnding::Resign, false),
            ("61手詰", GameEnding::Mate, true),
            ("三手詰め", GameEnding::Mate, true),
            ("１１手詰", GameEnding::Mate, true),
            ("封じ手", GameEnding::Other("封じ手".to_owned()), false),
            (
                "フラッグ落ち",
                GameEnding::Other("フラッグ落ち".to_owned()),
                false,
            ),
            (
                "打ち歩詰め",
                GameEnding::Other("打ち歩詰め".to_owned()),
                false,
            ),
        ] {
            let expected = (ending, own.then(|| word.to_owned()));
            assert_eq!(GameEnding::of_kif_word(word), expected, "{word}");
        }
        for (spelling, ending) in SPELLINGS {
            assert_eq!(GameEnding::from_kif(spelling), Some(ending));
        }
        assert_eq!(GameEnding::from_usi("BREAK"), Some(GameEnding::Interrupt));
        assert_eq!(GameEnding::from_usi("hello"), None);
    }

    #[test]
    fn sentences_never_change_the_winner() {
        let (black, white) = (Color::Black, Color::White);
        for (line, side, outcome) in [
            ("まで3手で先手の勝ち", white, GameOutcome::Win(black)),
            ("まで3手で後手の勝ち", white, GameOutcome::Undecided),
            ("まで4手で先手の負け", black, GameOutcome::Win(white)),
            (
                "まで3手で時間切れにより先手の勝ち",
                white,
                GameOutcome::Win(black),
            ),
            (
                "まで3手で後手の時間切れ負け",
                white,
                GameOutcome::Win(black),
            ),
            ("まで3手で後手の入玉勝ち", white, GameOutcome::Win(white)),
            ("まで3手で先手の反則負け", white, GameOutcome::Win(white)),
            ("まで0手で先手の不戦勝", black, GameOutcome::Win(black)),
            ("まで、30手で千日手", black, GameOutcome::Draw),
            ("まで1手で61手詰", white, GameOutcome::Win(black)),
            ("まで2手で中断", black, GameOutcome::Undecided),
        ] {
            let (ending, _) = GameEnding::from_sentence(line, side).unwrap();
            assert_eq!(ending.outcome(side), outcome, "{line}: {ending:?}");
        }
        assert_eq!(GameEnding::from_sentence("ここまで", black), None);
    }
}
