#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod assets;
mod error;
mod files;
mod guard;
mod headers;
mod hub;
mod instance;
pub mod jobs;
mod seats;
mod server;
mod settings;
mod socket;
mod tab;
mod timing;

pub use assets::{ASSETS, Assets};
pub use error::ServeError;
pub use files::{FileKinds, FileRoots, FilesPage};
pub use guard::{BindAddress, RemoteAccess};
pub use instance::{RunningServer, open_in_browser};
pub use server::{LocalServer, PortChoice, ServeOptions};
pub use timing::ServerTiming;
