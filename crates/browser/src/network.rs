//! `engine.load`: the network or the weights that the engine plays with.

use std::path::Path;

use page_messages::{Effort, EventSink, PageFailure, PageRequest, PageService, StopFlag};
use serde::Deserialize;
use serde_json::Value;

use crate::files::TabFiles;

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
struct NetworkRequest {
    /// The name of a file; without it, what is built in.
    #[serde(default)]
    path: Option<String>,
}

/// Has the engine of a page take files of the tab.
pub(crate) struct EngineNetwork<T, E> {
    /// What the request asks of the engine.
    pub(crate) effort: Effort,
    /// Has the engine play with a file; without one, with what is built in.
    pub(crate) take: T,
    /// The engines in messages.
    pub(crate) engines: E,
}

impl<T, E> PageService for EngineNetwork<T, E>
where
    T: Fn(Option<&Path>) -> Result<(), PageFailure> + Send + Sync,
    E: Fn() -> Value + Send + Sync,
{
    fn capabilities(&self) -> Vec<String> {
        vec!["networks".to_owned()]
    }

    fn effort(&self, op: &str) -> Option<Effort> {
        (op == "engine.load").then_some(self.effort)
    }

    fn answer(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        _: &StopFlag,
    ) -> Result<(), PageFailure> {
        let NetworkRequest { path } = request.read()?;
        let path = path.map(|name| TabFiles::path(&name)).transpose()?;
        (self.take)(path.as_deref())?;
        sink.broadcast("engine", (self.engines)());
        Ok(())
    }
}
