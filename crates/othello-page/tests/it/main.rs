//! The operations of the page, as its back end answers them.

mod operations;
mod samples;

use std::cell::RefCell;
use std::sync::Arc;

use othello_engine::Session;
use othello_page::{EngineNames, OthelloPage};
use othello_record::OpeningNames;
use othello_search::{PlayLevel, SearchSettings, Searcher};
use page_messages::{EventSink, PageFailure, PageRequest, PageService, StopFlag};
use serde_json::{Value, json};

/// A service with one thread and a small table, so that answers are the same each time.
fn page() -> OthelloPage {
    let settings = SearchSettings {
        hash_bytes: 1 << 20,
        threads: 1,
    };
    let searcher = Searcher::new(settings, Arc::new(othello_eval::Weights::built_in()));
    let session = Session::new(searcher, PlayLevel::Egaroucid(3));
    let names = EngineNames {
        engine: "test".to_owned(),
        weights: "built in".to_owned(),
    };
    OthelloPage::new(session, OpeningNames::built_in().clone(), names)
}

/// What was told, each with its name: of a stream only the latest state, as a slow tab gets it.
#[derive(Default)]
struct Heard(RefCell<Vec<(String, Option<u64>, Value)>>);

impl EventSink for Heard {
    fn event(&self, name: &str, fields: Value) {
        self.0.borrow_mut().push((name.to_owned(), None, fields));
    }

    fn state(&self, name: &str, key: u64, fields: Value) {
        let mut all = self.0.borrow_mut();
        all.retain(|(other, other_key, _)| other != name || *other_key != Some(key));
        all.push((name.to_owned(), Some(key), fields));
    }

    fn broadcast(&self, name: &str, fields: Value) {
        self.event(name, fields);
    }
}

/// Asks a service; the events with their names in `ev`.
fn ask_of(
    page: &dyn PageService,
    op: &str,
    fields: Value,
    stop: &StopFlag,
) -> Result<Vec<Value>, PageFailure> {
    assert!(page.effort(op).is_some(), "{op}");
    let heard = Heard::default();
    page.answer(&PageRequest::new(1, op, fields), &heard, stop)?;
    let told = heard.0.into_inner().into_iter();
    let with_name = |(name, _, mut fields): (String, Option<u64>, Value)| {
        fields["ev"] = json!(name);
        fields
    };
    Ok(told.map(with_name).collect())
}

fn ask(op: &str, fields: Value) -> Vec<Value> {
    let answer = ask_of(&page(), op, fields, &StopFlag::default());
    answer.unwrap_or_else(|failure| panic!("{op}: {failure}"))
}

fn failure(op: &str, fields: Value) -> String {
    let answer = ask_of(&page(), op, fields, &StopFlag::default());
    answer.unwrap_err().text
}

/// A position with five empty squares.
const LATE: &str = "XXXXXXX-XXOXXXX-XOXXXOXXXXOXOXXXXXXOXXXXXXXXOXXXXXXXXXXO-XXXX-O- O";
