//! A server that follows a script, and a player that answers at once.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use shogi_core::Game;
use shogi_core::movegen::Legal;
use shogi_csa::{
    ClientEvent, ClientOutcome, ClientSettings, CsaClientError, CsaPlayer, CsaSummary, OnInterrupt,
    PlayerProblem, ThinkEvent, ThinkSink, run_client,
};
use shogi_usi::{BestMove, GameResult, GoCommand, Info};

/// Longest wait for a line, on a busy machine.
const LONG: Duration = Duration::from_secs(60);

/// The server's end of a connection.
pub(crate) struct Peer {
    reader: BufReader<TcpStream>,
}

impl Peer {
    pub(crate) fn send(&mut self, lines: &str) {
        let mut text = lines.to_owned();
        text.push('\n');
        self.reader
            .get_mut()
            .write_all(text.as_bytes())
            .expect("the client is there");
    }

    /// The next line that is not empty; `None` at the end of the connection.
    pub(crate) fn line(&mut self) -> Option<String> {
        loop {
            let line = self.any_line()?;
            if !line.is_empty() {
                return Some(line);
            }
        }
    }

    /// The next line, even an empty one.
    pub(crate) fn any_line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.reader.read_line(&mut line) {
            // The end, also when it was reset by a client that has ended.
            Ok(0) | Err(_) => None,
            Ok(_) => Some(line.trim_end_matches('\n').to_owned()),
        }
    }

    /// The next line must be this one.
    pub(crate) fn expect(&mut self, expected: &str) {
        assert_eq!(self.line().as_deref(), Some(expected));
    }

    /// Login for a game that was broken off, with the token that [`with_token`] has.
    pub(crate) fn login_again(&mut self) {
        self.expect("LOGIN me test-10-0,secret reconnect:g+0f0f");
        self.send("LOGIN:me OK");
    }

    /// Login and offer of a game, up to its beginning.
    pub(crate) fn begin(&mut self, color: char) {
        self.login();
        self.offer(color, "");
        self.expect("AGREE g");
        self.send("START:g");
    }

    pub(crate) fn login(&mut self) {
        self.expect("LOGIN me test-10-0,secret");
        self.send("LOGIN:me OK");
    }

    pub(crate) fn offer(&mut self, color: char, moves: &str) {
        self.send(&summary(color, moves));
    }

    /// Lines without an end, until the client has gone.
    pub(crate) fn flood(&mut self) {
        let lines = "##[CHAT] hello\n".repeat(1000);
        let stream = self.reader.get_mut();
        while stream.write_all(lines.as_bytes()).is_ok() {}
    }

    /// Nothing but the end follows.
    pub(crate) fn end(&mut self) {
        assert_eq!(self.line(), None);
    }

    /// A logout, then the end.
    pub(crate) fn logout(&mut self) {
        self.expect("LOGOUT");
        self.send("LOGOUT:completed");
    }
}

/// A game of 10 seconds against `rival`, after `moves`.
pub(crate) fn summary(color: char, moves: &str) -> String {
    let names = if color == '+' {
        ["me", "rival"]
    } else {
        ["rival", "me"]
    };
    format!(
        "BEGIN Game_Summary\nProtocol_Version:1.2\nGame_ID:g\nName+:{}\nName-:{}\nYour_Turn:{color}\nTo_Move:+\n\
         Max_Moves:256\nBEGIN Time\nTime_Unit:1sec\nTotal_Time:10\nByoyomi:0\nLeast_Time_Per_Move:0\nEND Time\n\
         BEGIN Position\nPI\n+\n{moves}\nEND Position\nEND Game_Summary",
        names[0], names[1]
    )
}

/// An offer with a token for coming back.
pub(crate) fn with_token(offer: &str) -> String {
    offer.replace("END Game_Summary", "Reconnect_Token:0f0f\nEND Game_Summary")
}

pub(crate) type Script = Box<dyn FnOnce(&mut Peer) + Send>;

/// A server whose connections follow scripts, one each; then it is gone.
pub(crate) struct MockServer {
    pub(crate) port: u16,
    thread: JoinHandle<()>,
}

impl MockServer {
    pub(crate) fn start(scripts: Vec<Script>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let thread = thread::spawn(move || {
            for script in scripts {
                let (stream, _) = listener.accept().unwrap();
                stream.set_read_timeout(Some(LONG)).unwrap();
                script(&mut Peer {
                    reader: BufReader::new(stream),
                });
            }
        });
        Self { port, thread }
    }

    /// All scripts were followed to their end.
    pub(crate) fn finish(self) {
        if let Err(panic) = self.thread.join() {
            std::panic::resume_unwind(panic);
        }
    }
}

/// Answers with the first legal move and a score of 77, or with what is next on its list.
pub(crate) struct TestPlayer {
    sink: ThinkSink,
    answers: Arc<Mutex<VecDeque<Answer>>>,
    pub(crate) calls: Arc<Mutex<Vec<String>>>,
    /// The answer of a search that ponders.
    held: Option<(u64, BestMove)>,
}

/// What a [`TestPlayer`] does instead of its usual answer.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// This text after `bestmove`.
    Best(&'static str),
    /// It breaks.
    Break,
    /// It thinks until it is stopped.
    Silence,
}

impl CsaPlayer for TestPlayer {
    fn name(&self) -> &'static str {
        "test"
    }

    fn new_game(&mut self, summary: &CsaSummary) -> Result<(), PlayerProblem> {
        self.call(format!("new game {}", summary.game_id));
        Ok(())
    }

    fn think(&mut self, search: u64, game: &Game, go: &GoCommand) -> Result<(), PlayerProblem> {
        let moves: Vec<String> = game.moves().map(|m| m.to_string()).collect();
        let mut go = go.clone();
        let ponder = go.ponder;
        // Times differ from run to run.
        go.clock = shogi_usi::ClockTimes::default();
        self.call(format!("{go} {}", moves.join(" ")).trim_end().to_owned());
        let answer = self.answers.lock().unwrap().pop_front();
        let first = game
            .position()
            .moves::<Legal>()
            .first()
            .map(ToString::to_string);
        let text = match answer {
            Some(Answer::Break) => {
                let reason = "it broke".to_owned();
                (self.sink)(ThinkEvent::Broken { search, reason });
                return Ok(());
            }
            Some(Answer::Silence) => return Ok(()),
            Some(Answer::Best(text)) => text.to_owned(),
            None => first.unwrap_or_else(|| "resign".to_owned()),
        };
        let info = Box::new(Info::parse(&format!("depth 1 score cp 77 pv {text}")));
        (self.sink)(ThinkEvent::Info { search, info });
        let best = BestMove::parse(&text).unwrap();
        if ponder {
            self.held = Some((search, best));
        } else {
            (self.sink)(ThinkEvent::Decided { search, best });
        }
        Ok(())
    }

    fn ponder_hit(&mut self) -> Result<(), PlayerProblem> {
        self.call("ponderhit".to_owned());
        if let Some((search, best)) = self.held.take() {
            (self.sink)(ThinkEvent::Decided { search, best });
        }
        Ok(())
    }

    fn stop(&mut self) {
        self.call("stop".to_owned());
        if let Some((search, best)) = self.held.take() {
            // Too late, as engines do it.
            (self.sink)(ThinkEvent::Decided { search, best });
        }
    }

    fn game_over(&mut self, result: GameResult) {
        let over = shogi_usi::Command::GameOver(Some(result));
        self.call(over.to_string());
    }
}

impl TestPlayer {
    fn call(&self, text: String) {
        self.calls.lock().unwrap().push(text);
    }
}

/// A run of the client, with what became of it.
pub(crate) struct Run {
    pub(crate) settings: ClientSettings,
    pub(crate) answers: Vec<Answer>,
    /// Raised when the client has sent a line that begins with this.
    pub(crate) interrupt_at: Option<&'static str>,
}

/// The result of a [`Run`].
pub(crate) struct Ran {
    pub(crate) outcome: Result<ClientOutcome, CsaClientError>,
    /// Calls of the player.
    pub(crate) calls: Vec<String>,
    /// Notes, results and retries.
    pub(crate) notes: Vec<String>,
    /// The lines of the client after `>`, and of the server after `<`.
    pub(crate) lines: Vec<String>,
}

impl Run {
    pub(crate) fn new(port: u16) -> Self {
        Self {
            settings: ClientSettings {
                host: "127.0.0.1".to_owned(),
                port,
                name: "me".to_owned(),
                password: "test-10-0,secret".to_owned(),
                games: Some(1),
                ponders: false,
                sends_comments: true,
                keep_alive: None,
                margin: Duration::ZERO,
                records: None,
                rejected: Vec::new(),
                reconnect: None,
                retries: 0,
                on_interrupt: OnInterrupt::Finish,
            },
            answers: Vec::new(),
            interrupt_at: None,
        }
    }

    pub(crate) fn play(self) -> Ran {
        let interrupted = AtomicBool::new(false);
        let calls = Arc::new(Mutex::new(Vec::new()));
        let (mut notes, mut lines) = (Vec::new(), Vec::new());
        let make = |sink: ThinkSink| -> Result<Box<dyn CsaPlayer>, PlayerProblem> {
            Ok(Box::new(TestPlayer {
                sink,
                answers: Arc::new(Mutex::new(self.answers.into())),
                calls: Arc::clone(&calls),
                held: None,
            }))
        };
        let outcome = run_client(
            &self.settings,
            make,
            &interrupted,
            &mut |event| match event {
                ClientEvent::Note(text) => notes.push((*text).to_owned()),
                ClientEvent::Retrying { reason, .. } => notes.push(format!("retrying: {reason}")),
                ClientEvent::Ended(game) => notes.push(format!(
                    "{} {:?} {} as {}, {} moves, {} files",
                    game.verdict,
                    game.cause,
                    game.opponent(),
                    game.color,
                    game.moves,
                    game.files.len()
                )),
                ClientEvent::Sent(line) => {
                    assert!(!line.contains("secret"));
                    lines.push(format!("> {line}"));
                    let is_it = |at: &str| line.starts_with(at) && at.is_empty() == line.is_empty();
                    if self.interrupt_at.is_some_and(is_it) {
                        interrupted.store(true, std::sync::atomic::Ordering::Relaxed);
                    }
                }
                ClientEvent::Received(line) => lines.push(format!("< {line}")),
                _ => {}
            },
        );
        let calls = calls.lock().unwrap().clone();
        Ran {
            outcome,
            calls,
            notes,
            lines,
        }
    }
}
