//! The texts of a game as lists show them and as searches look at them.

use memchr::memmem::Finder;

use super::requests::TextSearch;

/// The texts of a game. There are many games: all texts stand in one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameTexts {
    /// The texts that are shown, in lines.
    shown: Box<str>,
    /// The texts that are searched, folded, in lines; the players are the first two.
    searched: Box<str>,
    /// The bytes of the players in `searched`.
    players: u32,
    year: Option<u16>,
}

impl GameTexts {
    /// Texts that are shown, in an order of the game's own, and those that are searched, the names of the players first; `fold` brings
    /// them into the form in which they are compared.
    pub fn new(
        shown: &[&str],
        searched: &[&str],
        fold: impl Fn(&str) -> String,
        year: Option<u16>,
    ) -> Self {
        let one_line = |text: &&str| text.replace(['\n', '\r'], " ");
        let searched: Vec<_> = searched.iter().map(|text| fold(&one_line(text))).collect();
        let players: usize = searched.iter().take(2).map(String::len).sum();
        let shown: Vec<_> = shown.iter().map(one_line).collect();
        Self {
            shown: shown.join("\n").into(),
            players: (players + 1) as u32,
            searched: searched.join("\n").into(),
            year,
        }
    }

    /// The text with a number, from 0, among those that are shown.
    pub fn shown(&self, number: usize) -> &str {
        self.shown.split('\n').nth(number).unwrap_or_default()
    }

    /// The last of the texts that are shown: found without a look at the others.
    pub fn last(&self) -> &str {
        self.shown.rsplit('\n').next().unwrap_or_default()
    }

    /// The year of the game, if it is known.
    pub const fn year(&self) -> Option<u16> {
        self.year
    }

    /// The same texts, searched as those of another game are.
    #[must_use]
    pub fn searched_as(self, other: &Self) -> Self {
        Self {
            searched: other.searched.clone(),
            players: other.players,
            ..self
        }
    }

    fn has_text(&self, text: &Finder<'_>) -> bool {
        text.find(self.searched.as_bytes()).is_some()
    }

    fn has_player(&self, text: &Finder<'_>) -> bool {
        let players = self.searched.as_bytes().get(..self.players as usize);
        text.find(players.unwrap_or_default()).is_some()
    }
}

/// What is searched for in texts, prepared.
#[derive(Clone, Debug)]
pub struct TextQuery {
    text: Option<Finder<'static>>,
    player: Option<Finder<'static>>,
    years: Option<[u16; 2]>,
}

impl TextQuery {
    /// Prepares a search, by the same `fold` as the texts of the games.
    pub fn new(search: &TextSearch, fold: impl Fn(&str) -> String) -> Self {
        let finder = |text: &Option<String>| {
            let text = fold(text.as_deref().unwrap_or_default().trim());
            (!text.is_empty()).then(|| Finder::new(&text).into_owned())
        };
        Self {
            text: finder(&search.text),
            player: finder(&search.player),
            years: search.years,
        }
    }

    /// Returns whether a game fits everything that is given.
    pub fn accepts(&self, game: &GameTexts) -> bool {
        let is_in_years =
            |[from, to]: [u16; 2]| game.year().is_some_and(|year| (from..=to).contains(&year));
        self.years.is_none_or(is_in_years)
            && self
                .player
                .as_ref()
                .is_none_or(|text| game.has_player(text))
            && self.text.as_ref().is_none_or(|text| game.has_text(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_texts_of_their_own() {
        let fold = |text: &str| text.to_lowercase();
        let shown = ["Ann", "Bob", "The\nCup"];
        let texts = GameTexts::new(&shown, &["Ann", "Bob", "Cup"], fold, Some(1999));
        assert_eq!((texts.shown(1), texts.last()), ("Bob", "The Cup"));
        let found = |text: &str, player: &str, years| {
            let some = |text: &str| Some(text.to_owned());
            let search = TextSearch {
                text: some(text),
                player: some(player),
                years,
            };
            TextQuery::new(&search, fold).accepts(&texts)
        };
        assert!(found("CUP", "bo", Some([1999, 2000])) && found("", "", None));
        assert!(!found("", "cup", None) && !found("x", "", None));
        assert!(!found("", "", Some([2000, 2001])));
    }
}
