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

/// Other spellings of the words in KIF files.
const SPELLINGS: [(&str, GameEnding); 17] = [
    ("詰", GameEnding::Mate),
    ("つみ", GameEnding::Mate),
    ("不詰み", GameEnding::NoMate),
    ("時間切れ", GameEnding::TimeUp),
    ("時間切れ負け", GameEnding::TimeUp),
    ("切負", GameEnding::TimeUp),
    ("切れ負", GameEnding::TimeUp),
    ("入玉", GameEnding::EnteringKing),
    ("入玉宣言", GameEnding::EnteringKing),
    ("宣言勝ち", GameEnding::EnteringKing),
    ("トライ", GameEnding::TryWin),
    ("引分", GameEnding::Draw),
    ("引分け", GameEnding::Draw),
    ("引き分", GameEnding::Draw),
    ("手数制限", GameEnding::MaxMoves),
    ("封じ手", GameEnding::Interrupt),
    ("投了図", GameEnding::Resign),
];

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

    /// The ending of a word in a KIF file, whatever it is.
    pub(crate) fn of_kif_word(word: &str) -> Self {
        Self::from_kif(word).unwrap_or_else(|| Self::Other(word.to_owned()))
    }

    /// The ending of a word of CSA or JKF with `side` to move, or of KIF, which some programs write there.
    pub(crate) fn of_word(word: &str, side: Color) -> Self {
        Self::from_csa(word, side).unwrap_or_else(|| Self::of_kif_word(word))
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
            .find(|row| row.2 == word && !row.2.is_empty())
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
    pub(crate) fn sentence(&self, moves: usize, side: Color, names: [&str; 2]) -> String {
        let (mover, other) = (names[side.index()], names[side.flip().index()]);
        match self {
            Self::Resign => format!("まで{moves}手で{other}の勝ち"),
            Self::TimeUp => format!("まで{moves}手で時間切れにより{other}の勝ち"),
            Self::FoulWin | Self::FoulLoss | Self::EnteringKing | Self::TryWin => {
                format!("まで{moves}手で{mover}の{self}")
            }
            _ => format!("まで{moves}手で{self}"),
        }
    }

    /// The ending that a sentence tells, with `side` to move; `None` when it is no such sentence.
    pub(crate) fn from_sentence(line: &str, side: Color) -> Option<Self> {
        let rest = line.trim().strip_prefix("まで")?;
        let rest = rest.trim_start_matches(['、', ' ', '\u{3000}']);
        let digits =
            rest.trim_start_matches(|c: char| c.is_ascii_digit() || ('０'..='９').contains(&c));
        let rest = digits.strip_prefix('手').unwrap_or(rest).trim();
        let rest = rest.strip_prefix('で').unwrap_or(rest).trim();
        if let Some(ending) = Self::from_kif(rest) {
            return Some(ending);
        }
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
            let kinds = [
                ("切れ", Self::TimeUp),
                ("入玉", Self::EnteringKing),
                ("宣言", Self::EnteringKing),
                ("トライ", Self::TryWin),
                ("不戦勝", Self::WinByDefault),
                ("不戦敗", Self::LossByDefault),
                ("勝", Self::Resign),
                ("負", Self::Resign),
            ];
            let found = kinds.into_iter().find(|(word, _)| has(word));
            if let Some((_, ending)) = found {
                return Some(ending);
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
