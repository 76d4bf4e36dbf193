//! The options about the strength: `SkillLevel`, the same in words, and the times of a person.

use super::Row;

/// The level without a limit.
pub(in crate::options) const FULL_SKILL: i64 = 20;
/// The value of `PlayAs` that leaves the choice to `SkillLevel`.
const BY_LEVEL: &str = "SkillLevel";
/// The levels that `PlayAs` names.
pub(in crate::options) const PLAYERS: [(&str, i64); 8] = [
    ("first_games", 0),
    ("beginner", 3),
    ("casual_player", 7),
    ("club_player", 10),
    ("strong_club_player", 13),
    ("strong_amateur", 15),
    ("tournament_player", 17),
    ("master", 19),
];

pub(super) fn rows() -> [Row; 3] {
    let mut words = vec![BY_LEVEL];
    words.extend(PLAYERS.map(|(word, _)| word));
    [
        Row::spin("SkillLevel", (FULL_SKILL, 0, FULL_SKILL), |s, n| {
            s.skill.level = n;
        }),
        Row::combo("PlayAs", &words, |s, word| {
            let named = PLAYERS.iter().find(|(name, _)| *name == word);
            s.skill.named = named.map(|(_, level)| *level);
        }),
        Row::check("HumanTime", false, |s, on| s.skill.human_time = on),
    ]
}
