#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod args;
mod page;
mod roots;

pub use args::ServeArgs;
pub use page::{PageLife, Reuse, ServedPage};
pub use roots::{config_folder, file_roots};
