//! Games shared by machines over a NATS server: one process serves them and has the results, others play.

use farm::queue::Queue;
use farm::{Event, Recorder, RetryPolicy, RunControl};

use crate::contents::RunContents;
use crate::error::{Result, TournamentError};
use crate::event::RunNote;
use crate::game::PlayedGame;
use crate::play::{Games, tell};
use crate::received::SentGame;
use crate::task::{GameSchedule, GameTask, Outcome};
use crate::team::{GameWorkers, Team};

/// The bytes of a result; none when there is none.
fn encode(contents: &RunContents, outcome: &Outcome) -> Vec<u8> {
    let sent = outcome.as_ref().map(|game| SentGame { contents, game });
    let bytes = sent.ok().and_then(|sent| serde_json::to_vec(&sent).ok());
    bytes.unwrap_or_default()
}

/// Plays games for the process that serves `queue`, `workers` at a time, until there are none left or `control` ends the
/// run. `schedule` says what games there are, by settings of this process: of the server's messages nothing but numbers
/// counts. Returns the number of games; `on_game` is called with each, and `on_note` with notes, on this thread.
///
/// # Errors
/// When an engine does not get ready, the address of the queue is invalid or a result is too long for a message.
pub fn work(
    queue: &Queue,
    team: &Team,
    schedule: &dyn GameSchedule,
    workers: usize,
    control: &RunControl,
    on_game: &dyn Fn(&GameTask, &PlayedGame),
    on_note: &dyn Fn(RunNote<'_>),
) -> Result<u64> {
    let workers = GameWorkers::new(team, schedule, workers, control);
    let mut count = GameCount {
        games: 0,
        on_game,
        on_note,
    };
    let contents = schedule.contents();
    let encode = |_: &GameTask, outcome: &Outcome| encode(&contents, outcome);
    let policy = RetryPolicy::default();
    let worked = farm::queue::work(queue, &workers, encode, control, policy, &mut count);
    workers.refusal().told(worked)?;
    Ok(count.games)
}

/// Counts games.
struct GameCount<'a> {
    games: u64,
    on_game: &'a dyn Fn(&GameTask, &PlayedGame),
    on_note: &'a dyn Fn(RunNote<'_>),
}

impl Recorder for GameCount<'_> {
    type Kind = Games;
    type Item = GameTask;
    type Output = Outcome;
    type Error = TournamentError;

    fn record(&mut self, _: Option<usize>, task: &GameTask, outcome: Outcome) -> Result<()> {
        match outcome {
            Ok(played) => {
                self.games += 1;
                (self.on_game)(task, &played);
            }
            Err(error) => {
                let text = format!("an item of the queue is none of this run: {error}");
                (self.on_note)(RunNote::Remark(&text));
            }
        }
        Ok(())
    }

    /// The process that serves decides about it.
    fn give_up(&mut self, _: &GameTask) -> Result<()> {
        Ok(())
    }

    fn on_event(&mut self, event: &Event<'_, Games>) {
        tell(event, self.on_note);
    }
}
