//! The requests about jobs, and the threads that do them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use page_messages::{AllPages, Effort, EventSink, PageFailure, PageRequest, PageService, StopFlag};
use serde::Deserialize;
use serde_json::{Value, json};
use yane_io::Job;
use yane_io::job::JobMonitor;

use super::files::JobFiles;
use super::list::JobList;
use super::record::JobRecord;
use super::told::{Broadcasts, INTERVAL, WorkProgress};
use super::work::{JobEnd, JobFolder, JobPlan, JobRequest, JobWork};
use crate::ServeError;

/// The jobs of a server: answers `jobs`, `job.kinds`, `job.start`, `job.pause`, `job.resume` and `job.stop`, and broadcasts `job`.
/// Cheap to clone; clones are of the same jobs. The last one that goes asks all jobs to stop.
#[derive(Clone)]
pub struct PageJobs(Arc<Owner>);

struct Owner(Arc<Shared>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.close();
    }
}

struct Shared {
    work: Arc<dyn JobWork>,
    files: JobFiles,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    list: JobList,
    /// No job begins any more.
    is_closed: bool,
}

impl State {
    /// Refuses jobs that would never begin.
    fn check_open(&self) -> Result<(), PageFailure> {
        if self.is_closed {
            let text = "the server ends: no job begins any more";
            return Err(PageFailure::new(text));
        }
        self.list.check_room()
    }
}

#[derive(Deserialize)]
struct OfJob {
    job: u64,
}

impl PageJobs {
    /// The jobs that are listed below a folder: those that an earlier server did not finish are stopped ones.
    ///
    /// # Errors
    ///
    /// A folder that cannot be written to; a list that is none.
    pub fn open(folder: &Path, work: Arc<dyn JobWork>) -> Result<Self, ServeError> {
        let files = JobFiles::claim(folder)?;
        work.opened(files.folder());
        let (last, jobs) = files.load()?;
        let list = JobList::of_file(last, jobs);
        files.sweep(list.jobs());
        let state = State {
            list,
            is_closed: false,
        };
        Ok(Self(Arc::new(Owner(Arc::new(Shared {
            work,
            files,
            state: Mutex::new(state),
            changed: Condvar::new(),
        })))))
    }

    /// Asks all jobs to stop, and waits for that, but not longer than `most`. No job begins any more.
    pub fn shut_down(&self, most: Duration) {
        let shared = &self.0.0;
        shared.close();
        let end = Instant::now() + most;
        let mut state = shared.state();
        while state.list.live() > 0 {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let waited = shared.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl PageService for PageJobs {
    fn start(&self, pages: &Arc<dyn AllPages>) {
        let (shared, pages) = (Arc::clone(&self.0.0), Arc::clone(pages));
        let thread = std::thread::Builder::new().name("jobs".to_owned());
        // Without the thread pages see only what they ask for.
        let _told = thread.spawn(move || shared.tell_pages(&*pages));
    }

    fn capabilities(&self) -> Vec<String> {
        let mut all = vec!["jobs".to_owned()];
        all.extend(self.0.0.work.capabilities());
        all
    }

    fn effort(&self, op: &str) -> Option<Effort> {
        let ops = [
            "jobs",
            "job.kinds",
            "job.start",
            "job.pause",
            "job.resume",
            "job.stop",
        ];
        ops.contains(&op).then_some(Effort::Quick)
    }

    fn answer(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        _: &StopFlag,
    ) -> Result<(), PageFailure> {
        let shared = &self.0.0;
        let job = match request.op.as_str() {
            "jobs" => {
                let jobs = shared.state().list.fields();
                let jobs: Vec<Value> = jobs.into_iter().map(|(_, fields)| fields).collect();
                sink.event("jobs", json!({ "jobs": jobs }));
                return Ok(());
            }
            "job.kinds" => {
                sink.event("kinds", json!({ "kinds": shared.work.kinds() }));
                return Ok(());
            }
            "job.start" => shared.begin(&request.read()?)?,
            op => {
                let OfJob { job } = request.read()?;
                match op {
                    "job.pause" => shared.state().list.pause(job)?,
                    "job.resume" => shared.resume(job)?,
                    _ => shared.stop(job)?,
                }
                job
            }
        };
        shared.changed.notify_all();
        if let Some(fields) = shared.state().list.fields_of(job) {
            sink.event("job", fields);
        }
        Ok(())
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.list.stop_all();
        // What cannot be written now is found stopped anyway.
        let _stopped = self.save(&mut state.list);
        drop(state);
        self.changed.notify_all();
    }

    /// Writes the list, and removes the texts of jobs that it does not have any more.
    fn save(&self, list: &mut JobList) -> Result<(), PageFailure> {
        for job in list.take_forgotten() {
            self.files.sweep_of(job);
        }
        let saved = self.files.save(list.last(), list.jobs());
        saved.map_err(|error| PageFailure::of(&error))
    }

    /// Plans a job and lets it wait: its number.
    fn begin(self: &Arc<Self>, request: &JobRequest) -> Result<u64, PageFailure> {
        let job = {
            let mut state = self.state();
            state.check_open()?;
            state.list.next_number()
        };
        let folder = JobFolder::new(self.files.folder().to_owned(), job);
        let planned = self.work.plan(request, &folder);
        let planned = planned.and_then(|plan| self.work.check(&plan).map(|()| plan));
        let added = planned.and_then(|plan| {
            let mut state = self.state();
            // Others may have come meanwhile.
            state.check_open()?;
            let record = JobRecord::new(job, request.kind.clone(), plan);
            state.list.add(record);
            self.save(&mut state.list)
                .inspect_err(|_| state.list.remove(job))
        });
        added.inspect_err(|_| self.files.sweep_of(job))?;
        self.run_next();
        Ok(job)
    }

    fn resume(self: &Arc<Self>, job: u64) -> Result<(), PageFailure> {
        let plan = {
            let mut state = self.state();
            if state.list.go_on(job)? {
                return Ok(());
            }
            state.check_open()?;
            state.list.plan(job)?
        };
        self.work.check(&plan)?;
        {
            let mut state = self.state();
            state.list.queue_again(job)?;
            self.save(&mut state.list)?;
        }
        self.run_next();
        Ok(())
    }

    fn stop(&self, job: u64) -> Result<(), PageFailure> {
        let mut state = self.state();
        state.list.stop(job)?;
        self.save(&mut state.list)
    }

    /// Begins all jobs that may work now.
    fn run_next(self: &Arc<Self>) {
        let mut state = self.state();
        while !state.is_closed {
            let Some((job, plan, monitor)) = state.list.begin_next() else {
                break;
            };
            let shared = Arc::clone(self);
            let thread = std::thread::Builder::new().name(format!("job {job}"));
            let begun = thread.spawn(move || shared.run(job, &plan, &monitor));
            if let Err(error) = begun {
                let text = error.to_string();
                state.list.end(job, JobEnd::Failed { text });
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Does a job, on this thread.
    fn run(self: &Arc<Self>, job: u64, plan: &JobPlan, monitor: &JobMonitor) {
        let progress = WorkProgress {
            monitor: monitor.clone(),
            work: Arc::clone(&self.work),
        };
        let watched = Job {
            progress: Arc::new(progress),
            ..monitor.job()
        };
        // Its files may have changed while it waited.
        let end = match self.work.check(plan) {
            Err(failure) => JobEnd::Failed { text: failure.text },
            Ok(()) => catch_unwind(AssertUnwindSafe(|| self.work.run(plan, &watched)))
                .unwrap_or_else(|panic| JobEnd::Failed {
                    text: panic_text(&*panic),
                }),
        };
        let mut state = self.state();
        state.list.end(job, end);
        // The list is written again with the next change; a job that is found unfinished is a stopped one.
        let _written_later = self.save(&mut state.list);
        drop(state);
        self.run_next();
    }

    /// Tells all pages how jobs go on, until no job begins any more and none works.
    fn tell_pages(&self, pages: &dyn AllPages) {
        let mut broadcasts = Broadcasts::default();
        let mut state = self.state();
        broadcasts.begin(state.list.fields());
        loop {
            let jobs = state.list.fields();
            let (live, is_closed) = (state.list.live(), state.is_closed);
            drop(state);
            broadcasts.tell(jobs, pages);
            if is_closed && live == 0 {
                return;
            }
            std::thread::sleep(broadcasts.wait());
            state = self.state();
            // What changed while nobody waited is told at once.
            if !broadcasts.is_told(&state.list.fields()) || state.is_closed != is_closed {
                continue;
            }
            state = if state.list.live() == 0 {
                let waited = self.changed.wait(state);
                waited.unwrap_or_else(PoisonError::into_inner)
            } else {
                let waited = self.changed.wait_timeout(state, INTERVAL);
                waited.unwrap_or_else(PoisonError::into_inner).0
            };
        }
    }
}

/// The text of a panic.
fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    let text = text.unwrap_or("it panicked");
    format!("this is an error of the program itself: {text}")
}
