//! What is known of the players of a match: what engines say of themselves, and what a reader of the result should know.

use serde_json::{Value, json};
use tournament::{Contestant, EngineIdentity, MatchPlan, MoveLimit, Pairing, PairingRecord};

/// The players of a match in its summary.
#[derive(Debug)]
pub(crate) struct Players {
    /// The names that they were given.
    labels: Vec<String>,
    /// What the engines say of themselves; `None` where they do not run here.
    identities: Vec<Option<EngineIdentity>>,
}

impl Players {
    /// Players with these names; `contestants` are their engines, or none where others play.
    pub(crate) fn new(labels: Vec<String>, contestants: &[Contestant]) -> Self {
        let identity = |number| {
            let contestant: Option<&Contestant> = contestants.get(number);
            contestant.map(|contestant| contestant.identity.clone())
        };
        let identities = (0..labels.len()).map(identity).collect();
        Self { labels, identities }
    }

    /// The names that they were given.
    pub(crate) fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The name that an engine gives itself; the given one where it does not run here.
    pub(crate) fn own_name(&self, number: usize) -> &str {
        let identity = self.identities[number].as_ref();
        identity.map_or(&self.labels[number], |identity| &identity.name)
    }

    /// `new (yaneura 1.2), evaluation: halfkp_256x2-32-32, net/nn.bin; Threads 1; hash 64 MiB`.
    pub(crate) fn line(&self, number: usize) -> String {
        let label = &self.labels[number];
        let Some(identity) = &self.identities[number] else {
            return label.clone();
        };
        let mut line = if identity.name == *label {
            label.clone()
        } else {
            format!("{label} ({})", identity.name)
        };
        // Engines that speak another protocol than USI have no way to tell.
        let is_told = identity.threads.is_some() || identity.hash_mib.is_some();
        let evaluation = evaluation(identity).or(is_told.then(|| "not told".to_owned()));
        let facts = [
            evaluation.map(|evaluation| format!(", evaluation: {evaluation}")),
            identity.threads.map(|count| format!("; Threads {count}")),
            identity.hash_mib.map(|mib| format!("; hash {mib} MiB")),
        ];
        line.extend(facts.into_iter().flatten());
        line
    }

    /// The same for programs, added to what is known of an engine already. What an engine does not say is null.
    pub(crate) fn add_json(&self, number: usize, json: &mut Value) {
        let identity = self.identities[number].as_ref();
        json["name"] = self.own_name(number).into();
        json["label"] = self.labels[number].as_str().into();
        json["evaluation"] = json!(identity.and_then(evaluation));
        json["threads"] = json!(identity.and_then(|identity| identity.threads));
        json["hash_mib"] = json!(identity.and_then(|identity| identity.hash_mib));
    }
}

/// The evaluations that an engine names.
fn evaluation(identity: &EngineIdentity) -> Option<String> {
    let evaluations = &identity.evaluations;
    (!evaluations.is_empty()).then(|| evaluations.join(" / "))
}

/// What is to be said about the players before the first game.
pub(crate) fn notes(plan: &MatchPlan, contestants: &[Contestant], concurrency: u32) -> Vec<String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let load = load_note(contestants, concurrency, cores);
    load.into_iter()
        .chain(twin_note(plan, contestants))
        .collect()
}

/// A note about engines that want more processors than there are. Of the two players of a game one thinks at a time.
fn load_note(contestants: &[Contestant], concurrency: u32, cores: u64) -> Option<String> {
    let threads = contestants.iter().map(|engine| engine.identity.threads);
    let threads = threads.max().flatten()?;
    let wanted = threads.saturating_mul(u64::from(concurrency));
    (wanted > cores).then(|| {
        format!(
            "{concurrency} at a time with {threads} threads each want {wanted} cores, and there are {cores}: engines slow each \
             other down (--option Threads=1, or a smaller --concurrency)"
        )
    })
}

/// A note about two players that are the same and have no reason to play differently.
fn twin_note(plan: &MatchPlan, contestants: &[Contestant]) -> Option<String> {
    let [a, b] = contestants else { return None };
    let is_exact = matches!(plan.limit, MoveLimit::Nodes(_) | MoveLimit::Depth(_));
    let is_same = a.command.is_same_as(&b.command)
        && a.identity == b.identity
        && (a.spec.scale - b.spec.scale).abs() < f64::EPSILON
        && plan.tuned.is_none()
        && !plan.parts.has_parts();
    let is_single = a.identity.threads.is_none_or(|threads| threads == 1);
    (plan.pairing == Pairing::Match && is_exact && is_same && is_single).then(|| {
        "both players are the same program with the same options and evaluation: unless it plays by chance, their games say \
         nothing"
            .to_owned()
    })
}

/// A note about games of two players that are alike move for move.
pub(crate) fn identical_note(one: &str, other: &str, record: &PairingRecord) -> Option<String> {
    let pairs: u32 = record.score.pairs.iter().sum();
    let games = record.score.games();
    if pairs > 0 && record.identical_pairs() == pairs {
        return Some(format!(
            "{one} and {other} play alike: in each of {pairs} pairs both games are the same, move for move, so that they say nothing \
             about strength"
        ));
    }
    let repeated = record.repeated_games();
    (repeated > 0).then(|| {
        format!(
            "{repeated} of {games} games of {one} and {other} repeat another one, move for move, and tell nothing new: the interval is \
             too narrow (more openings: --openings, --random-plies)"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn players(identity: Option<EngineIdentity>) -> Players {
        Players {
            labels: vec!["new".to_owned()],
            identities: vec![identity],
        }
    }

    #[test]
    fn a_player_is_named_with_all_that_its_engine_says() {
        let identity = EngineIdentity {
            name: "engine 1.2".to_owned(),
            evaluations: vec!["a.bin".to_owned(), "b.bin".to_owned()],
            threads: Some(1),
            hash_mib: Some(64),
        };
        let told = players(Some(identity.clone()));
        let line = "new (engine 1.2), evaluation: a.bin / b.bin; Threads 1; hash 64 MiB";
        assert_eq!(told.line(0), line);
        let mut json = json!({});
        told.add_json(0, &mut json);
        assert_eq!(
            json,
            json!({"name": "engine 1.2", "label": "new", "evaluation": "a.bin / b.bin", "threads": 1, "hash_mib": 64})
        );
        let silent = EngineIdentity {
            evaluations: Vec::new(),
            ..identity
        };
        let line = "new (engine 1.2), evaluation: not told; Threads 1; hash 64 MiB";
        assert_eq!(players(Some(silent)).line(0), line);
        let other = EngineIdentity {
            name: "new".to_owned(),
            ..EngineIdentity::default()
        };
        assert_eq!(players(Some(other)).line(0), "new");
        // Elsewhere: nothing is known.
        let far = players(None);
        assert_eq!((far.line(0).as_str(), far.own_name(0)), ("new", "new"));
        far.add_json(0, &mut json);
        assert_eq!(json["evaluation"], Value::Null);
    }
}
