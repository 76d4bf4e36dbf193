//! The messages between a page and its back end, whoever that is: a server, or a module inside the tab.
//!
//! * [`PageRequest`]: what the page asks; [`PageCommand`]: all that it can say.
//! * [`PageService`]: who answers requests, by [`EventSink`], on a thread of the caller's.
//! * [`EventQueue`]: the events of a tab that have not been sent; of a stream only the latest counts.
//! * [`PageServices`]: several services as one; [`PageFiles`]: files by the names that pages know.
//! * [`Hello`], [`DoneReason`], [`PageFailure`]: the frame around the answers.
//!
//! Nothing here knows a game, opens a socket or a file, or starts a thread.

#![forbid(unsafe_code)]

mod event;
mod failure;
mod files;
mod queue;
mod request;
mod service;
mod services;

pub use event::{DoneReason, Hello, PROTOCOL, broadcast, done_event, event_text, unasked_error};
pub use failure::{FailurePlace, PageFailure};
pub use files::{PageFile, PageFiles, is_device_name};
pub use queue::{EventQueue, QueueFull, Urgency};
pub use request::{PageCommand, PageRequest};
pub use service::{AllPages, Effort, EventSink, PageService, StopFlag};
pub use services::PageServices;

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
