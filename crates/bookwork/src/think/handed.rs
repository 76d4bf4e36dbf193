//! Positions that are handed out over a queue, whatever is to be found out about them.
//!
//! A unit is a position, known by the number that it has in a journal. Its result is bytes of those who handed it
//! out; none when it was given up.

use std::time::Instant;

use farm::{Control, Desk, Finished, Players, Rules, Unfinished, Work};
use farm_queue::{Unit, Worker};
use shogi_core::Position;

use super::ledger::number_of;
use super::work::Thoughts;
use super::{Event, Observer, Queue, Summary};
use crate::{BookworkError, Result};

/// What is handed out.
pub(crate) fn unit(position: &Position) -> Unit {
    let sfen = position.to_sfen();
    Unit {
        number: number_of(&sfen),
        payload: sfen.into_bytes(),
    }
}

fn position_of(unit: &Unit) -> Option<Position> {
    let sfen = std::str::from_utf8(&unit.payload).ok()?;
    Position::from_sfen(sfen).ok()
}

/// What came of a position.
pub(crate) struct Answer {
    /// For people.
    pub(crate) thoughts: Thoughts,
    /// For who handed it out.
    pub(crate) bytes: Vec<u8>,
}

/// Finds answers.
struct Handed<F>(F);

impl<F> Work for Handed<F>
where
    F: Fn(&Position, &mut Desk<'_>) -> std::result::Result<Answer, Unfinished> + Sync,
{
    type Unit = Unit;
    type Done = (Position, Answer);

    fn work(
        &self,
        unit: &Unit,
        desk: &mut Desk<'_>,
    ) -> std::result::Result<Finished<Self::Done>, Unfinished> {
        let nonsense = || Unfinished::Failed("what was handed out is no position".to_owned());
        let position = position_of(unit).ok_or_else(nonsense)?;
        let answer = (self.0)(&position, desk)?;
        Ok(Finished::good((position, answer)))
    }
}

/// Finds an `answer` for every position that comes over `queue`, until nothing is left or `control` says so.
///
/// # Errors
/// When no engine is left, or the queue has no proper address.
pub(crate) fn work_on_handed<F>(
    players: &Players,
    rules: Rules,
    queue: &Queue,
    control: &Control,
    observer: &dyn Observer,
    answer: F,
) -> Result<Summary>
where
    F: Fn(&Position, &mut Desk<'_>) -> std::result::Result<Answer, Unfinished> + Sync,
{
    let begun = Instant::now();
    let worker = Worker::new(queue)?;
    let mut summary = Summary::default();
    let hear = |event: farm::Event<'_, Unit, (Position, Answer)>| {
        match event {
            farm::Event::Done { seat, unit, done } => {
                let (position, Answer { thoughts, bytes }) = done;
                worker.put(unit.number, bytes)?;
                summary.count(&thoughts, begun.elapsed());
                if !thoughts.moves.is_empty() {
                    observer.event(&thoughts.event(Some(seat), &position, &summary));
                }
            }
            farm::Event::Failed { seat, reason, .. } => {
                summary.failures += 1;
                let name = players.name(seat);
                observer.event(&Event::Failed { seat, name, reason });
            }
            farm::Event::GivenUp { unit } => {
                summary.given_up += 1;
                worker.put(unit.number, Vec::new())?;
                if let Some(position) = &position_of(unit) {
                    observer.event(&Event::GivenUp { position });
                }
            }
            farm::Event::Closed { seat, reason } => {
                let name = players.name(seat);
                observer.event(&Event::Closed { seat, name, reason });
            }
            farm::Event::Tick { seats } => {
                observer.event(&Event::Tick { seats });
                if let Some(reason) = worker.trouble() {
                    observer.event(&Event::Trouble { reason: &reason });
                }
            }
            _ => {}
        }
        Ok::<_, BookworkError>(())
    };
    let worked = farm::run(players, &Handed(answer), &worker, control, rules, hear);
    worker.finish(&|| control.is_quitting());
    worked?;
    Ok(Summary {
        elapsed: begun.elapsed(),
        is_complete: !control.is_quitting(),
        ..summary
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_positions() {
        let position = Position::startpos().with_ply(7);
        let back = position_of(&unit(&position)).unwrap();
        assert_eq!(back.to_sfen(), position.to_sfen());
    }
}
