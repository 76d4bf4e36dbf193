//! The report of a match: a line for each game and a live table on standard error, the summary on standard
//! output, for people or as JSON.

use serde_json::{Value, json};
use tournament::{
    Contestant, GamePoints, Leads, LoggedGame, MatchPlan, MatchResult, MatchScore, Pairing,
    PairingRecord, PartScores, PlayerColor, ResultTable, SequentialScore, Sprt, SprtDecision,
    Standings, TimeUsage, Violations, labels,
};
use yane_cli::counted;

use crate::players::{Players, identical_note};
use crate::rate::rating_lines;

/// Games of a match that a sequential test ends, without `--games`: more than tests take, so that reports do not name it.
pub(crate) const GAMES_OF_TEST: u64 = 100_000;

/// The facts about a match before it begins.
#[derive(Debug)]
pub(crate) struct Report {
    pairing: Pairing,
    players: Players,
    /// What is to be said about the players whatever they play.
    notes: Vec<String>,
    /// The number of games to play; `None` where only the test ends them.
    games: Option<u64>,
    /// The test that ends the match early.
    sprt: Option<Sprt>,
    /// The sets of options that rounds take in turn.
    option_sets: Vec<String>,
    /// The names of the parts that are compared.
    parts: Vec<String>,
}

impl Report {
    pub(crate) fn new(
        plan: &MatchPlan,
        contestants: &[Contestant],
        notes: Vec<String>,
    ) -> tournament::Result<Self> {
        Ok(Self {
            pairing: plan.pairing,
            players: Players::new(labels(&plan.engines)?, contestants),
            notes,
            games: (plan.sprt.is_none() || plan.games < GAMES_OF_TEST).then_some(plan.games),
            sprt: plan.sprt,
            option_sets: plan
                .rotation
                .options
                .iter()
                .map(ToString::to_string)
                .collect(),
            parts: plan
                .parts
                .parts()
                .iter()
                .map(|part| part.name.clone())
                .collect(),
        })
    }

    /// The number of games to play; `None` where only the test ends them.
    pub(crate) const fn games(&self) -> Option<u64> {
        self.games
    }

    /// A line about a game that has just ended, and the score so far.
    pub(crate) fn game_line(&self, game: &LoggedGame, standings: &Standings) -> String {
        let played = &game.played;
        let detail = played.detail.as_ref();
        let detail = detail.map_or(String::new(), |text| format!(" ({text})"));
        let total = self
            .games
            .map_or(String::new(), |games| format!("/{games}"));
        let number = format!("{:>5}{total}", standings.games);
        let ending = format!("{:?}{detail}, {} plies", played.reason, played.plies);
        let [black, white] = game.players;
        if self.pairing == Pairing::Match {
            let color_of_a = PlayerColor::ALL[usize::from(black != 0)];
            let result = match played.points(color_of_a) {
                GamePoints::Win => "A",
                GamePoints::Draw => "draw",
                GamePoints::Loss => "B",
            };
            if !self.parts.is_empty() {
                return format!("{number}  {result:<4} {ending}");
            }
            let score = self.score_text(&standings.first_score());
            return format!("{number}  {result:<4} {ending}  |  {score}");
        }
        let result = match played.points(PlayerColor::Black) {
            GamePoints::Win => "1-0",
            GamePoints::Draw => "1/2",
            GamePoints::Loss => "0-1",
        };
        let [black, white] = [black, white].map(|player| &self.players.labels()[player]);
        format!("{number}  {result}  {black} - {white}  {ending}")
    }

    /// `A +3 =1 -2  Elo +58.5 [-100.2, +230.1]  LLR 0.10 [-2.94, 2.94]`.
    fn score_text(&self, score: &MatchScore) -> String {
        let elo = score
            .elo()
            .map_or(String::new(), |elo| format!("  Elo {elo}"));
        let test = self.sprt.map_or(String::new(), |sprt| {
            let ratio = sprt.log_likelihood_ratio(&score.pairs);
            format!("  LLR {ratio:.2} [{:.2}, {:.2}]", sprt.lower, sprt.upper)
        });
        format!("A {score}{elo}{test}")
    }

    /// The event of the score so far; without one player against one other, that of the first.
    pub(crate) fn score_event(&self, standings: &Standings) -> Value {
        let sprt = self.sprt.as_ref().filter(|_| self.parts.is_empty());
        score_of(&standings.first_score(), sprt)
    }

    /// The table that is redrawn while games are played.
    pub(crate) fn live_table(&self, standings: &Standings, by_part: &PartScores) -> String {
        if !self.parts.is_empty() {
            self.part_table(&by_part.scores()).join("\n")
        } else if self.pairing == Pairing::Match {
            self.score_text(&standings.first_score())
        } else {
            self.table(standings).join("\n")
        }
    }

    /// The table of ratings; of points as long as there is no rating.
    fn table(&self, standings: &Standings) -> Vec<String> {
        let mut results = ResultTable::default();
        results.add_standings(self.players.labels(), standings);
        if let Ok(ratings) = results.rate(None, None) {
            return rating_lines(&ratings);
        }
        let engines = self.players.labels().iter().zip(&standings.engines);
        engines
            .map(|(label, engine)| {
                format!("{label}  {} points of {}", engine.points(), engine.games())
            })
            .collect()
    }

    /// The summary, for people.
    pub(crate) fn text(&self, result: &MatchResult) -> Vec<String> {
        let standings = &result.standings;
        let mut lines = Vec::new();
        if !self.parts.is_empty() {
            lines.extend(self.part_table(&result.by_part));
            lines.push(format!("engine: {}", self.players.line(0)));
        } else if self.pairing == Pairing::Match {
            let leads = standings.first_leads();
            self.match_text(&standings.first_score(), &leads, &mut lines);
            let played = standings.first_played_score();
            lines.extend(
                played.map(|score| format!("without forfeits: {}", self.score_text(&score))),
            );
            lines.extend(self.tested(result).map(|(sprt, score)| {
                let games = score.games();
                let test = describe_test(&sprt, &score.pairs);
                if games < standings.games {
                    format!("{test} (of games 1 to {games})")
                } else {
                    test
                }
            }));
        } else {
            lines.extend(self.table(standings));
            lines.extend(self.pairing_lines(standings));
            let engines = 0..self.players.labels().len();
            lines.extend(engines.map(|number| format!("engine: {}", self.players.line(number))));
        }
        for (options, standings) in self.option_sets.iter().zip(&result.by_options) {
            let pairings = self.pairing_lines(standings).into_iter();
            lines.extend(pairings.map(|line| format!("with {options}: {line}")));
        }
        let endings: Vec<String> = standings
            .endings
            .iter()
            .map(|(reason, count)| format!("{reason:?} {count}"))
            .collect();
        lines.push(format!("endings: {}", endings.join(", ")));
        for (number, engine) in standings.engines.iter().enumerate() {
            let Violations {
                illegal_moves,
                crashes,
                time_forfeits,
            } = engine.violations;
            lines.push(format!(
                "{}: {illegal_moves} illegal moves, {crashes} crashes, {time_forfeits} time forfeits; {}",
                self.short_name(number),
                describe_usage(&engine.usage)
            ));
        }
        let notes = self.all_notes(standings).into_iter();
        lines.extend(notes.map(|note| format!("note: {note}")));
        lines
    }

    /// What a reader of the result should know beside it.
    fn all_notes(&self, standings: &Standings) -> Vec<String> {
        let names = |number: usize| self.short_name(number);
        let mut notes = self.notes.clone();
        // With parts the players are never alike for long.
        if self.parts.is_empty() {
            let records = standings.pairings.iter();
            notes.extend(records.filter_map(|([one, other], record)| {
                identical_note(names(*one), names(*other), record)
            }));
        }
        notes
    }

    fn part_table(&self, scores: &[MatchScore]) -> Vec<String> {
        part_table(&self.parts, scores, self.sprt.as_ref())
    }

    /// The name of an engine in the summary: A and B in a match.
    fn short_name(&self, number: usize) -> &str {
        match (self.pairing, number) {
            (Pairing::Match, 0) => "A",
            (Pairing::Match, 1) => "B",
            _ => &self.players.labels()[number],
        }
    }

    fn match_text(&self, score: &MatchScore, leads: &Leads, lines: &mut Vec<String>) {
        lines.push(format!("A: {}", self.players.line(0)));
        lines.push(format!("B: {}", self.players.line(1)));
        lines.push(format!("games: {}, A {score}", score.games()));
        if let (Some(mean), Some(elo)) = (score.mean(), score.elo()) {
            let superiority = score.superiority().map_or(String::new(), |probability| {
                format!(", A is stronger with {:.1} %", probability * 100.0)
            });
            lines.push(format!(
                "score of A: {:.1} %, Elo {elo} (95 %){superiority}",
                mean * 100.0
            ));
        }
        lines.push(format!(
            "pairs by A's points (0, ½, 1, 1½, 2): {:?}",
            score.pairs
        ));
        lines.extend(describe_leads(leads).map(|text| format!("A {text}")));
    }

    /// The test and the score that it is about: of the games up to the first one that is not finished, or to the decision.
    fn tested<'a>(&self, result: &'a MatchResult) -> Option<(Sprt, &'a MatchScore)> {
        self.sprt
            .zip(result.test.as_ref().map(SequentialScore::score))
    }

    /// The results of every two engines that have met.
    fn pairing_lines(&self, standings: &Standings) -> Vec<String> {
        let records = standings.pairings.iter();
        records
            .map(|([one, other], record)| {
                let elo = record.score.elo();
                let elo = elo.map_or(String::new(), |elo| format!(", Elo {elo}"));
                let labels = self.players.labels();
                let (one, other) = (&labels[*one], &labels[*other]);
                let leads = describe_leads(&record.leads);
                let leads = leads.map_or(String::new(), |text| format!(", {text}"));
                let forfeits = match record.forfeits() {
                    0 => String::new(),
                    forfeits => format!(
                        ", without {} {}",
                        counted(u64::from(forfeits), "forfeit", "forfeits"),
                        record.played_score
                    ),
                };
                format!("{one} - {other}: {}{elo}{leads}{forfeits}", record.score)
            })
            .collect()
    }

    /// The summary, for programs.
    pub(crate) fn summary(&self, result: &MatchResult) -> anyhow::Result<Value> {
        let standings = &result.standings;
        let engines: Vec<_> = standings
            .engines
            .iter()
            .enumerate()
            .map(|(number, engine)| {
                let mut json = json!({
                    "violations": engine.violations,
                    "usage": engine.usage,
                    "wins": engine.wins,
                    "draws": engine.draws,
                    "losses": engine.losses,
                });
                self.players.add_json(number, &mut json);
                json
            })
            .collect();
        let in_turn = self.option_sets.iter().zip(&result.by_options);
        let in_turn: Vec<_> = in_turn
            .map(|(options, standings)| {
                json!({ "options": options, "pairings": self.pairings_json(standings) })
            })
            .collect();
        if self.pairing == Pairing::Match {
            let score = standings.first_score();
            let mut summary = score_json(&score);
            summary["in_turn"] = in_turn.into();
            summary["leads"] = leads_json(&standings.first_leads());
            let played = standings.first_played_score();
            summary["without_forfeits"] = played.as_ref().map(score_json).into();
            let repeated = standings.pairings.get(&[0, 1]);
            let repeated = repeated.map_or(0, PairingRecord::repeated_games);
            summary["repeated_games"] = repeated.into();
            summary["engines"] = engines.into();
            let test = |score| self.sprt.map(|sprt| test_json(&sprt, score)).into();
            // With parts there is a test of each, and none of the two players.
            summary["sprt"] = self.tested(result).map_or(Value::Null, |(_, score)| {
                let mut json: Value = test(score);
                json["games"] = score.games().into();
                json
            });
            let parts = self.parts.iter().zip(&result.by_part);
            let parts: Vec<Value> = parts
                .map(|(part, score)| {
                    let mut json = score_json(score);
                    json["part"] = part.as_str().into();
                    json["sprt"] = test(score);
                    json
                })
                .collect();
            summary["parts"] = parts.into();
            summary["endings"] = serde_json::to_value(&standings.endings)?;
            summary["notes"] = json!(self.all_notes(standings));
            return Ok(summary);
        }
        let mut results = ResultTable::default();
        results.add_standings(self.players.labels(), standings);
        let ratings = results.rate(None, None).ok();
        Ok(json!({
            "engines": engines,
            "games": standings.games,
            "ratings": ratings.map(|ratings| ratings.sorted()),
            "pairings": self.pairings_json(standings),
            "in_turn": in_turn,
            "endings": standings.endings,
            "notes": self.all_notes(standings),
        }))
    }

    /// The scores of every two engines that have met, for programs.
    fn pairings_json(&self, standings: &Standings) -> Vec<Value> {
        let records = standings.pairings.iter();
        records
            .map(|(engines, record)| {
                let mut pairing = score_json(&record.score);
                pairing["leads"] = leads_json(&record.leads);
                let played = (record.forfeits() > 0).then(|| score_json(&record.played_score));
                pairing["without_forfeits"] = played.into();
                pairing["repeated_games"] = record.repeated_games().into();
                pairing["engines"] = json!(engines.map(|number| &self.players.labels()[number]));
                pairing
            })
            .collect()
    }
}

/// The event of a game.
pub(crate) fn game_event(game: &LoggedGame) -> Value {
    let played = &game.played;
    let result = match played.points(PlayerColor::Black) {
        GamePoints::Win => "black",
        GamePoints::Draw => "draw",
        GamePoints::Loss => "white",
    };
    json!({"event": "game", "game": game.number, "players": game.players, "result": result,
        "reason": format!("{:?}", played.reason), "plies": played.plies})
}

/// The event of a score of A, with a test if there is one.
pub(crate) fn score_of(score: &MatchScore, sprt: Option<&Sprt>) -> Value {
    let mut event = score_json(score);
    event["event"] = "score".into();
    if let Some(sprt) = sprt {
        event["llr"] = sprt.log_likelihood_ratio(&score.pairs).into();
        event["llr_bounds"] = json!([sprt.lower, sprt.upper]);
    }
    event
}

/// A score, for programs.
pub(crate) fn score_json(score: &MatchScore) -> Value {
    json!({
        "games": score.games(),
        "wins": score.wins,
        "draws": score.draws,
        "losses": score.losses,
        "pairs": score.pairs,
        "score": score.mean(),
        "elo": score.elo(),
        "superiority": score.superiority(),
    })
}

/// The points that an engine was ahead, for programs; null where none were counted.
fn leads_json(leads: &Leads) -> Value {
    leads.mean().map_or(
        Value::Null,
        |mean| json!({ "games": leads.games, "mean": mean, "margin": leads.margin() }),
    )
}

/// `+2.31 ± 0.80 points a game (95 %, 40 games counted)`.
fn describe_leads(leads: &Leads) -> Option<String> {
    let mean = leads.mean()?;
    let margin = leads
        .margin()
        .map_or(String::new(), |margin| format!(" ± {margin:.2}"));
    Some(format!(
        "{mean:+.2}{margin} points a game (95 %, {} games counted)",
        leads.games
    ))
}

/// The test of a score, for programs; `accepted` is the difference that it has decided for.
fn test_json(sprt: &Sprt, score: &MatchScore) -> Value {
    json!({
        "hypotheses": sprt.hypotheses(),
        "bounds": [sprt.lower, sprt.upper],
        "log_likelihood_ratio": sprt.log_likelihood_ratio(&score.pairs),
        "accepted": accepted(sprt, &score.pairs),
    })
}

/// The difference that the test has decided for.
pub(crate) fn accepted(sprt: &Sprt, pairs: &[u32; 5]) -> Option<f64> {
    let [elo0, elo1] = sprt.hypotheses();
    sprt.decision(pairs).map(|decision| match decision {
        SprtDecision::Elo0 => elo0,
        SprtDecision::Elo1 => elo1,
    })
}

fn describe_test(sprt: &Sprt, pairs: &[u32; 5]) -> String {
    let [elo0, elo1] = sprt.hypotheses();
    let decision = accepted(sprt, pairs).map_or_else(
        || "not decided".to_owned(),
        |elo| format!("{elo} Elo accepted"),
    );
    format!(
        "test of {elo0} against {elo1} Elo: LLR {:.2} in [{:.2}, {:.2}], {decision}",
        sprt.log_likelihood_ratio(pairs),
        sprt.lower,
        sprt.upper
    )
}

fn describe_usage(usage: &TimeUsage) -> String {
    let moves = f64::from(usage.moves.max(1));
    let left = usage
        .least_left_ms
        .map_or(String::new(), |left| format!(", least time left {left} ms"));
    format!(
        "{} moves of {:.1} ms, slowest {} ms{left}, depth {:.1}, {:.0} knps",
        usage.moves,
        usage.total_ms as f64 / moves,
        usage.slowest_ms,
        usage.depths as f64 / moves,
        // Nodes in a millisecond are thousands in a second.
        usage.nodes as f64 / usage.total_ms.max(1) as f64
    )
}

/// The table of parts, the one that adds most first.
pub(crate) fn part_table(
    names: &[String],
    scores: &[MatchScore],
    sprt: Option<&Sprt>,
) -> Vec<String> {
    let mut rows: Vec<_> = names.iter().zip(scores).collect();
    let mean = |score: &MatchScore| score.mean().unwrap_or(0.5);
    rows.sort_by(|one, other| mean(other.1).total_cmp(&mean(one.1)));
    let width = names.iter().map(|name| name.chars().count()).max();
    let width = width.unwrap_or(0).max("part".len());
    let mut lines = vec![format!(
        "{:width$}  {:<23}  Elo of the part (95 %)",
        "part", "with it against without"
    )];
    lines.extend(rows.into_iter().map(|(name, score)| {
        let elo = score.elo().map_or(String::new(), |elo| elo.to_string());
        let test = sprt.map_or(String::new(), |sprt| {
            let decision = accepted(sprt, &score.pairs)
                .map_or_else(|| "not decided".to_owned(), |elo| format!("{elo} Elo"));
            let ratio = sprt.log_likelihood_ratio(&score.pairs);
            format!("  LLR {ratio:.2}: {decision}")
        });
        format!("{name:width$}  {:<23}  {elo}{test}", score.to_string())
    }));
    lines
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tournament::{
        Conditions, EndOfGame, EngineSpec, GameName, MatchAdjudication, MoveLimit, Openings,
        PartDesign, PlayedGame, RoundRotation,
    };

    use super::*;

    fn report(pairing: Pairing, engines: &[&str], sprt: Option<Sprt>) -> Report {
        let plan = MatchPlan {
            game: GameName::Shogi,
            pairing,
            engines: engines.iter().map(|name| EngineSpec::new(*name)).collect(),
            tuned: None,
            games: 4,
            limit: MoveLimit::Nodes(1),
            rotation: RoundRotation {
                multipliers: Vec::new(),
                options: ["EvalDir=x", "EvalDir=y"]
                    .map(|it| it.parse().expect("options"))
                    .into(),
            },
            parts: PartDesign::default(),
            openings: Openings::Listed(vec!["startpos".to_owned()]),
            openings_text: String::new(),
            conditions: Conditions {
                margin: Duration::ZERO,
                hang: Duration::ZERO,
                max_plies: 1,
                adjudication: MatchAdjudication::default(),
            },
            sprt,
        };
        Report::new(&plan, &[], Vec::new()).expect("a plan")
    }

    /// Games of two engines, the first of which is black in even ones.
    fn standings(
        players: [usize; 2],
        engines: usize,
        winners: &[Option<PlayerColor>],
    ) -> Standings {
        let mut standings = Standings::new(engines);
        for (number, &winner) in winners.iter().enumerate() {
            let mut players = players;
            if number % 2 == 1 {
                players.reverse();
            }
            standings.add(&LoggedGame {
                number: number as u64,
                players,
                played: PlayedGame {
                    winner,
                    reason: EndOfGame::Mate,
                    position: "startpos".to_owned(),
                    plies: 0,
                    lead: None,
                    usage: [TimeUsage::default(); 2],
                    detail: None,
                    thoughts: Vec::new(),
                },
            });
        }
        standings
    }

    /// The same with the first set of options in all games.
    fn result(standings: Standings) -> MatchResult {
        MatchResult {
            by_options: vec![standings.clone(), Standings::new(standings.engines.len())],
            standings,
            by_part: Vec::new(),
            test: None,
            is_complete: true,
        }
    }

    const BLACK: Option<PlayerColor> = Some(PlayerColor::Black);
    const WHITE: Option<PlayerColor> = Some(PlayerColor::White);

    #[test]
    fn the_summary_is_json() {
        let sprt = Sprt::new(0.0, 10.0, 0.05, 0.05).expect("a test");
        let report = report(Pairing::Match, &["a", "b"], Some(sprt));
        let played = MatchResult {
            test: Some(SequentialScore::new(sprt)),
            ..result(standings([0, 1], 2, &[BLACK, WHITE, BLACK, None]))
        };
        let json = report.summary(&played).expect("JSON");
        assert_eq!(json["wins"], 3);
        // The first games are not there yet.
        assert_eq!(
            (&json["sprt"]["games"], &json["sprt"]["hypotheses"]),
            (&json!(0), &json!([0.0, 10.0]))
        );
        assert_eq!(json["pairs"], json!([0, 0, 0, 1, 1]));
        assert_eq!(json["score"], 0.875);
        assert_eq!(json["endings"]["mate"], 4);
        assert_eq!(json["engines"][1]["name"], "b");
        assert_eq!(json["sprt"]["accepted"], Value::Null);
        let difference = json["elo"]["difference"].as_f64().expect("a number");
        assert!((difference - 240.8).abs() < 0.1, "{difference}");
        assert_eq!(json["in_turn"][0]["options"], "EvalDir=x");
        assert_eq!(json["in_turn"][0]["pairings"][0]["wins"], 3);
        assert_eq!(json["in_turn"][1]["pairings"], json!([]));
        assert_eq!(json["parts"], json!([]));
    }

    #[test]
    fn a_field_has_a_table_before_all_have_met() {
        let report = report(Pairing::RoundRobin, &["a", "b", "c"], None);
        let result = result(standings([0, 2], 3, &[BLACK, WHITE]));
        let lines = report.text(&result);
        assert_eq!(lines[0], "a  2 points of 2");
        assert!(
            lines.iter().any(|line| line.starts_with("a - c: +2 =0 -0")),
            "{lines:?}"
        );
        let of_options = "with EvalDir=x: a - c: +2 =0 -0";
        assert!(
            lines.iter().any(|line| line.starts_with(of_options)),
            "{lines:?}"
        );
        let json = report.summary(&result).expect("JSON");
        assert_eq!(json["ratings"], Value::Null);
        assert_eq!(json["pairings"][0]["engines"], json!(["a", "c"]));
    }

    #[test]
    fn lines_of_games_have_the_score() {
        let report = report(Pairing::Match, &["a", "b"], None);
        let standings = standings([0, 1], 2, &[BLACK]);
        let game = LoggedGame {
            number: 0,
            players: [0, 1],
            played: PlayedGame {
                winner: BLACK,
                reason: EndOfGame::Crash,
                position: "startpos".to_owned(),
                plies: 7,
                lead: None,
                usage: [TimeUsage::default(); 2],
                detail: Some("gone".to_owned()),
                thoughts: Vec::new(),
            },
        };
        let line = report.game_line(&game, &standings);
        assert_eq!(
            line,
            "    1/4  A    Crash (gone), 7 plies  |  A +1 =0 -0  Elo +190.8 [-409.7, +791.4]"
        );
    }
}
