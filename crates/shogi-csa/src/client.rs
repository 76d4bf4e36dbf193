//! The client: connects, logs in, plays games, keeps their records, and connects again.

mod events;
mod play;
mod resume;
mod state;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::connection::{Connection, Incoming};
use crate::player::{CsaPlayer, PlayerProblem, ThinkSink};
use crate::session::CsaSession;

use crate::client::state::Playing;
pub use events::{
    ClientEvent, ClientOutcome, ClientSettings, CsaClientError, OnInterrupt, PlayedCsaGame,
};
use state::{Client, ClientObserver, EVENTS_AHEAD, Link, LinkEnd, LoopEvent};

/// Interval of looking at clocks and for an interruption; what others send is seen at once.
const TICK: Duration = Duration::from_millis(50);
/// Time for the server to answer the login.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(30);
/// Time for the server to answer the logout.
const LOGOUT_TIMEOUT: Duration = Duration::from_secs(3);
/// Time after a game in which the server may offer the next one on the same connection. Floodgate-style servers are through with it,
/// but may take a minute to close it.
const NEXT_GAME: Duration = Duration::from_secs(2);
/// First and longest wait before a connection is tried again; it doubles in between.
const WAITS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(60)];
/// A connection that has lasted so long was a good one: the waits begin anew.
const GOOD_CONNECTION: Duration = Duration::from_secs(60);

/// Plays games on a server. `make_player` makes the player, whose events go to the sink it is given. Raising `interrupted`
/// ends the client.
///
/// # Errors
/// When the login is refused, connections fail again and again, or the engine cannot play. Records of games are on the disk then.
pub fn run_client(
    settings: &ClientSettings,
    make_player: impl FnOnce(ThinkSink) -> Result<Box<dyn CsaPlayer>, PlayerProblem>,
    interrupted: &AtomicBool,
    observer: &mut ClientObserver<'_>,
) -> Result<ClientOutcome, CsaClientError> {
    for (what, text) in [("name", &settings.name), ("password", &settings.password)] {
        if text.is_empty() || text.contains(|c: char| c.is_whitespace() || c.is_control()) {
            let text = format!("the {what} must not be empty or have blanks");
            return Err(CsaClientError::Settings(text));
        }
    }
    let (sender, events) = mpsc::sync_channel(EVENTS_AHEAD);
    let thoughts = sender.clone();
    // Fails only when the client has ended.
    let sink: ThinkSink = Arc::new(move |event| drop(thoughts.send(LoopEvent::Think(event))));
    let player = make_player(sink)?;
    let mut client = Client {
        settings,
        observer,
        interrupted,
        sender,
        events,
        player,
        outcome: ClientOutcome::default(),
        links: 0,
        searches: 0,
        suspended: None,
    };
    let ended = client.run();
    client.give_up_suspended();
    ended?;
    Ok(client.outcome)
}

impl Client<'_, '_> {
    fn run(&mut self) -> Result<(), CsaClientError> {
        let mut failures = 0;
        let mut has_logged_in = false;
        while !self.is_done() {
            if self.is_interrupted() {
                self.outcome.interrupted = true;
                return Ok(());
            }
            if self.is_too_late() {
                self.give_up_suspended();
                continue;
            }
            let (games, begun) = (self.outcome.games, Instant::now());
            let end = self.connection(&mut has_logged_in)?;
            let has_played = self.outcome.games > games;
            let reason = match end {
                LinkEnd::Left => continue,
                LinkEnd::Refused if !has_logged_in => {
                    return Err(CsaClientError::Login {
                        host: self.settings.host.clone(),
                        name: self.settings.name.clone(),
                    });
                }
                // The server may not have noticed yet that the last connection is gone.
                LinkEnd::Refused => "the login was refused this time".to_owned(),
                LinkEnd::Lost(reason) => reason,
            };
            if self.is_done() || has_played {
                // Floodgate-style servers end the connection after each game.
                failures = 0;
                continue;
            }
            if begun.elapsed() > GOOD_CONNECTION {
                failures = 0;
            }
            failures += 1;
            if failures > self.settings.retries {
                return Err(CsaClientError::Connection {
                    host: self.settings.host.clone(),
                    port: self.settings.port,
                    reason,
                    attempts: failures,
                });
            }
            let after = WAITS[0]
                .saturating_mul(1 << (failures - 1).min(16))
                .min(WAITS[1]);
            self.report(&ClientEvent::Retrying {
                reason: &reason,
                after,
            });
            self.sleep(after);
        }
        Ok(())
    }

    /// Returns whether all games were played.
    fn is_done(&self) -> bool {
        self.settings
            .games
            .is_some_and(|games| self.outcome.games >= games)
    }

    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    fn report(&mut self, event: &ClientEvent<'_>) {
        (self.observer)(event);
    }

    /// Waits, unless the user interrupts.
    fn sleep(&self, time: Duration) {
        let end = Instant::now() + time;
        while !self.is_interrupted() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(TICK));
        }
    }

    /// Connects and plays until the connection ends.
    fn connection(&mut self, has_logged_in: &mut bool) -> Result<LinkEnd, CsaClientError> {
        self.links += 1;
        let number = self.links;
        let sender = self.sender.clone();
        let opened = Connection::open(&self.settings.host, self.settings.port, move |incoming| {
            // Fails only when the client has ended.
            drop(sender.send(LoopEvent::Server(number, incoming)));
        });
        let connection = match opened {
            Ok(connection) => connection,
            Err(error) => return Ok(LinkEnd::Lost(format!("cannot connect: {error}"))),
        };
        let now = Instant::now();
        let mut link = Link {
            number,
            connection,
            session: CsaSession::new(),
            opened: now,
            last_sent: now,
            last_received: now,
            echoes: false,
            leaving: None,
            renews: None,
            asks_for_game: false,
            playing: Playing::default(),
        };
        self.report(&ClientEvent::Connected);
        let end = self.serve(&mut link, has_logged_in);
        if let Some((game, over)) = link.session.lost() {
            let playing = std::mem::take(&mut link.playing);
            self.broken_off(playing, game, over);
        }
        end
    }

    /// The loop of a connection.
    fn serve(
        &mut self,
        link: &mut Link,
        has_logged_in: &mut bool,
    ) -> Result<LinkEnd, CsaClientError> {
        let login = self.login(link, &self.settings.password);
        if let Err(error) = link.connection.send(&login) {
            return Ok(LinkEnd::Lost(error.to_string()));
        }
        let shown = self.login(link, "*");
        self.report(&ClientEvent::Sent(&shown));
        loop {
            if let Some(end) = self.check_time(link) {
                return Ok(end);
            }
            let step = match self.events.recv_timeout(TICK) {
                Ok(LoopEvent::Server(number, Incoming::Line(line))) if number == link.number => {
                    link.last_received = Instant::now();
                    self.report(&ClientEvent::Received(&line));
                    self.line(link, &line)?
                }
                Ok(LoopEvent::Server(number, Incoming::Closed(reason)))
                    if number == link.number =>
                {
                    Some(match link.leaving {
                        Some(_) => LinkEnd::Left,
                        None => LinkEnd::Lost(reason),
                    })
                }
                Ok(LoopEvent::Think(event)) => self.thought(link, event),
                Ok(LoopEvent::Server(..)) | Err(RecvTimeoutError::Timeout) => None,
                // Not while this client has a sender.
                Err(RecvTimeoutError::Disconnected) => Some(LinkEnd::Left),
            };
            *has_logged_in |= link.session.is_logged_in();
            if let Some(end) = step {
                return Ok(end);
            }
        }
    }

    /// Keeps the connection alive, and ends it when it is time to.
    fn check_time(&mut self, link: &mut Link) -> Option<LinkEnd> {
        if let Some(until) = link.leaving {
            return (Instant::now() >= until).then_some(LinkEnd::Left);
        }
        if !link.session.is_logged_in() && link.opened.elapsed() > LOGIN_TIMEOUT {
            return Some(LinkEnd::Lost("no answer to the login".to_owned()));
        }
        if self.is_interrupted()
            && let Some(end) = self.interrupt(link)
        {
            return Some(end);
        }
        if let Some(end) = self.check_suspended(link) {
            return Some(end);
        }
        if link.renews.is_some_and(|renews| Instant::now() >= renews) && link.session.is_waiting() {
            return self.leave(link);
        }
        let interval = self.settings.keep_alive?;
        if link.echoes && link.last_received.elapsed() > interval * 4 {
            let text = "the server does not answer any more".to_owned();
            return Some(LinkEnd::Lost(text));
        }
        if link.session.is_logged_in() && link.last_sent.elapsed() >= interval {
            return self.send(link, "");
        }
        None
    }

    /// Carries out the user's wish to end.
    fn interrupt(&mut self, link: &mut Link) -> Option<LinkEnd> {
        if link.session.game().is_some() {
            let resigns = self.settings.on_interrupt == OnInterrupt::Resign;
            if !std::mem::replace(&mut link.playing.told_of_interrupt, true) {
                self.report(&ClientEvent::Note(if resigns {
                    "interrupted: resigning this game"
                } else {
                    "interrupted: this game is the last; interrupt again to end at once"
                }));
            }
            return if resigns { self.resign(link) } else { None };
        }
        if link.session.is_agreed() {
            // It begins, or is rejected, any moment.
            return None;
        }
        self.outcome.interrupted = true;
        self.leave(link)
    }

    /// Logs out; the server has a while to answer.
    fn leave(&mut self, link: &mut Link) -> Option<LinkEnd> {
        link.leaving = Some(Instant::now() + LOGOUT_TIMEOUT);
        if link.session.is_logged_in() {
            // A server that has closed the connection already needs no logout.
            self.send(link, "LOGOUT").map(|_| LinkEnd::Left)
        } else {
            Some(LinkEnd::Left)
        }
    }

    /// Sends a line.
    fn send(&mut self, link: &mut Link, line: &str) -> Option<LinkEnd> {
        self.report(&ClientEvent::Sent(line));
        link.last_sent = Instant::now();
        match link.connection.send(line) {
            Ok(()) => None,
            Err(error) => Some(LinkEnd::Lost(error.to_string())),
        }
    }
}
