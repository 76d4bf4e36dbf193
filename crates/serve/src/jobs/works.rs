//! Jobs of two sorts in one list: those that the server does itself, and programs.

use std::path::Path;
use std::sync::Arc;

use page_messages::PageFailure;
use yane_io::Job;

use super::kinds::JobKindInfo;
use super::work::{JobEnd, JobFolder, JobPlan, JobRequest, JobWork};

/// Jobs that the server does itself, and programs, in one list.
pub struct JobWorks {
    own: Arc<dyn JobWork>,
    programs: Arc<dyn JobWork>,
}

impl JobWorks {
    /// The two sorts. Requests of kinds that `programs` knows go there.
    pub fn new(own: Arc<dyn JobWork>, programs: Arc<dyn JobWork>) -> Self {
        Self { own, programs }
    }

    fn of_kind(&self, kind: &str) -> &dyn JobWork {
        if self.programs.knows(kind) {
            &*self.programs
        } else {
            &*self.own
        }
    }

    fn of_plan(&self, plan: &JobPlan) -> &dyn JobWork {
        if plan.program.is_some() {
            &*self.programs
        } else {
            &*self.own
        }
    }
}

impl JobWork for JobWorks {
    fn plan(&self, request: &JobRequest, folder: &JobFolder) -> Result<JobPlan, PageFailure> {
        self.of_kind(&request.kind).plan(request, folder)
    }

    fn check(&self, plan: &JobPlan) -> Result<(), PageFailure> {
        self.of_plan(plan).check(plan)
    }

    fn run(&self, plan: &JobPlan, job: &Job) -> JobEnd {
        self.of_plan(plan).run(plan, job)
    }

    fn written(&self, path: &Path) {
        self.own.written(path);
        self.programs.written(path);
    }

    fn opened(&self, folder: &Path) {
        self.own.opened(folder);
        self.programs.opened(folder);
    }

    fn knows(&self, kind: &str) -> bool {
        self.own.knows(kind) || self.programs.knows(kind)
    }

    fn capabilities(&self) -> Vec<String> {
        let mut all = self.own.capabilities();
        all.extend(self.programs.capabilities());
        all
    }

    fn kinds(&self) -> Vec<JobKindInfo> {
        let mut all = self.own.kinds();
        all.extend(self.programs.kinds());
        all
    }
}
