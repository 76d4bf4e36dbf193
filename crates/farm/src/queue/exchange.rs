//! The tasks of the thread that talks to the server for a queue worker.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::AckKind;
use async_nats::jetstream::consumer::PullConsumer;
use futures_util::StreamExt as _;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::sleep;

use super::worker::{Held, Shared};
use super::{Link, RemoteItem, TransientError, pack, unpack, with_timeout};

/// The time that the server waits for items before it answers that there are none.
const EXPIRES: Duration = Duration::from_secs(1);
/// The delay after a transient error.
const PAUSE: Duration = Duration::from_millis(500);

/// Talks to the server until the queue worker is dropped.
pub(super) async fn run<I: RemoteItem>(
    link: Link,
    shared: Arc<Shared<I>>,
    results: UnboundedReceiver<u64>,
) {
    tokio::select! {
        () = take(&link, &shared) => {}
        () = renew(&link, &shared) => {}
        () = send(&link, &shared, results) => {}
        () = shared.stop.notified() => {}
    }
    return_items(&link, &shared).await;
}

/// Takes items when workers wait for them.
async fn take<I: RemoteItem>(link: &Link, shared: &Shared<I>) {
    let mut consumer = None;
    loop {
        let wanted = {
            let state = shared.lock();
            state.waiting.saturating_sub(state.ready.len())
        };
        if wanted == 0 {
            shared.wanted.notified().await;
        } else if let Err(reason) = take_some(link, shared, &mut consumer, wanted).await {
            consumer = None;
            // The stream is deleted when the queue is done, which is no error.
            end_if_done(link, shared).await.ok();
            shared.change(|state| {
                if !state.has_ended {
                    state.error = Some(reason);
                }
            });
            sleep(PAUSE).await;
        }
    }
}

/// Asks for items once; checks whether the queue is done when there are none.
async fn take_some<I: RemoteItem>(
    link: &Link,
    shared: &Shared<I>,
    consumer: &mut Option<PullConsumer>,
    wanted: usize,
) -> Result<(), TransientError> {
    let items = match consumer {
        Some(items) => items,
        None => match open(link).await {
            Ok(items) => consumer.insert(items),
            Err(reason) => return Err(format!("no work yet: {reason}")),
        },
    };
    let batch = items.batch().max_messages(wanted).expires(EXPIRES);
    let mut batch = with_timeout(batch.messages()).await?;
    let mut is_empty = true;
    while let Some(message) = batch.next().await {
        let message = message.map_err(|error| error.to_string())?;
        is_empty = false;
        let Some((number, payload)) = unpack(&message.payload) else {
            // No worker can do anything with it.
            with_timeout(message.ack_with(AckKind::Term)).await?;
            continue;
        };
        let Some(item) = I::from_message(number, payload) else {
            // No result: the item is given up.
            let result = std::iter::once(pack(number, &[]));
            link.publish(&link.queue.results(), result).await?;
            with_timeout(message.ack_with(AckKind::Term)).await?;
            continue;
        };
        shared.change(|state| {
            if let Some(held) = state.held.get_mut(&number) {
                // It was published again, or the lease expired: it is still in progress here.
                held.message = message;
                return;
            }
            let held = Held {
                message,
                item: item.clone(),
                result: None,
            };
            state.held.insert(number, held);
            state.ready.push_back(item);
        });
    }
    if is_empty {
        end_if_done(link, shared).await?;
        // The stream may have been created anew.
        *consumer = None;
    }
    Ok(())
}

async fn open(link: &Link) -> Result<PullConsumer, TransientError> {
    let stream = link.stream().await?;
    link.consumer(&stream, "workers", link.queue.items()).await
}

async fn end_if_done<I: RemoteItem>(link: &Link, shared: &Shared<I>) -> Result<(), TransientError> {
    if link.is_done().await? {
        shared.change(|state| state.has_ended = true);
    }
    Ok(())
}

/// Renews the leases of held items.
async fn renew<I: RemoteItem>(link: &Link, shared: &Shared<I>) {
    loop {
        sleep(link.queue.lease / 3).await;
        let held: Vec<_> = {
            let state = shared.lock();
            let held = state.held.values();
            held.map(|held| held.message.clone()).collect()
        };
        for message in held {
            // A lease that expires costs time and nothing else.
            with_timeout(message.ack_with(AckKind::Progress)).await.ok();
        }
    }
}

/// Sends results, however long it takes, unless the queue is done.
async fn send<I: RemoteItem>(link: &Link, shared: &Shared<I>, mut results: UnboundedReceiver<u64>) {
    while let Some(number) = results.recv().await {
        while let Err(reason) = send_one(link, shared, number).await {
            // A duplicate may come when everything is done.
            if matches!(link.is_done().await, Ok(true)) {
                break;
            }
            shared.change(|state| state.error = Some(reason));
            sleep(PAUSE).await;
        }
        shared.change(|state| {
            state.held.remove(&number);
        });
    }
}

async fn send_one<I: RemoteItem>(
    link: &Link,
    shared: &Shared<I>,
    number: u64,
) -> Result<(), TransientError> {
    let result = {
        let state = shared.lock();
        let held = state.held.get(&number);
        held.and_then(|held| held.result.clone())
    };
    let Some(result) = result else { return Ok(()) };
    let message = pack(number, &result);
    link.publish(&link.queue.results(), std::iter::once(message))
        .await?;
    // The server has the result. If this acknowledgement is lost, the item is done twice.
    let message = {
        let state = shared.lock();
        state.held.get(&number).map(|held| held.message.clone())
    };
    if let Some(message) = message {
        with_timeout(message.ack()).await.ok();
    }
    Ok(())
}

/// Returns what is not finished to the server.
async fn return_items<I: RemoteItem>(link: &Link, shared: &Shared<I>) {
    let held: Vec<_> = shared.lock().held.drain().collect();
    for (_, held) in held {
        if with_timeout(held.message.ack_with(AckKind::Nak(None)))
            .await
            .is_err()
        {
            return;
        }
    }
    link.flush().await.ok();
}
