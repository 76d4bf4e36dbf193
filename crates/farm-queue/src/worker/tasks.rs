//! What the thread of a worker does, all at the same time.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::AckKind;
use async_nats::jetstream::consumer::PullConsumer;
use futures_util::StreamExt as _;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::sleep;

use super::{Held, Shared};
use crate::link::{Link, Trouble, answer};
use crate::{Unit, frame};

/// How long the server may look for units before it says that there are none.
const EXPIRES: Duration = Duration::from_secs(1);
/// How long to wait after trouble.
const PAUSE: Duration = Duration::from_millis(500);

/// Talks to the server until the worker goes.
pub(super) async fn run(link: Link, shared: Arc<Shared>, results: UnboundedReceiver<u64>) {
    tokio::select! {
        () = take(&link, &shared) => {}
        () = renew(&link, &shared) => {}
        () = send(&link, &shared, results) => {}
        () = shared.stop.notified() => {}
    }
    give_back(&link, &shared).await;
}

/// Takes units when seats wait for them.
async fn take(link: &Link, shared: &Shared) {
    let mut consumer = None;
    loop {
        let wanted = {
            let state = shared.lock();
            state.waiting.saturating_sub(state.ready.len())
        };
        if wanted == 0 {
            shared.wish.notified().await;
        } else if let Err(reason) = take_some(link, shared, &mut consumer, wanted).await {
            consumer = None;
            // The stream goes when the job is done, which is no trouble.
            end_if_done(link, shared).await.ok();
            shared.change(|state| {
                if !state.has_ended {
                    state.trouble = Some(reason);
                }
            });
            sleep(PAUSE).await;
        }
    }
}

/// Asks for units once; looks whether the job is done when there are none.
async fn take_some(
    link: &Link,
    shared: &Shared,
    consumer: &mut Option<PullConsumer>,
    wanted: usize,
) -> Result<(), Trouble> {
    let units = match consumer {
        Some(units) => units,
        None => match open(link).await {
            Ok(units) => consumer.insert(units),
            Err(reason) => return Err(format!("no work yet: {reason}")),
        },
    };
    let batch = units.batch().max_messages(wanted).expires(EXPIRES);
    let mut batch = answer(batch.messages()).await?;
    let mut is_empty = true;
    while let Some(message) = batch.next().await {
        let message = message.map_err(|error| error.to_string())?;
        is_empty = false;
        let Some((number, payload)) = frame::unpack(&message.payload) else {
            // Nobody can do anything with it.
            answer(message.ack_with(AckKind::Term)).await?;
            continue;
        };
        let payload = payload.to_vec();
        shared.change(|state| {
            if let Some(held) = state.held.get_mut(&number) {
                // It was published again, or the lease was over: it is still at work here.
                held.message = message;
                return;
            }
            let held = Held {
                message,
                payload: payload.clone(),
                result: None,
            };
            state.held.insert(number, held);
            state.ready.push_back(Unit { number, payload });
        });
    }
    if is_empty {
        end_if_done(link, shared).await?;
        // The stream may have been made anew.
        *consumer = None;
    }
    Ok(())
}

async fn open(link: &Link) -> Result<PullConsumer, Trouble> {
    let stream = link.stream().await?;
    link.consumer(&stream, "workers", link.job.units()).await
}

async fn end_if_done(link: &Link, shared: &Shared) -> Result<(), Trouble> {
    if link.is_done().await? {
        shared.change(|state| state.has_ended = true);
    }
    Ok(())
}

/// Renews the leases of units that are held.
async fn renew(link: &Link, shared: &Shared) {
    loop {
        sleep(link.job.lease / 3).await;
        let held: Vec<_> = {
            let state = shared.lock();
            let held = state.held.values();
            held.map(|held| held.message.clone()).collect()
        };
        for message in held {
            // A lease that runs out costs time and nothing else.
            answer(message.ack_with(AckKind::Progress)).await.ok();
        }
    }
}

/// Sends results, however long it takes, as long as anybody waits for them.
async fn send(link: &Link, shared: &Shared, mut results: UnboundedReceiver<u64>) {
    while let Some(number) = results.recv().await {
        while let Err(reason) = send_one(link, shared, number).await {
            // One that came twice may come when all is done.
            if matches!(link.is_done().await, Ok(true)) {
                break;
            }
            shared.change(|state| state.trouble = Some(reason));
            sleep(PAUSE).await;
        }
        shared.change(|state| {
            state.held.remove(&number);
        });
    }
}

async fn send_one(link: &Link, shared: &Shared, number: u64) -> Result<(), Trouble> {
    let result = {
        let state = shared.lock();
        let held = state.held.get(&number);
        held.and_then(|held| held.result.clone())
    };
    let Some(result) = result else { return Ok(()) };
    let message = frame::pack(number, &result);
    link.publish(&link.job.results(), std::iter::once(message))
        .await?;
    // From here on the result is the server's, and the unit need not come again. If it does, it is done twice.
    let message = {
        let state = shared.lock();
        state.held.get(&number).map(|held| held.message.clone())
    };
    if let Some(message) = message {
        answer(message.ack()).await.ok();
    }
    Ok(())
}

/// Lets others have what is not finished.
async fn give_back(link: &Link, shared: &Shared) {
    let held: Vec<_> = shared.lock().held.drain().collect();
    for (_, held) in held {
        if answer(held.message.ack_with(AckKind::Nak(None)))
            .await
            .is_err()
        {
            return;
        }
    }
    link.flush().await.ok();
}
