//! The services of a tab, in this process and as modules of WebAssembly.

mod answers;
mod drops;
mod files;
mod modules;
mod pages;
mod scripts;
mod speed;
mod tab;
mod threads;
mod trouble;

use std::sync::{Arc, Mutex, PoisonError};

use browser::{HostSetup, TabContext, TabFiles};
use serde_json::Value;

/// The setup of both.
const SETUP: HostSetup = HostSetup {
    threads: 1,
    hash_mib: 16,
    seed: 7,
};

/// What a context says to requests, on a thread with the stack of a search.
fn ask(game: &'static str, requests: &[Value]) -> Vec<Value> {
    let requests: Vec<_> = requests.iter().map(Value::to_string).collect();
    let work = move || {
        let said = Arc::new(Mutex::new(Vec::new()));
        let ear = Arc::clone(&said);
        let emit = move |text: &str, _| {
            let event: Value = serde_json::from_str(text).unwrap();
            ear.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(event);
        };
        let files = TabFiles::new(|_, _| {});
        let context = match game {
            "shogi" => TabContext::new(browser::shogi_services(SETUP, &files), emit),
            _ => TabContext::new(browser::othello_services(SETUP, &files), emit),
        };
        context.greet("test");
        for request in &requests {
            context.hear(request);
            while context.run_next().is_some() {}
        }
        drop(context);
        Arc::into_inner(said).unwrap().into_inner().unwrap()
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    thread.spawn(work).unwrap().join().unwrap()
}

/// What does not depend on time: answers that are complete, without the fields about time.
fn timeless(said: &[Value]) -> Vec<Value> {
    let is_complete = |event: &&Value| {
        let is_state = ["hint", "thought"].contains(&event["ev"].as_str().unwrap_or_default());
        let is_progress = event["ev"] == "progress" || event["state"] == "searching";
        !is_progress && (!is_state || event["final"] == true)
    };
    said.iter()
        .filter(is_complete)
        .cloned()
        .map(without_time)
        .collect()
}

fn without_time(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            for name in ["ms", "nps", "time_ms"] {
                fields.remove(name);
            }
            for field in fields.values_mut() {
                *field = without_time(field.take());
            }
        }
        Value::Array(items) => {
            for item in items {
                *item = without_time(item.take());
            }
        }
        _ => {}
    }
    value
}

/// The reasons for which requests ended, in their order.
fn ends(said: &[Value]) -> Vec<(u64, String)> {
    let done = said.iter().filter(|event| event["ev"] == "done");
    done.map(|event| {
        let why = event["why"].as_str().unwrap_or_default();
        (event["id"].as_u64().unwrap_or_default(), why.to_owned())
    })
    .collect()
}
