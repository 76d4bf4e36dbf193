//! Jobs of the page: programs of this project, after which the opened books are what they wrote.

use std::path::Path;
use std::sync::Arc;

use page_messages::PageFailure;
use run_watch::ProgramJobs;
use serve::jobs::{JobEnd, JobFolder, JobKindInfo, JobPlan, JobRequest, JobWork};
use shogi_shelf::ShogiBookShelf;
use yane_io::Job;

/// Programs as jobs, beside opened books.
pub(crate) struct ShelfJobs {
    pub(crate) programs: Arc<ProgramJobs>,
    pub(crate) shelf: ShogiBookShelf,
}

impl JobWork for ShelfJobs {
    fn plan(&self, request: &JobRequest, folder: &JobFolder) -> Result<JobPlan, PageFailure> {
        self.programs.plan(request, folder)
    }

    fn check(&self, plan: &JobPlan) -> Result<(), PageFailure> {
        self.programs.check(plan)?;
        for file in &plan.writes {
            let path = yane_io::path_of_text(file);
            if self.shelf.edits_of(&path).is_some_and(|edits| edits > 0) {
                let name = path.file_name().unwrap_or(path.as_os_str()).display();
                let text = "is open with edits that are not saved: save or discard them first";
                return Err(PageFailure::new(format!("{name} {text}")));
            }
        }
        Ok(())
    }

    fn run(&self, plan: &JobPlan, job: &Job) -> JobEnd {
        self.programs.run(plan, job)
    }

    fn written(&self, path: &Path) {
        self.programs.written(path);
        // Whoever looks the book up is told why it cannot be read.
        let _told_later = self.shelf.written(path);
    }

    fn opened(&self, folder: &Path) {
        self.programs.opened(folder);
    }

    fn knows(&self, kind: &str) -> bool {
        self.programs.knows(kind)
    }

    fn capabilities(&self) -> Vec<String> {
        self.programs.capabilities()
    }

    fn kinds(&self) -> Vec<JobKindInfo> {
        self.programs.kinds()
    }
}
