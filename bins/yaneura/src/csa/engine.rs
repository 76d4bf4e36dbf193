//! The engine of this program as a player on a server.

use std::sync::Arc;

use shogi_core::Game;
use shogi_csa::{CsaPlayer, CsaSummary, PlayerProblem, ThinkEvent, ThinkSink};
use shogi_engine::{BookEvent, EvalEvent, Listener, Preparation, PvEnd, SearchOutcome, Session};
use shogi_search::SearchInfo;
use shogi_usi::{ClockTimes, GameResult, GoCommand};

use crate::queries;
use crate::report::{answer, info_of};
use crate::usi_loop::ready::{book_profile, engine_options};

/// The option for the number of moves after which a game is drawn.
const MAX_MOVES: &str = "MaxMovesToDraw";

/// The engine of this program.
pub(super) struct OwnEngine {
    session: Session,
    sink: ThinkSink,
    /// The user has set [`MAX_MOVES`], which no server overrides.
    has_max_moves: bool,
}

impl OwnEngine {
    /// An engine with these options, with its evaluation and book loaded. `note` hears of what users should know.
    pub(super) fn start(
        options: &[(String, String)],
        sink: ThinkSink,
        note: &dyn Fn(&str),
    ) -> Result<Self, PlayerProblem> {
        let mut session = Session::with_profile(book_profile());
        session.set_folders(yane_cli::evaluation_folders().to_vec());
        for (_, lines) in engine_options() {
            let lines = lines
                .iter()
                .filter_map(|line| shogi_engine::parse_option_line(line));
            for (name, value) in lines {
                let fixed = session.fix_option(name, value);
                fixed.map_err(|error| PlayerProblem(format!("engine_options.txt: {error}")))?;
            }
        }
        for (name, value) in options {
            let set = session.set_option(name, Some(value.as_str()));
            set.map_err(|error| PlayerProblem(error.to_string()))?;
        }
        session.load_evaluation(|event| {
            if let Some(text) = load_note(&event) {
                note(&text);
            }
        });
        session.load_book(|event| match event {
            BookEvent::Failed { error, .. } => note(&format!("no opening book: {error}")),
            BookEvent::Unsorted { path, line } => {
                let path = path.display();
                note(&format!("{path}: line {line}: the book is not sorted"));
            }
            _ => {}
        });
        let is_max_moves = |(name, _): &(String, String)| name.eq_ignore_ascii_case(MAX_MOVES);
        Ok(Self {
            has_max_moves: options.iter().any(is_max_moves),
            session,
            sink,
        })
    }
}

impl CsaPlayer for OwnEngine {
    fn name(&self) -> &str {
        queries::version()
    }

    fn new_game(&mut self, summary: &CsaSummary) -> Result<(), PlayerProblem> {
        if !self.has_max_moves {
            let moves = summary.max_moves.unwrap_or(0).to_string();
            // One that `engine_options.txt` has fixed stays.
            self.session
                .set_option(MAX_MOVES, Some(moves.as_str()))
                .ok();
        }
        self.session.abandon();
        // A server that was away may be there by now.
        let sink = &self.sink;
        self.session.load_evaluation(|event| {
            if let Some(text) = load_note(&event) {
                sink(ThinkEvent::Note(text));
            }
        });
        match self.session.prepare() {
            Preparation::Fresh { .. } => {
                self.session.new_game();
                Ok(())
            }
            Preparation::Busy => Err(PlayerProblem("the engine is still searching".to_owned())),
        }
    }

    fn think(&mut self, search: u64, game: &Game, go: &GoCommand) -> Result<(), PlayerProblem> {
        self.session.set_game(game.clone());
        let listener = Arc::new(ThoughtListener {
            search,
            sink: Arc::clone(&self.sink),
        });
        let begun = self.session.go(go, listener);
        begun.map_err(|error| PlayerProblem(error.to_string()))
    }

    fn ponder_hit(&mut self) -> Result<(), PlayerProblem> {
        // The clock of this side has not run meanwhile.
        let hit = self.session.ponder_hit(ClockTimes::default());
        hit.map_err(|error| PlayerProblem(error.to_string()))
    }

    fn stop(&mut self) {
        self.session.stop();
    }

    fn game_over(&mut self, _: GameResult) {
        self.session.abandon();
    }
}

/// What a user should know of an event of loading the evaluation.
fn load_note(event: &EvalEvent) -> Option<String> {
    match event {
        EvalEvent::Failed(problem) => {
            Some(format!("{problem}: playing with the embedded evaluation"))
        }
        EvalEvent::NoRuntime(problem) => Some(problem.to_string()),
        EvalEvent::Note(text) => Some(text.to_string()),
        _ => None,
    }
}

/// Passes on what a search says.
struct ThoughtListener {
    search: u64,
    sink: ThinkSink,
}

impl Listener for ThoughtListener {
    fn line(&self, info: &SearchInfo) {
        let (search, info) = (self.search, Box::new(info_of(info)));
        (self.sink)(ThinkEvent::Info { search, info });
    }

    fn line_with_end(&self, info: &SearchInfo, _: PvEnd) {
        self.line(info);
    }

    fn message(&self, text: &str) {
        (self.sink)(ThinkEvent::Note(text.to_owned()));
    }

    fn finished(&self, outcome: &SearchOutcome) {
        let (search, best) = (self.search, answer(outcome));
        (self.sink)(ThinkEvent::Decided { search, best });
    }
}
