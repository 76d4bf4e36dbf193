//! Words for people, in Japanese and English.

use shogi_core::{JapaneseMove, Move};
use shogi_openings::OpeningName;

use crate::judge::{Judgement, MistakeKind, Phase};

/// A language of labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Japanese.
    Japanese,
}

impl Language {
    /// The code in HTML: `en`, `ja`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Japanese => "ja",
        }
    }

    /// The language of a locale such as `ja_JP.UTF-8`; English for any other than Japanese.
    pub fn of_locale(locale: &str) -> Self {
        if locale.starts_with("ja") {
            Self::Japanese
        } else {
            Self::English
        }
    }

    /// The first text in English, the second in Japanese.
    pub const fn of<'a>(self, english: &'a str, japanese: &'a str) -> &'a str {
        match self {
            Self::English => english,
            Self::Japanese => japanese,
        }
    }

    /// A judgement.
    pub const fn judge(self, judge: Judgement) -> &'static str {
        match judge {
            Judgement::Inaccuracy => self.of("inaccuracy", "緩手"),
            Judgement::Mistake => self.of("mistake", "疑問手"),
            Judgement::Blunder => self.of("blunder", "悪手"),
        }
    }

    /// An opening by its Japanese name; `-` for games without a name.
    pub fn opening(self, japanese: &str) -> &str {
        let name = OpeningName::find(japanese);
        let name = name.map_or(japanese, |name| self.of(name.en, name.ja));
        if name.is_empty() { "-" } else { name }
    }

    /// What a move is bad by.
    pub const fn kind(self, kind: MistakeKind) -> &'static str {
        match kind {
            MistakeKind::MissedMate => self.of("missed mate", "詰み逃し"),
            MistakeKind::OverlookedMate => self.of("overlooked mate", "詰みの見落とし"),
            MistakeKind::HangingPiece => self.of("hanging piece", "駒損"),
            MistakeKind::Strategic => self.of("strategic", "大局観"),
        }
    }

    /// A part of the game.
    pub const fn phase(self, phase: Phase) -> &'static str {
        match phase {
            Phase::Opening => self.of("opening", "序盤"),
            Phase::Middle => self.of("middle game", "中盤"),
            Phase::End => self.of("end game", "終盤"),
        }
    }
}

/// A move in Japanese with the marks that all encodings have, never with 同: `▲７六歩(77)`.
pub(crate) fn move_text(m: Move) -> String {
    JapaneseMove { m, last_to: None }
        .to_string()
        .replace('☗', "▲")
        .replace('☖', "△")
}
