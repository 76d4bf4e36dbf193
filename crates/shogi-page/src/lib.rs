#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod base64;
mod books;
mod check;
mod engines;
mod export;
mod fields;
mod game_fields;
mod import;
mod info_fields;
mod line;
mod opened;
mod openings;
mod position;
mod search;
mod service;

pub use books::{BookAdvice, NoBooks, PageBooks};
pub use engines::{OwnEngine, UsiEngine, UsiSettings};
pub use game_fields::RecordFields;
pub use opened::OpenedGames;
pub use service::ShogiPage;
