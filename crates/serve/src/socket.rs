//! The socket of a tab: frames in, events out, at most so many times a second.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::extract::ws::{Message, WebSocket};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use page_messages::{PageFailure, Urgency, unasked_error};
use tokio::time::{MissedTickBehavior, interval, sleep_until, timeout};

use crate::hub::Hub;
use crate::tab::Tab;
use crate::timing::ServerTiming;

/// When something was heard of a tab.
type Heard = Mutex<Instant>;

/// Serves a tab until its socket closes or nothing is heard of it.
pub(crate) async fn serve(hub: Arc<Hub>, socket: WebSocket, timing: ServerTiming) {
    let tab = hub.open();
    let (sender, receiver) = socket.split();
    let heard = Mutex::new(Instant::now());
    tokio::select! {
        () = write(&tab, sender, timing, &heard) => {}
        () = read(&hub, &tab, receiver, &heard) => {}
    }
    hub.close(&tab);
}

async fn read(hub: &Arc<Hub>, tab: &Arc<Tab>, mut receiver: SplitStream<WebSocket>, heard: &Heard) {
    // An error ends the connection: a frame that is too long, or a socket that broke.
    while let Some(Ok(message)) = receiver.next().await {
        *heard.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        match message {
            Message::Text(text) => hub.hear(tab, &text),
            Message::Binary(_) => {
                let failure = PageFailure::new("text was expected");
                tab.send(None, unasked_error(&failure));
            }
            Message::Close(_) => return,
            Message::Ping(_) | Message::Pong(_) => {}
        }
    }
}

async fn write(
    tab: &Tab,
    mut sender: SplitSink<WebSocket, Message>,
    timing: ServerTiming,
    heard: &Heard,
) {
    let mut ping = interval(timing.ping);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // States may be sent from here on.
    let mut due = tokio::time::Instant::now();
    while !tab.is_closed() {
        let (urgency, has_states) = tab.waiting();
        let now = tokio::time::Instant::now();
        let texts = match urgency {
            Some(_) if now >= due || !has_states => {
                if has_states {
                    due = now + timing.states;
                }
                tab.take()
            }
            Some(Urgency::Now) => tab.take_urgent(),
            Some(Urgency::Soon) | None => Vec::new(),
        };
        if !texts.is_empty() {
            let all = send_all(&mut sender, texts);
            if !matches!(timeout(timing.silence, all).await, Ok(Ok(()))) {
                return;
            }
            continue;
        }
        tokio::select! {
            () = tab.wake.notified() => {}
            () = sleep_until(due), if urgency.is_some() => {}
            _ = ping.tick() => {
                let heard = *heard.lock().unwrap_or_else(PoisonError::into_inner);
                let sent = sender.send(Message::Ping(Vec::new().into()));
                if heard.elapsed() > timing.silence || !matches!(timeout(timing.silence, sent).await, Ok(Ok(()))) {
                    return;
                }
            }
        }
    }
}

async fn send_all(
    sender: &mut SplitSink<WebSocket, Message>,
    texts: Vec<String>,
) -> Result<(), axum::Error> {
    for text in texts {
        sender.feed(Message::Text(text.into())).await?;
    }
    sender.flush().await
}
