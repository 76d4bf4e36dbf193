//! The requests about runs.

use std::sync::Arc;

use page_messages::{AllPages, Effort, EventSink, PageFailure, PageRequest, PageService, StopFlag};
use serde::Deserialize;

use crate::watch::RunWatch;

#[derive(Deserialize)]
struct OfRun {
    run: String,
}

impl PageService for RunWatch {
    fn start(&self, pages: &Arc<dyn AllPages>) {
        self.begin(pages);
    }

    fn capabilities(&self) -> Vec<String> {
        vec!["runs".to_owned()]
    }

    fn effort(&self, op: &str) -> Option<Effort> {
        matches!(op, "runs" | "run").then_some(Effort::Quick)
    }

    fn answer(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        _: &StopFlag,
    ) -> Result<(), PageFailure> {
        if request.op == "runs" {
            sink.event("runs", self.list());
            return Ok(());
        }
        let OfRun { run } = request.read()?;
        let fields = self.details(&run);
        let fields = fields.ok_or_else(|| PageFailure::new(format!("there is no run '{run}'")))?;
        sink.event("run", fields);
        Ok(())
    }
}
