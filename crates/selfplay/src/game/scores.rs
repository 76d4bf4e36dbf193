//! Visits of candidates, and the choice of moves by visits.

use pack_format::hcpe3::Hcpe3Candidate;
use shogi_core::Move;
use shogi_engine::{MoveVisits, Thought, ThoughtLine};
use shogi_usi::Score;
use yane_base::random::RngExt;

use super::Random;
use crate::{Hcpe3, VisitSampling};

/// The first moves of `lines` with visits that add up to the settings' sum: one for each, and of the rest a
/// share by the softmax of the scores. Moves that are too much worse than the best are left out, but not
/// `played`.
pub(super) fn visits(lines: &[ThoughtLine], played: Move, settings: &Hcpe3) -> Vec<Hcpe3Candidate> {
    let mut moves: Vec<(Move, i32)> = Vec::with_capacity(lines.len() + 1);
    for line in lines {
        if let Some(&mv) = line.pv.first()
            && moves.iter().all(|&(known, _)| known != mv)
        {
            moves.push((mv, value(line.score, settings)));
        }
    }
    let best = moves.iter().map(|&(_, value)| value).max().unwrap_or(0);
    if moves.iter().all(|&(known, _)| known != played) {
        moves.push((played, best));
    }
    moves.retain(|&(mv, value)| mv == played || best - value <= settings.drop_threshold);
    let shares = shares(&moves, best, settings.temperature);
    let rest = usize::from(settings.visits).saturating_sub(moves.len());
    let exact = shares.iter().map(|share| share * rest as f64);
    let mut counts: Vec<(usize, f64)> = exact.map(|it| (it as usize, it.fract())).collect();
    // The rest of the visits goes to the largest fractions, one each; of equal ones to the first.
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by(|&a, &b| counts[b].1.total_cmp(&counts[a].1));
    let left = rest
        - counts
            .iter()
            .map(|&(count, _)| count)
            .sum::<usize>()
            .min(rest);
    for &index in order.iter().cycle().take(left) {
        counts[index].0 += 1;
    }
    let candidates = moves
        .iter()
        .zip(counts)
        .map(|(&(mv, _), (count, _))| Hcpe3Candidate {
            mv,
            visits: (count + 1).min(usize::from(u16::MAX)) as u16,
        });
    candidates.collect()
}

/// The moves that playouts went through, with their numbers, divided by the same number where the largest does not fit; all of them for `played`
/// when that mates.
pub(super) fn counted(thought: &Thought, played: Move) -> Vec<Hcpe3Candidate> {
    const MOST: u32 = u16::MAX as u32;
    let visits = &thought.visits;
    let mates = |line: &ThoughtLine| match line.score {
        Score::Mate(plies) => plies.get() > 0,
        Score::MateUnknown => true,
        Score::MatedUnknown | Score::Cp(_) => false,
    };
    if thought.lines.first().is_some_and(mates) {
        let sum: u64 = visits.iter().map(|known| u64::from(known.visits)).sum();
        return vec![Hcpe3Candidate {
            mv: played,
            visits: sum.clamp(1, MOST.into()) as u16,
        }];
    }
    let most = visits.iter().map(|known| known.visits).max();
    let most = most.unwrap_or(0).max(MOST);
    let share = |visits: u32| u64::from(visits) * u64::from(MOST) / u64::from(most);
    let candidates = visits.iter().map(|known| Hcpe3Candidate {
        mv: known.mv,
        visits: share(known.visits).max(1) as u16,
    });
    candidates.collect()
}

/// A move at random for a player who has made `made` moves of the record, from `visits`, which is not empty: of those whose probability of winning
/// is near enough to that of the best, each as likely as its visits to the power of 1 / temperature. This is the rule of dlshogi.
pub(super) fn sample(
    visits: &[MoveVisits],
    rule: &VisitSampling,
    made: u32,
    random: &mut Random,
) -> Move {
    let lowered =
        |value: u32, drop: u32| f64::from(value.saturating_sub(drop.saturating_mul(made))) / 1000.0;
    let best = visits[0];
    let least = f64::from(best.win_rate) - lowered(rule.cutoff, rule.cutoff_drop);
    // At 0 and near it the most visited move has all.
    let temperature = lowered(rule.temperature, rule.temperature_drop).max(0.001);
    let weight = |known: &MoveVisits| {
        let share = f64::from(known.visits) / f64::from(best.visits);
        share.powf(1.0 / temperature).min(f64::from(u32::MAX))
    };
    let near = visits.iter().enumerate();
    let near = near.filter(|&(number, known)| {
        number == 0 || known.win_rate > 0.0 && f64::from(known.win_rate) >= least
    });
    let near: Vec<(Move, f64)> = near.map(|(_, known)| (known.mv, weight(known))).collect();
    let mut left = random.random::<f64>() * near.iter().map(|(_, weight)| weight).sum::<f64>();
    let chosen = near.iter().find(|(_, weight)| {
        left -= weight;
        left < 0.0
    });
    chosen.map_or(best.mv, |&(mv, _)| mv)
}

/// Returns a score in centipawns; the settings define the value of mates.
fn value(score: Score, settings: &Hcpe3) -> i32 {
    let mate = i32::from(settings.mate_score);
    match score {
        Score::Cp(cp) => cp,
        Score::Mate(plies) if plies.get() > 0 => mate.saturating_sub(plies.get()),
        Score::Mate(plies) => (-mate).saturating_sub(plies.get()),
        Score::MateUnknown => mate - 1,
        Score::MatedUnknown => 1 - mate,
    }
}

/// Parts of 1.
fn shares(moves: &[(Move, i32)], best: i32, temperature: f64) -> Vec<f64> {
    if temperature <= 0.0 {
        let first = moves.iter().position(|&(_, value)| value == best);
        return (0..moves.len())
            .map(|index| f64::from(Some(index) == first))
            .collect();
    }
    let weights = moves
        .iter()
        .map(|&(_, value)| (f64::from(value - best) / temperature).exp());
    let weights: Vec<f64> = weights.collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

#[cfg(test)]
mod tests {
    use shogi_core::Position;

    use super::*;

    fn lines(scores: &[(&str, i32)]) -> (Vec<ThoughtLine>, Vec<Move>) {
        let position = Position::startpos();
        let moves: Vec<Move> = scores
            .iter()
            .map(|(mv, _)| position.move_from_usi(mv).unwrap())
            .collect();
        let line = |(&mv, &(_, cp)): (&Move, &(&str, i32))| ThoughtLine {
            depth: 1,
            sel_depth: 1,
            score: Score::Cp(cp),
            bound: None,
            pv: vec![mv],
            end: None,
        };
        (moves.iter().zip(scores).map(line).collect(), moves)
    }

    fn listed(candidates: &[Hcpe3Candidate]) -> Vec<(String, u16)> {
        candidates
            .iter()
            .map(|it| (it.mv.to_string(), it.visits))
            .collect()
    }

    #[test]
    fn visits_add_up_and_follow_the_scores() {
        let (lines, moves) = lines(&[("7g7f", 100), ("2g2f", 100), ("5g5f", 0), ("1g1f", -401)]);
        let settings = Hcpe3 {
            visits: 1000,
            ..Hcpe3::default()
        };
        let candidates = visits(&lines, moves[0], &settings);
        // e⁰ : e⁰ : e⁻¹ of 997, and one each; the last is more than 500 behind.
        let names: Vec<_> = listed(&candidates);
        assert_eq!(names[0], ("7g7f".to_owned(), 422));
        assert_eq!(names[1].1, 422);
        assert_eq!(names[2], ("5g5f".to_owned(), 156));
        assert_eq!(
            candidates
                .iter()
                .map(|it| u32::from(it.visits))
                .sum::<u32>(),
            1000
        );
        // The move that was played is kept, whatever its score.
        assert_eq!(visits(&lines, moves[3], &settings).len(), 4);
    }

    /// The thought with these moves, visits and probabilities of winning.
    fn tried(moves: &[(&str, u32, f32)], score: Score) -> Thought {
        let position = Position::startpos();
        let visits = moves.iter().map(|&(mv, visits, win_rate)| MoveVisits {
            mv: position.move_from_usi(mv).unwrap(),
            visits,
            win_rate,
        });
        let visits: Vec<_> = visits.collect();
        let (mut lines, _) = lines(&[(moves[0].0, 0)]);
        lines[0].score = score;
        Thought {
            decision: shogi_engine::Decision::Play {
                best: visits[0].mv,
                ponder: None,
            },
            lines,
            visits,
            nodes: 1,
            elapsed: std::time::Duration::ZERO,
        }
    }

    #[test]
    fn visits_are_those_of_the_search() {
        let moves = [("7g7f", 131_070, 0.5), ("2g2f", 600, 0.5), ("1g1f", 1, 0.4)];
        let thought = tried(&moves, Score::Cp(0));
        let counts = |thought: &Thought| -> Vec<u16> {
            let all = counted(thought, thought.visits[0].mv);
            all.iter().map(|known| known.visits).collect()
        };
        assert_eq!(counts(&thought), [65_535, 300, 1]);
        let few = tried(&moves[1..], Score::Cp(0));
        assert_eq!(counts(&few), [600, 1]);
        let mate = tried(&moves[1..], Score::MateUnknown);
        assert_eq!(counts(&mate), [601]);
        assert_eq!(counts(&tried(&moves[1..], Score::MatedUnknown)), [600, 1]);
    }

    #[test]
    fn moves_are_chosen_by_visits_within_the_cutoff() {
        use yane_base::random::stream;
        let moves = [
            ("7g7f", 60, 0.50),
            ("2g2f", 30, 0.49),
            ("5g5f", 10, 0.52),
            ("1g1f", 500, 0.47),
            ("9g9f", 100, 0.0),
        ];
        let thought = tried(&moves, Score::Cp(0));
        let rule = VisitSampling {
            temperature: 1000,
            temperature_drop: 100,
            ..VisitSampling::new(10)
        };
        let mut random = stream(1);
        let mut counts = |rule: &VisitSampling, made: u32| {
            let mut counts = [0; 5];
            for _ in 0..10_000 {
                let mv = sample(&thought.visits, rule, made, &mut random);
                let known = thought.visits.iter().position(|known| known.mv == mv);
                counts[known.unwrap()] += 1;
            }
            counts
        };
        // 6 : 3 : 1 at temperature 1; at 10 nearly equal; at 0.5 as the squares; at 0 the most visited.
        let near = |counts: [i32; 5], parts: [f64; 3]| {
            let sum: f64 = parts.iter().sum();
            let is_near =
                |(&count, part): (&i32, f64)| (f64::from(count) - part / sum * 1e4).abs() < 250.0;
            assert!(counts.iter().zip(parts).all(is_near), "{counts:?}");
            assert_eq!(counts[3..], [0, 0]);
        };
        near(counts(&rule, 0), [6.0, 3.0, 1.0]);
        near(counts(&rule, 5), [36.0, 9.0, 1.0]);
        assert_eq!(counts(&rule, 10)[0], 10_000);
        let hot = VisitSampling::new(10);
        let tenth = |share: f64| share.powf(0.1);
        near(counts(&hot, 0), [tenth(6.0), tenth(3.0), 1.0]);
        // The cutoff shrinks too.
        let narrow = VisitSampling {
            cutoff: 15,
            cutoff_drop: 3,
            ..rule
        };
        near(counts(&narrow, 0), [6.0, 3.0, 1.0]);
        assert_eq!(counts(&narrow, 2)[1], 0);
        assert!(counts(&narrow, 2)[2] > 0);
    }

    #[test]
    fn without_temperature_the_best_has_all() {
        let (lines, moves) = lines(&[("7g7f", 5), ("2g2f", 4)]);
        let settings = Hcpe3 {
            visits: 100,
            temperature: 0.0,
            ..Hcpe3::default()
        };
        let names = listed(&visits(&lines, moves[0], &settings));
        assert_eq!(names, [("7g7f".to_owned(), 99), ("2g2f".to_owned(), 1)]);
    }

    #[test]
    fn a_move_without_a_line_is_a_candidate() {
        let (lines, moves) = lines(&[("7g7f", 5), ("2g2f", 4)]);
        let settings = Hcpe3 {
            visits: 2,
            ..Hcpe3::default()
        };
        assert_eq!(visits(&lines[..1], moves[1], &settings).len(), 2);
        assert_eq!(
            visits(&[], moves[1], &settings),
            [Hcpe3Candidate {
                mv: moves[1],
                visits: 2
            }]
        );
    }
}
