//! The command lines of the stages: which program does what, and by which options, for each kind of evaluation.

use std::path::Path;

use serde_json::{Map, Value};
use yane_io::text_of_name;

use crate::history::START_NAME;
use crate::kind::EvolveKind;
use crate::settings::{CandidatePart, EvolveSettings, RandomPlies};
use crate::stage::{FinishRule, StageCommand, StopRule};

/// The file of the openings of matches.
pub(crate) const OPENINGS_FILE: &str = "openings.txt";
/// The file of the start positions of games.
pub(crate) const STARTS_FILE: &str = "starts.txt";

/// The value of `start` for the evaluation in the programs.
pub(crate) const EMBEDDED: &str = "embedded";
/// The value of `start` for nothing but rules.
pub(crate) const NONE: &str = "none";

/// Where things are that commands need.
#[derive(Clone, Debug)]
pub struct EvolvePlaces {
    /// The folder of the programs.
    pub programs: std::path::PathBuf,
    /// The folder of the settings file, to which names in it are relative.
    pub settings: std::path::PathBuf,
}

impl EvolvePlaces {
    /// The path of a program.
    pub(crate) fn program(&self, name: &str) -> std::path::PathBuf {
        let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        self.programs.join(name)
    }

    /// A file that the settings name.
    pub(crate) fn file(&self, name: &str) -> std::path::PathBuf {
        self.settings.join(yane_io::path_of_text(name))
    }

    fn text(&self, name: &str) -> String {
        text_of_path(&self.file(name))
    }
}

pub(crate) fn text_of_path(path: &Path) -> String {
    text_of_name(path.as_os_str())
}

/// What the commands of a generation are made of.
pub(crate) struct Commands<'a> {
    pub(crate) settings: &'a EvolveSettings,
    pub(crate) places: &'a EvolvePlaces,
    pub(crate) generation: u32,
}

/// Words of a command line, which grow.
struct Words(Vec<String>);

impl Words {
    fn new(words: &[&str]) -> Self {
        Self(words.iter().map(|word| (*word).to_owned()).collect())
    }

    fn option(&mut self, name: &str, value: &impl ToString) -> &mut Self {
        self.0.push(name.to_owned());
        self.0.push(value.to_string());
        self
    }

    fn maybe(&mut self, name: &str, value: Option<impl ToString>) -> &mut Self {
        if let Some(value) = value {
            self.option(name, &value);
        }
        self
    }

    fn more(&mut self, words: &[String]) -> &mut Self {
        self.0.extend(words.iter().cloned());
        self
    }
}

impl Commands<'_> {
    /// The folder of the generation.
    pub(crate) fn folder(&self) -> String {
        folder_of_generation(self.generation)
    }

    /// The command that writes the network in the program to a file; none where engines have it without.
    pub(crate) fn start(&self) -> Option<StageCommand> {
        let name = match self.settings.kind {
            EvolveKind::Nnue => "embedded",
            EvolveKind::Deep => "embedded-deep",
            EvolveKind::Othello => return None,
        };
        let output = format!("{START_NAME}/{}", self.settings.kind.network_file());
        let mut words = Words::new(&["nn", "export", name, "--json", "--quiet"]);
        words.option("-o", &output);
        Some(StageCommand {
            program: "yaneura",
            words: words.0,
            depth: 2,
            output,
            settings: None,
            finished: FinishRule::Reports,
            stopping: StopRule::Ends,
        })
    }

    /// The command that makes openings for matches.
    pub(crate) fn openings(&self) -> StageCommand {
        let gate = &self.settings.gate;
        let is_shogi = self.settings.kind.is_shogi();
        let (program, command) = if is_shogi {
            ("gensfen", "starts")
        } else {
            ("arena", "othello-openings")
        };
        let mut words = Words::new(&[command]);
        words.option("--count", &gate.made_openings);
        words.option("--seed", &self.settings.seed);
        if is_shogi {
            words.option("--multi", &self.settings.thread_count());
            words.option("--max-score", &100);
        }
        words.more(&["--json".to_owned(), "--quiet".to_owned()]);
        words.option("-o", &OPENINGS_FILE);
        StageCommand {
            program,
            words: words.0,
            depth: 1,
            output: OPENINGS_FILE.to_owned(),
            settings: None,
            finished: FinishRule::Reports,
            stopping: if is_shogi {
                StopRule::Requests
            } else {
                StopRule::Ends
            },
        }
    }

    /// The games of a network with itself; `games` of them.
    pub(crate) fn selfplay(&self, network: Option<&str>, games: u64) -> StageCommand {
        let output = games_of(self.settings.kind, self.generation);
        if self.settings.kind.is_shogi() {
            self.shogi_games(network, games, output)
        } else {
            self.othello_games(network, games, output)
        }
    }

    fn shogi_games(&self, network: Option<&str>, games: u64, output: String) -> StageCommand {
        let part = &self.settings.selfplay;
        let file = format!("{}/selfplay.json5", self.folder());
        let mut keys: Map<String, Value> = part.settings.clone();
        if self.settings.kind == EvolveKind::Deep && has_no_network(self.settings, network) {
            // Its engine tells no visits.
            keys.retain(|name, _| !name.starts_with("RANDOM_VISITS_"));
        }
        // One file, however large: training reads it by its name.
        keys.insert("ROTATE_SIZE".to_owned(), 0.into());
        let mut words = Words::new(&[&file, "--run"]);
        words.option("--games", &games);
        words.maybe("--nodes", part.nodes);
        words.option("--seed", &self.settings.seed_of(self.generation));
        if !part.starts.is_empty() {
            words.option("--starts", &STARTS_FILE);
        }
        if let Some(RandomPlies::Number(plies)) = &part.random_plies {
            words.option("--random-plies", plies);
        }
        for (name, value) in engine_options(self.settings, network) {
            words.option("--option", &format!("{name}={value}"));
        }
        match self.queue_words() {
            Some(queue) => words.more(&queue),
            None if !keys.contains_key("ENGINE_SETTING") => {
                words.option("--multi", &self.settings.thread_count())
            }
            None => &mut words,
        };
        words.more(&["--quiet".to_owned()]).more(&part.options);
        words.option("-o", &output);
        StageCommand {
            program: "gensfen",
            words: words.0,
            depth: 0,
            output,
            settings: Some((file, format!("{:#}\n", Value::Object(keys)))),
            finished: FinishRule::Repeats,
            stopping: StopRule::Requests,
        }
    }

    fn othello_games(&self, network: Option<&str>, games: u64, output: String) -> StageCommand {
        let part = &self.settings.selfplay;
        let mut words = Words::new(&["selfplay"]);
        words.option("--games", &games);
        words.maybe("--depth", part.depth);
        words.option("--seed", &self.settings.seed_of(self.generation));
        match &part.random_plies {
            Some(RandomPlies::Number(plies)) => {
                words.option("--random", &format!("{plies}..{plies}"))
            }
            Some(RandomPlies::Range(range)) => words.option("--random", range),
            None => &mut words,
        };
        words.more(&othello_eval(self.settings, network));
        words.option("--threads", &self.settings.thread_count());
        words.more(&["--json".to_owned(), "--quiet".to_owned()]);
        words.more(&part.options);
        words.option("-o", &output);
        StageCommand {
            program: "othello",
            words: words.0,
            depth: 1,
            output,
            settings: None,
            finished: FinishRule::Reports,
            stopping: StopRule::Requests,
        }
    }

    /// Counts the games and positions of the generation; where that was not told by who played them.
    pub(crate) fn count(&self) -> Option<StageCommand> {
        if !self.settings.kind.is_shogi() {
            return None;
        }
        let games = games_of(self.settings.kind, self.generation);
        Some(StageCommand {
            program: "teacher",
            words: Words::new(&["stats", &games, "--json", "--quiet"]).0,
            depth: 1,
            output: String::new(),
            settings: None,
            finished: FinishRule::Repeats,
            stopping: StopRule::Ends,
        })
    }

    /// Leaves out games that are there twice.
    pub(crate) fn dedup(&self) -> StageCommand {
        let games = games_of(self.settings.kind, self.generation);
        let output = unique_file(self.settings.kind, self.generation);
        StageCommand {
            program: "teacher",
            words: Words::new(&["dedup", &games, "--json", "--quiet", "-o", &output]).0,
            depth: 1,
            output,
            settings: None,
            finished: FinishRule::Reports,
            stopping: StopRule::Ends,
        }
    }

    /// The training of a candidate from `data`, files with their weights, beginning with the file `init`.
    pub(crate) fn train(
        &self,
        candidate: &CandidatePart,
        data: &[(String, f64)],
        init: Option<&str>,
    ) -> StageCommand {
        let mut files: Vec<String> = data
            .iter()
            .map(|(file, weight)| weighted(file, *weight))
            .collect();
        let more = self.settings.mix.files.iter();
        files.extend(more.map(|file| {
            let (name, weight) = file.rsplit_once('*').unwrap_or((file, ""));
            let star = if weight.is_empty() { "" } else { "*" };
            format!("{}{star}{weight}", self.places.text(name))
        }));
        let seed = self.settings.seed_of(self.generation);
        let threads = self.settings.thread_count();
        if self.settings.kind.is_shogi() {
            let output = format!("{}/{}", self.folder(), candidate.name);
            let mut words = Words::new(&["learn", "--train"]);
            words.more(&files);
            words.maybe("--arch", candidate.arch.as_ref());
            words.maybe("--lr", candidate.lr);
            words.maybe("--epochs", candidate.epochs);
            words.maybe("--lambda", candidate.lambda);
            words.maybe("--init", init);
            words.option("--seed", &seed).option("--threads", &threads);
            words.more(&["--json".to_owned(), "--quiet".to_owned()]);
            words.more(&candidate.options);
            words.option("-o", &output);
            return StageCommand {
                program: "yaneura",
                words: words.0,
                depth: 1,
                output,
                settings: None,
                finished: FinishRule::Continues,
                stopping: StopRule::Requests,
            };
        }
        let output = format!("{}/{}.yev", self.folder(), candidate.name);
        let mut words = Words::new(&["train"]);
        words.more(&files);
        words.maybe("--arch", candidate.arch.as_ref());
        words.maybe("--init", init);
        words.maybe("--rate", candidate.lr);
        words.maybe("--epochs", candidate.epochs);
        words.option("--seed", &seed).option("--threads", &threads);
        words.more(&["--json".to_owned(), "--quiet".to_owned()]);
        words.more(&candidate.options);
        words.option("-o", &output);
        StageCommand {
            program: "othello",
            words: words.0,
            depth: 1,
            output,
            settings: None,
            finished: FinishRule::Reports,
            stopping: StopRule::Requests,
        }
    }

    /// The match of a candidate with the best network.
    pub(crate) fn gate(&self, candidate: &str, players: [&str; 2]) -> StageCommand {
        let gate = &self.settings.gate;
        let mut words = Words(Vec::new());
        words.option("--games", &gate.games);
        words
            .option("--elo0", &gate.elo0)
            .option("--elo1", &gate.elo1);
        words
            .option("--alpha", &gate.alpha)
            .option("--beta", &gate.beta);
        let log = format!("{}/gate-{candidate}.jsonl", self.folder());
        self.match_of(players, &words.0, log)
    }

    /// A match for the ladder; `opponent` is its name in the log's.
    pub(crate) fn ladder(&self, opponent: &str, players: [&str; 2]) -> StageCommand {
        let mut words = Words(Vec::new());
        words.option("--games", &self.settings.ladder.games);
        let log = format!("{}/ladder-{opponent}.jsonl", self.folder());
        self.match_of(players, &words.0, log)
    }

    fn match_of(&self, players: [&str; 2], more: &[String], log: String) -> StageCommand {
        let gate = &self.settings.gate;
        let mut words = Words::new(&["match"]);
        let specs = players.map(|player| self.player(player));
        words.more(&specs).more(more);
        if self.settings.kind.is_shogi() {
            words.maybe("--nodes", gate.nodes);
            for option in ["Threads=1", "USI_Hash=16", "USI_OwnBook=false"] {
                words.option("--option", &option);
            }
            if self.settings.kind == EvolveKind::Deep {
                words.option("--option", &"UCT_Threads=1");
            }
        } else {
            words.option("--game", &"othello");
            if gate.movetime.is_none() {
                words.more(&["--own-limits".to_owned()]);
            }
        }
        words.maybe("--movetime", gate.movetime);
        if gate.openings.is_empty() && gate.made_openings == 0 {
            words.option("--seed", &self.settings.seed);
        } else {
            words.option("--openings", &OPENINGS_FILE);
        }
        if let Some(queue) = self.queue_words() {
            words.more(&queue);
        } else {
            let usual = self.settings.thread_count();
            words.option("--concurrency", &gate.concurrency.unwrap_or(usual));
        }
        words.more(&["--json".to_owned(), "--quiet".to_owned()]);
        words.more(&gate.options).option("--log", &log);
        StageCommand {
            program: "arena",
            words: words.0,
            depth: 1,
            output: log,
            settings: None,
            finished: FinishRule::Repeats,
            stopping: StopRule::Requests,
        }
    }

    /// A network as a player of a match.
    fn player(&self, name: &str) -> String {
        let network = Some(name);
        let (program, options) = if self.settings.kind.is_shogi() {
            let options = engine_options(self.settings, network).into_iter();
            let options = options.map(|(name, value)| format!(",{name}={value}"));
            (
                text_of_path(&self.places.program("yaneura")),
                options.collect(),
            )
        } else {
            let mut words = vec![text_of_path(&self.places.program("othello"))];
            words
                .extend(["gtp", "--threads", "1", "--no-book", "--hash", "16M"].map(str::to_owned));
            if let Some(level) = self.settings.gate.level {
                words.extend(["--level".to_owned(), level.to_string()]);
            }
            words.extend(othello_eval(self.settings, network));
            (words.join(" "), ",dir=.".to_owned())
        };
        format!("{},name={name}{options}", program.replace(',', "\\,"))
    }

    /// The words by which work is handed out over a queue.
    fn queue_words(&self) -> Option<Vec<String>> {
        let queue = self.settings.queue.as_ref()?;
        let mut words = Words::new(&["--queue", &queue.url, "--serve"]);
        let files = [
            ("--secret-file", &queue.secret_file),
            ("--queue-login", &queue.login_file),
        ];
        for (name, file) in files {
            words.maybe(name, file.as_deref().map(|file| self.places.text(file)));
        }
        words.more(&queue.options);
        Some(words.0)
    }
}

/// The folder of a generation.
pub(crate) fn folder_of_generation(generation: u32) -> String {
    format!("{generation:04}")
}

/// The path of the games of a generation.
pub(crate) fn games_of(kind: EvolveKind, generation: u32) -> String {
    format!("{}/{}", folder_of_generation(generation), kind.games_file())
}

/// The file of a generation's games without duplicates.
pub(crate) fn unique_file(kind: EvolveKind, generation: u32) -> String {
    let folder = folder_of_generation(generation);
    format!("{folder}/unique-{}", kind.games_file())
}

/// The folder of a network.
pub(crate) fn network_folder(name: &str) -> String {
    if name == START_NAME {
        name.to_owned()
    } else {
        format!("networks/{name}")
    }
}

/// A file and its weight, as the trainer has them.
fn weighted(file: &str, weight: f64) -> String {
    if (weight - 1.0).abs() < 1e-9 {
        file.to_owned()
    } else {
        format!("{file}*{weight}")
    }
}

/// Returns whether there is no network yet.
fn has_no_network(settings: &EvolveSettings, network: Option<&str>) -> bool {
    network.is_none_or(|name| name == START_NAME) && settings.start == NONE
}

/// The options by which the shogi engine plays with a network; `None`: with what there is before the first one.
fn engine_options(settings: &EvolveSettings, network: Option<&str>) -> Vec<(&'static str, String)> {
    match network {
        Some(name) if !has_no_network(settings, network) => {
            vec![("EvalDir", network_folder(name))]
        }
        // Who teaches the first policy is the other engine.
        _ if settings.kind == EvolveKind::Deep => vec![("Evaluation", "embedded".to_owned())],
        _ => vec![("Evaluation", "positional".to_owned())],
    }
}

/// The words by which the othello engine plays with an evaluation.
fn othello_eval(settings: &EvolveSettings, network: Option<&str>) -> Vec<String> {
    let name = network.unwrap_or(START_NAME);
    match (name, settings.start.as_str()) {
        (START_NAME, EMBEDDED) => Vec::new(),
        (START_NAME, NONE) => vec!["--eval".to_owned(), "untrained".to_owned()],
        _ => {
            let file = EvolveKind::Othello.network_file();
            vec![
                "--eval".to_owned(),
                format!("{}/{file}", network_folder(name)),
            ]
        }
    }
}
