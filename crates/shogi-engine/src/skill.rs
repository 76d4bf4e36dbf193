//! A strength limit for human opponents: fewer positions are searched, and one of the better moves is played rather than the best.
//!
//! A weak player is not a strong one who gives away a piece now and then, so nothing is thrown in: the moves are those that a short search thinks
//! well of.

use shogi_core::Move;
use shogi_search::{Limits, Observer, SearchInfo, SearchOptions, Value};
use yane_base::random::{RngExt, stream};

use crate::options::FULL_SKILL;
use crate::options::settings::SkillSettings;

/// Lines among which a move is chosen.
const LINES: usize = 6;
/// Positions of a search at level 0, and the factor of each level.
const NODES: (f64, f64) = (60.0, 1.55);
/// Centipawns by which a move may be worse than the best, for each level below the full one.
const MARGIN: f64 = 12.0;

/// A strength limit: its level, below [`FULL_SKILL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Skill {
    level: u8,
    /// The seed of the choice.
    seed: u64,
}

impl Skill {
    /// The limit of `level`; `None` at the full level.
    pub(crate) fn new(level: i64, seed: u64) -> Option<Self> {
        let level = u8::try_from(level).ok()?;
        (i64::from(level) < FULL_SKILL).then_some(Self { level, seed })
    }

    /// The limit that the options ask for; `None` at full strength.
    pub(crate) fn of(settings: &SkillSettings, seed: u64) -> Option<Self> {
        Self::new(settings.named.unwrap_or(settings.level), seed)
    }

    /// The level, below [`FULL_SKILL`].
    pub(crate) const fn level(self) -> u8 {
        self.level
    }

    /// The seed of what is left to chance.
    pub(crate) const fn seed(self) -> u64 {
        self.seed
    }

    /// Limits a search.
    pub(crate) fn limit(self, limits: &mut Limits, options: &mut SearchOptions) {
        let (base, factor) = NODES;
        let nodes = (base * factor.powi(self.level.into())) as u64;
        limits.nodes = Some(limits.nodes.map_or(nodes, |limit| limit.min(nodes)));
        options.multi_pv = options.multi_pv.max(LINES);
    }

    /// The line to play, best first in `lines`: the less it is behind, the more likely. A mate that was found is played.
    fn choose(self, lines: &[SearchInfo]) -> Option<&SearchInfo> {
        let best = lines.first()?;
        if best.score >= Value::MATE_IN_MAX_PLY {
            return Some(best);
        }
        let margin = MARGIN * (FULL_SKILL - i64::from(self.level)) as f64;
        let weight = |line: &SearchInfo| {
            let behind = f64::from(best.score.centipawns() - line.score.centipawns()).max(0.0);
            if behind > margin {
                0.0
            } else {
                (-2.0 * behind / margin).exp()
            }
        };
        let total: f64 = lines.iter().map(weight).sum();
        let mut rest = stream(self.seed).random::<f64>() * total;
        lines.iter().find(|&line| {
            rest -= weight(line);
            rest < 0.0
        })
    }
}

/// Collects the lines of a limited search, and reports those that the user wants to see.
pub(crate) struct SkillLines<'a> {
    observer: &'a mut dyn Observer,
    /// Lines that are shown.
    shown: usize,
    /// The newest line of each number.
    lines: Vec<SearchInfo>,
}

impl<'a> SkillLines<'a> {
    /// For a search of which the first `shown` lines go to `observer`.
    pub(crate) const fn new(observer: &'a mut dyn Observer, shown: usize) -> Self {
        Self {
            observer,
            shown,
            lines: Vec::new(),
        }
    }

    /// The lines of the last iteration, best first.
    pub(crate) fn lines(&self) -> &[SearchInfo] {
        &self.lines
    }

    /// The move to play and the reply that is expected; `None` before anything is known.
    pub(crate) fn choose(&self, skill: Skill) -> Option<(Move, Option<Move>)> {
        // Lines of the last depth may be missing where the search was stopped.
        let line = skill.choose(&self.lines)?;
        let mut moves = line.pv.iter().copied();
        Some((moves.next()?, moves.next()))
    }
}

impl Observer for SkillLines<'_> {
    fn info(&mut self, info: &SearchInfo) {
        if info.multi_pv == 1 {
            // What follows belongs to another iteration, whose moves may be in another order.
            self.lines.clear();
        }
        self.lines.push(info.clone());
        if info.multi_pv <= self.shown {
            self.observer.info(info);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use shogi_search::Bound;

    fn lines(scores: &[i32]) -> Vec<SearchInfo> {
        let line = |(index, &score)| SearchInfo {
            depth: 5,
            sel_depth: 5,
            multi_pv: index + 1,
            score: Value(score),
            bound: Bound::Exact,
            nodes: 1,
            hash_full: 0,
            elapsed: Duration::ZERO,
            pv: Vec::new(),
        };
        scores.iter().enumerate().map(line).collect()
    }

    /// Of 1,000 choices, how many fell on each line.
    fn counts(level: i64, scores: &[i32]) -> Vec<u32> {
        let lines = lines(scores);
        let mut counts = vec![0; scores.len()];
        for seed in 0..1000 {
            let skill = Skill::new(level, seed).unwrap();
            counts[skill.choose(&lines).unwrap().multi_pv - 1] += 1;
        }
        counts
    }

    #[test]
    fn lower_levels_choose_more_freely() {
        let scores = [0, -45, -90, -900];
        let [low, high] = [0, 19].map(|level| counts(level, &scores));
        assert!(
            low[0] > low[1] && low[1] > low[2] && low[2] > 100,
            "{low:?}"
        );
        // Nobody gives a rook away.
        assert_eq!(low[3], 0);
        assert_eq!(high, [1000, 0, 0, 0]);
        // Equal moves are equally likely.
        let equal = counts(19, &[7, 7]);
        assert!((400..600).contains(&equal[0]), "{equal:?}");
    }

    #[test]
    fn a_mate_is_played() {
        assert_eq!(counts(0, &[31_990, 31_980]), [1000, 0]);
    }

    #[test]
    fn a_word_counts_before_the_number() {
        let of = |level, named| {
            let settings = SkillSettings {
                level,
                named,
                human_time: false,
            };
            Skill::of(&settings, 1).map(Skill::level)
        };
        assert_eq!(of(20, None), None);
        assert_eq!(of(5, None), Some(5));
        assert_eq!(of(5, Some(7)), Some(7));
    }

    #[test]
    fn levels_limit_the_search() {
        assert_eq!(Skill::new(20, 1), None);
        let mut last = 0;
        for level in 0..20 {
            let (mut limits, mut options) = (Limits::default(), SearchOptions::default());
            Skill::new(level, 1)
                .unwrap()
                .limit(&mut limits, &mut options);
            assert_eq!(options.multi_pv, LINES);
            let nodes = limits.nodes.unwrap();
            assert!(nodes > last);
            last = nodes;
        }
        let mut limits = Limits {
            nodes: Some(10),
            ..Limits::default()
        };
        Skill::new(19, 1)
            .unwrap()
            .limit(&mut limits, &mut SearchOptions::default());
        assert_eq!(limits.nodes, Some(10));
    }
}
