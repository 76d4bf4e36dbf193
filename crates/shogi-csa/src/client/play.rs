//! What a client does with the lines of the server and the thoughts of its player: offers, moves, pondering, records.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use shogi_core::{Color, Move, MoveText};
use shogi_usi::{BestMove, GameResult};

use super::{Client, ClientEvent, CsaClientError, Link, LinkEnd, NEXT_GAME, PlayedCsaGame};
use crate::client::state::Playing;
use crate::client::state::{Search, Thinking};
use crate::game::{CsaGame, GameOver, RecordNotes};
use crate::message::{GameVerdict, floodgate_comment};
use crate::player::ThinkEvent;
use crate::records::RecordFiles;
use crate::session::SessionEvent;

impl Client<'_, '_> {
    /// Takes a line of the server.
    pub(super) fn line(
        &mut self,
        link: &mut Link,
        line: &str,
    ) -> Result<Option<LinkEnd>, CsaClientError> {
        let event = match link.session.line(line) {
            Ok(Some(event)) => event,
            Ok(None) => return Ok(None),
            Err(error) => return Ok(Some(error.into())),
        };
        Ok(match event {
            SessionEvent::LoggedIn => {
                self.report(&ClientEvent::LoggedIn);
                None
            }
            SessionEvent::LoginRefused => Some(LinkEnd::Refused),
            SessionEvent::Offered => return self.offered(link),
            SessionEvent::BadOffer(error) => {
                self.report(&ClientEvent::Note(&format!("rejecting a game: {error}")));
                let answer = link.session.reject();
                answer.and_then(|answer| self.send(link, &answer))
            }
            SessionEvent::Rejected { by } => {
                let text = format!("the game was rejected by {by}");
                self.report(&ClientEvent::Note(&text));
                None
            }
            SessionEvent::Started | SessionEvent::Resumed => self.started(link),
            SessionEvent::Moved { m, ours } => self.moved(link, m, ours),
            SessionEvent::Ended(end) => {
                let (game, over) = *end;
                self.finish_game(std::mem::take(&mut link.playing), &game, over);
                if self.is_done() {
                    return Ok(self.leave(link));
                }
                link.renews = Some(Instant::now() + NEXT_GAME);
                None
            }
            SessionEvent::KeptAlive => {
                link.echoes = true;
                None
            }
            SessionEvent::LoggedOut => Some(LinkEnd::Left),
            SessionEvent::Message(text) => {
                // Servers tell errors and news so; answers to commands are for those who ask.
                if text.starts_with("##[ERROR]") || text.starts_with("##[CHAT]") {
                    self.report(&ClientEvent::Note(&text));
                }
                None
            }
        })
    }

    /// Answers an offer; the player gets ready first.
    fn offered(&mut self, link: &mut Link) -> Result<Option<LinkEnd>, CsaClientError> {
        let Some(summary) = link.session.offer().cloned() else {
            return Ok(None);
        };
        link.renews = None;
        self.report(&ClientEvent::Offered(&summary));
        if self.is_suspended_game(&summary) {
            return Ok(self.agree_to_go_on(link));
        }
        self.give_up_suspended();
        if self.is_done() {
            let answer = link.session.reject();
            let sent = answer.and_then(|answer| self.send(link, &answer));
            return Ok(sent.or_else(|| self.leave(link)));
        }
        let opponent = summary.opponent();
        let is_unwanted = self.settings.rejected.iter().any(|name| name == opponent);
        let (answer, problem) = if is_unwanted || self.is_interrupted() {
            let text = format!("rejecting the game with {opponent}");
            self.report(&ClientEvent::Note(&text));
            (link.session.reject(), None)
        } else {
            let ready = self.player.new_game(&summary);
            // Nobody has listened meanwhile.
            link.last_received = Instant::now();
            match ready {
                Ok(()) => (link.session.agree(), None),
                Err(problem) => (link.session.reject(), Some(problem)),
            }
        };
        let sent = answer.and_then(|answer| self.send(link, &answer));
        match problem {
            Some(problem) => Err(problem.into()),
            None => Ok(sent),
        }
    }

    fn started(&mut self, link: &mut Link) -> Option<LinkEnd> {
        if let Some(game) = self.take_suspended(link) {
            return self.go_on(link, game);
        }
        let game = link.session.game()?;
        let now = jiff::Zoned::now();
        link.playing = Playing {
            notes: RecordNotes {
                site: Some(format!("{}:{}", self.settings.host, self.settings.port)),
                started: Some(now.strftime("%Y/%m/%d %H:%M:%S").to_string()),
                ended: None,
            },
            ..Playing::default()
        };
        if let Some((folder, formats)) = &self.settings.records {
            let stamp = now.strftime("%Y%m%d%H%M%S").to_string();
            match RecordFiles::new(folder, *formats, &game.summary().game_id, &stamp) {
                Ok(files) => link.playing.files = Some(files),
                Err(error) => (self.observer)(&ClientEvent::Note(&format!("no record: {error}"))),
            }
        }
        (self.observer)(&ClientEvent::Started(game));
        if game.is_our_turn() {
            return self.think(link);
        }
        None
    }

    fn moved(&mut self, link: &mut Link, m: Move, ours: bool) -> Option<LinkEnd> {
        let (comment, reply) = if ours {
            std::mem::take(&mut link.playing.sent)
        } else {
            (None, None)
        };
        let game = link.session.game_mut()?;
        if let Some(comment) = comment {
            game.comment(&comment);
        }
        (self.observer)(&ClientEvent::Moved(game));
        let is_our_turn = game.is_our_turn();
        if ours {
            self.ponder(link, reply);
            self.save(link);
            return None;
        }
        match std::mem::take(&mut link.playing.thinking) {
            Thinking::Ponder {
                search,
                expected,
                early,
            } if expected == m && is_our_turn => {
                link.playing.turn = Some(Instant::now());
                link.playing.thinking = Thinking::Search(search);
                match early {
                    Some(best) => self.decided(link, best),
                    None => match self.player.ponder_hit() {
                        Ok(()) => None,
                        Err(problem) => self.broken(link, &problem.0),
                    },
                }
            }
            Thinking::Nothing if is_our_turn => self.think(link),
            _ => {
                self.player.stop();
                if is_our_turn { self.think(link) } else { None }
            }
        }
    }

    /// Has the player think about its move.
    pub(super) fn think(&mut self, link: &mut Link) -> Option<LinkEnd> {
        link.playing.turn = Some(Instant::now());
        self.think_since(link, Duration::ZERO)
    }

    /// Thinking with the clock of a turn of which `used` has passed.
    fn think_since(&mut self, link: &mut Link, used: Duration) -> Option<LinkEnd> {
        let game = link.session.game()?;
        let color = game.summary().color;
        let go = game.clocks().limits(color, self.settings.margin + used);
        self.searches += 1;
        let number = self.searches;
        link.playing.thinking = Thinking::Search(Search { number, info: None });
        match self.player.think(number, game.game(), &go) {
            Ok(()) => None,
            Err(problem) => self.broken(link, &problem.0),
        }
    }

    /// Has the player think about the answer to `reply`, if it is a move.
    fn ponder(&mut self, link: &mut Link, reply: Option<MoveText>) {
        let Some(game) = link.session.game() else {
            return;
        };
        let reply = reply.filter(|_| self.settings.ponders);
        let Some(expected) = reply.and_then(|reply| game.game().position().move_from_text(reply))
        else {
            return;
        };
        let mut after = game.game().clone();
        after.play_unchecked(expected);
        let mut go = game
            .clocks()
            .limits(game.summary().color, self.settings.margin);
        go.ponder = true;
        self.searches += 1;
        let search = Search {
            number: self.searches,
            info: None,
        };
        // One that cannot think says so when it is its turn.
        if self.player.think(search.number, &after, &go).is_ok() {
            link.playing.thinking = Thinking::Ponder {
                search,
                expected,
                early: None,
            };
        }
    }

    /// Takes an event of the player. Those of earlier searches count for nothing.
    pub(super) fn thought(&mut self, link: &mut Link, event: ThinkEvent) -> Option<LinkEnd> {
        if let ThinkEvent::Note(text) = &event {
            self.report(&ClientEvent::Note(text));
            return None;
        }
        let search = match &mut link.playing.thinking {
            Thinking::Search(search) | Thinking::Ponder { search, .. } => search,
            Thinking::Nothing => return None,
        };
        match event {
            ThinkEvent::Info { search: of, info } => {
                if of == search.number {
                    search.take(info);
                }
                None
            }
            ThinkEvent::Decided { search: of, best } => {
                if of != search.number {
                    return None;
                }
                if let Thinking::Ponder { early, .. } = &mut link.playing.thinking {
                    *early = Some(best);
                    return None;
                }
                self.decided(link, best)
            }
            ThinkEvent::Broken { search: of, reason } => {
                if of != search.number {
                    return None;
                }
                if matches!(link.playing.thinking, Thinking::Ponder { .. }) {
                    link.playing.thinking = Thinking::Nothing;
                    return None;
                }
                self.broken(link, &reason)
            }
            ThinkEvent::Note(_) => None,
        }
    }

    /// Sends the decision of the player.
    fn decided(&mut self, link: &mut Link, best: BestMove) -> Option<LinkEnd> {
        let Thinking::Search(search) = std::mem::take(&mut link.playing.thinking) else {
            return None;
        };
        match best {
            BestMove::Resign => self.resign(link),
            BestMove::Win => {
                let line = link.session.declare()?;
                self.send(link, line)
            }
            BestMove::Move { best, ponder } => {
                let position = link.session.game()?.game().position();
                let Some(m) = position.move_from_text(best) else {
                    let text = format!("the engine answered {best}, which is illegal: resigning");
                    self.report(&ClientEvent::Note(&text));
                    return self.resign(link);
                };
                let info = search.info.as_deref();
                let score = info.and_then(|info| info.score);
                let pv = info.map_or(&[][..], |info| &info.pv);
                let comment = floodgate_comment(position, m, score, pv);
                let sent = comment.as_deref().filter(|_| self.settings.sends_comments);
                let line = link.session.play(m, sent)?;
                link.playing.sent = (comment, ponder);
                self.send(link, &line)
            }
        }
    }

    /// Resigns if it is the own turn.
    pub(super) fn resign(&mut self, link: &mut Link) -> Option<LinkEnd> {
        let line = link.session.resign()?;
        if !matches!(link.playing.thinking, Thinking::Nothing) {
            link.playing.thinking = Thinking::Nothing;
            self.player.stop();
        }
        self.send(link, line)
    }

    /// The player has failed at its own move: it is started again once, then it resigns.
    fn broken(&mut self, link: &mut Link, reason: &str) -> Option<LinkEnd> {
        link.playing.thinking = Thinking::Nothing;
        let summary = link.session.game()?.summary().clone();
        if !std::mem::replace(&mut link.playing.restarted, true) {
            let text = format!("{reason}; starting the engine again");
            self.report(&ClientEvent::Note(&text));
            let ready = self.player.new_game(&summary);
            link.last_received = Instant::now();
            match ready {
                Ok(()) => {
                    let used = link
                        .playing
                        .turn
                        .map_or(Duration::ZERO, |turn| turn.elapsed());
                    return self.think_since(link, used);
                }
                Err(problem) => self.report(&ClientEvent::Note(&problem.0)),
            }
        }
        let text = format!("{reason}; resigning");
        self.report(&ClientEvent::Note(&text));
        self.resign(link)
    }

    /// Writes the record of the running game. A full disk is no reason to stop playing.
    fn save(&mut self, link: &Link) {
        let (Some(files), Some(game)) = (&link.playing.files, link.session.game()) else {
            return;
        };
        let record = game.record(&link.playing.notes, None);
        if let Err(error) = files.write(&record) {
            self.report(&ClientEvent::Note(&error.to_string()));
        }
    }

    /// Has the player stop, if it thinks.
    pub(super) fn stop_thinking(&mut self, playing: &mut Playing) {
        if !matches!(std::mem::take(&mut playing.thinking), Thinking::Nothing) {
            self.player.stop();
        }
    }

    /// Tells the player, writes the record, counts the game.
    pub(super) fn finish_game(&mut self, mut playing: Playing, game: &CsaGame, over: GameOver) {
        self.stop_thinking(&mut playing);
        self.player.game_over(match over.verdict {
            GameVerdict::Win => GameResult::Win,
            GameVerdict::Lose => GameResult::Lose,
            GameVerdict::Draw | GameVerdict::Censored | GameVerdict::Interrupted => {
                GameResult::Draw
            }
        });
        let now = jiff::Zoned::now().strftime("%Y/%m/%d %H:%M:%S");
        playing.notes.ended = Some(now.to_string());
        let mut files: Vec<PathBuf> = Vec::new();
        if let Some(record) = &playing.files {
            match record.write(&game.record(&playing.notes, Some(&over))) {
                Ok(()) => files = record.paths(),
                Err(error) => {
                    self.outcome.unsaved += 1;
                    self.report(&ClientEvent::Note(&error.to_string()));
                }
            }
        } else if self.settings.records.is_some() {
            self.outcome.unsaved += 1;
        }
        self.outcome.games += 1;
        match over.verdict {
            GameVerdict::Win => self.outcome.wins += 1,
            GameVerdict::Lose => self.outcome.losses += 1,
            GameVerdict::Draw => self.outcome.draws += 1,
            GameVerdict::Censored | GameVerdict::Interrupted => {}
        }
        let summary = game.summary();
        let [black, white] = summary.names.clone();
        self.report(&ClientEvent::Ended(&PlayedCsaGame {
            game_id: summary.game_id.clone(),
            black,
            white,
            color: match summary.color {
                Color::Black => "black",
                Color::White => "white",
            },
            verdict: over.verdict,
            cause: over.cause,
            moves: game.moves(),
            files,
        }));
    }
}
