//! Shogi engines as workers of a [`farm`].
//!
//! * [`Engine`]: an engine as settings describe it; [`settings`]: files of them, and their checks.
//! * [`EnginePool`]: the engines of a run, in this process ([`EmbeddedEngine`]), as programs, or over ssh.
//! * [`Work`]: what is done with an engine about one work item, and its output.
//! * [`contents_of`]: checksums of what decides the answers of engines: networks, books, programs.
//! * [`SentContents`], [`SharedContents`]: the same of the workers of a queue, compared.
//! * [`EngineWorkers`]: the engines of a pool at such work, as [`farm::Workers`].
//! * [`searchers`]: searchers of this process at any work, as [`farm::Workers`].
//! * With the feature `teacher`, work on teacher data: new scores for its positions ([`rescore`](mod@rescore)), and quiet positions in
//!   place of others ([`qsearch_psv`]).
//!
//! Without the feature `engines`, which is on by default, there are only the descriptions of engines.
#![cfg_attr(not(feature = "teacher"), allow(rustdoc::broken_intra_doc_links))]
#![forbid(unsafe_code)]

#[cfg(feature = "engines")]
mod contents;
mod error;
#[cfg(feature = "engines")]
mod pool;
#[cfg(feature = "teacher")]
mod qsearch_psv;
#[cfg(feature = "teacher")]
pub mod rescore;
#[cfg(feature = "engines")]
mod searchers;
#[cfg(feature = "engines")]
mod sent_contents;
pub mod settings;
#[cfg(all(test, feature = "teacher"))]
mod test_notes;
#[cfg(feature = "engines")]
mod work;

#[cfg(feature = "engines")]
pub use contents::{EngineContents, contents_of, with_contents};
pub use error::{EngineSetupError, ProgramProblem, SettingsError};
#[cfg(feature = "engines")]
pub use pool::{EmbeddedEngine, EnginePool, EnginePresets, engine_command};
#[cfg(feature = "teacher")]
pub use qsearch_psv::{QsearchError, QsearchSummary, qsearch_psv};
#[cfg(feature = "engines")]
pub use searchers::searchers;
#[cfg(feature = "engines")]
pub use sent_contents::{SentContents, SentContentsError, SharedContents};
pub use settings::{Engine, check_programs};
#[cfg(feature = "engines")]
pub use work::{EngineWorker, EngineWorkers, Work, WorkerContext, work_error};
