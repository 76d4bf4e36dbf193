//! A job as others see it while it works: its status, and requests to it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use yane_clock::Instant;

use super::pausing::Pausing;
use super::progress::{Progress, Unit};
use super::resources::Job;
use super::status::{JobState, JobStatus};

/// A job as others see it. The job tells it its [`Progress`] and its end; others look at its [`status`](Self::status) at
/// any time, and ask it to pause, to go on and to stop. Cheap to clone; clones are of the same job.
///
/// ```
/// use yane_io::job::{JobMonitor, JobState};
/// use yane_io::{Error, Unit};
///
/// let monitor = JobMonitor::default();
/// assert_eq!(monitor.status().state, JobState::Queued);
/// let job = monitor.job();
/// let worker = std::thread::spawn(move || {
///     job.progress.stage("counting", Some(1000), Unit::Positions);
///     for _ in 0..1000 {
///         job.check()?;
///         job.progress.advance(1);
///     }
///     Ok::<_, Error>("1,000 positions".to_owned())
/// });
/// match worker.join().unwrap() {
///     Ok(summary) => monitor.finish(summary),
///     Err(Error::Cancelled) => monitor.end_stopped(),
///     Err(error) => monitor.fail(error.to_string()),
/// }
/// let status = monitor.status();
/// assert_eq!((status.done, status.state.name()), (1000, "done"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct JobMonitor(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    reports: Mutex<Reports>,
    /// The amount of the stage that is done.
    done: AtomicU64,
    stop: Arc<AtomicBool>,
    pausing: Pausing,
}

/// What the job has reported.
#[derive(Debug, Default)]
struct Reports {
    is_begun: bool,
    stage: Option<StageClock>,
    last_good_file: Option<PathBuf>,
    note: Option<String>,
    end: Option<JobState>,
}

/// The stage in progress.
#[derive(Debug)]
struct StageClock {
    name: String,
    total: Option<u64>,
    unit: Unit,
    /// The amount that earlier runs did.
    before: u64,
    begun: Instant,
    /// The time of pauses before it.
    paused: Duration,
    /// The time that it took, once the job has ended.
    took: Option<Duration>,
}

impl JobMonitor {
    /// A job with default [resources](Job::default) whose progress and requests are those of this.
    pub fn job(&self) -> Job {
        Job {
            progress: Arc::new(self.clone()),
            cancelled: Arc::clone(&self.0.stop),
            pausing: self.0.pausing.clone(),
            ..Job::default()
        }
    }

    /// Watches `job`, whose progress is told to this in another way: requests are those of the job.
    pub fn of_requests(job: &Job) -> Self {
        Self(Arc::new(Inner {
            stop: Arc::clone(&job.cancelled),
            pausing: job.pausing.clone(),
            ..Inner::default()
        }))
    }

    // What others see and want.

    /// What the job does now.
    pub fn status(&self) -> JobStatus {
        let reports = self.reports();
        let pausing = &self.0.pausing;
        let state = match &reports.end {
            Some(end) => end.clone(),
            None if !reports.is_begun => JobState::Queued,
            None if !pausing.is_requested() => JobState::Running,
            None if pausing.is_paused() => JobState::Paused,
            None => JobState::Pausing,
        };
        let (last_good_file, note) = (reports.last_good_file.clone(), reports.note.clone());
        let Some(stage) = &reports.stage else {
            return JobStatus {
                state,
                last_good_file,
                note,
                ..JobStatus::default()
            };
        };
        let done = self.0.done.load(Ordering::Relaxed);
        let elapsed = stage.elapsed(pausing);
        let rate = done.saturating_sub(stage.before) as f64 / elapsed.as_secs_f64().max(1e-3);
        let eta = stage.total.and_then(|total| {
            Duration::try_from_secs_f64(total.saturating_sub(done) as f64 / rate).ok()
        });
        JobStatus {
            state,
            stage: stage.name.clone(),
            done,
            total: stage.total,
            unit: stage.unit,
            rate,
            elapsed,
            eta,
            last_good_file,
            note,
        }
    }

    /// Asks the job to pause at the next safe point.
    pub fn pause(&self) {
        self.0.pausing.request();
    }

    /// Ends a pause, or takes the request for one back.
    pub fn go_on(&self) {
        self.0.pausing.release();
    }

    /// Asks the job to stop at the next safe point; a pause does not keep it from that.
    pub fn stop(&self) {
        self.0.stop.store(true, Ordering::Release);
        self.0.pausing.wake();
    }

    /// The flag by which the job is asked to stop.
    pub fn stop_flag(&self) -> &Arc<AtomicBool> {
        &self.0.stop
    }

    /// The pause of the job.
    pub fn pausing(&self) -> &Pausing {
        &self.0.pausing
    }

    // What the job tells.

    /// Begins the job, before its first stage is known.
    pub fn begin(&self) {
        self.reports().is_begun = true;
    }

    /// Begins a stage of which earlier runs did the amount `done`.
    pub fn begin_stage(&self, name: &str, total: Option<u64>, unit: Unit, done: u64) {
        let mut reports = self.reports();
        reports.is_begun = true;
        self.0.done.store(done, Ordering::Relaxed);
        reports.stage = Some(StageClock {
            name: name.to_owned(),
            total,
            unit,
            before: done,
            begun: Instant::now(),
            paused: self.0.pausing.time_paused(),
            took: None,
        });
    }

    /// Notes that the job ended with all its work done: `summary` says in a line what that was.
    pub fn finish(&self, summary: impl Into<String>) {
        let summary = summary.into();
        self.end(JobState::Done { summary });
    }

    /// Notes that the job ended with an error.
    pub fn fail(&self, text: impl Into<String>) {
        let text = text.into();
        self.end(JobState::Failed { text });
    }

    /// Notes that the job ended at a safe point, as it was asked to stop.
    pub fn end_stopped(&self) {
        self.end(JobState::Stopped);
    }

    fn end(&self, state: JobState) {
        let mut reports = self.reports();
        if let Some(stage) = &mut reports.stage {
            stage.took = Some(stage.elapsed(&self.0.pausing));
        }
        reports.end = Some(state);
    }

    fn reports(&self) -> MutexGuard<'_, Reports> {
        self.0
            .reports
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl StageClock {
    /// The time since it began, without pauses.
    fn elapsed(&self, pausing: &Pausing) -> Duration {
        self.took.unwrap_or_else(|| {
            let paused = pausing.time_paused().saturating_sub(self.paused);
            self.begun.elapsed().saturating_sub(paused)
        })
    }
}

impl Progress for JobMonitor {
    fn stage(&self, name: &str, total: Option<u64>, unit: Unit) {
        self.begin_stage(name, total, unit, 0);
    }

    fn resumed_stage(&self, name: &str, total: Option<u64>, unit: Unit, done: u64) {
        self.begin_stage(name, total, unit, done);
    }

    fn advance(&self, amount: u64) {
        self.0.done.fetch_add(amount, Ordering::Relaxed);
    }

    fn note(&self, text: &str) {
        self.reports().note = Some(text.to_owned());
    }

    fn saved(&self, path: &Path) {
        self.reports().last_good_file = Some(path.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    /// A stage of so many positions that began `seconds` ago.
    fn stage(total: Option<u64>, before: u64, done: u64, seconds: u64) -> JobStatus {
        let monitor = JobMonitor::default();
        monitor.begin_stage("thinking", total, Unit::Positions, before);
        monitor.advance(done - before);
        let begun = Instant::now().checked_sub(Duration::from_secs(seconds));
        monitor.reports().stage.as_mut().unwrap().begun = begun.unwrap();
        monitor.status()
    }

    #[test]
    fn earlier_work_counts_as_done_but_not_for_the_rate() {
        let status = stage(Some(10_000), 1000, 2000, 500);
        assert_eq!((status.done, status.total), (2000, Some(10_000)));
        assert!((status.rate - 2.0).abs() < 0.1, "{status:?}");
        let eta = status.eta.unwrap().as_secs();
        assert!((3900..=4100).contains(&eta), "{status:?}");
        assert!(status.elapsed.as_secs() >= 500);
    }

    #[test]
    fn no_time_is_estimated_without_progress_or_total() {
        assert_eq!(stage(Some(10), 3, 3, 100).eta, None);
        assert_eq!(stage(None, 0, 60, 120).eta, None);
        assert_eq!(stage(Some(60), 0, 60, 120).eta, Some(Duration::ZERO));
    }

    #[test]
    fn a_job_pauses_goes_on_and_stops_when_asked_to() {
        let monitor = JobMonitor::default();
        let state = || monitor.status().state;
        assert_eq!(state(), JobState::Queued);
        let wait_for = |wanted: &JobState| {
            let end = Instant::now() + Duration::from_secs(60);
            while state() != *wanted {
                assert!(Instant::now() < end, "{:?}, not {wanted:?}", state());
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        let job = monitor.job();
        let (may_work, work) = std::sync::mpsc::channel();
        let error = std::thread::scope(|scope| {
            let worker = scope.spawn(move || {
                job.progress.stage("counting", None, Unit::Games);
                for () in work {
                    job.check()?;
                    job.progress.advance(1);
                }
                loop {
                    job.check()?;
                }
            });
            wait_for(&JobState::Running);
            monitor.pause();
            assert_eq!(state(), JobState::Pausing);
            may_work.send(()).unwrap();
            wait_for(&JobState::Paused);
            let elapsed = monitor.status().elapsed;
            std::thread::sleep(Duration::from_millis(200));
            let more = monitor.status().elapsed.saturating_sub(elapsed);
            assert!(more < Duration::from_millis(150), "{more:?}");
            monitor.go_on();
            assert_eq!(state(), JobState::Running);
            // A pause that comes sooner is the same one to whoever has not woken up.
            while monitor.status().done == 0 {
                std::thread::yield_now();
            }
            drop(may_work);
            monitor.pause();
            wait_for(&JobState::Paused);
            monitor.stop();
            worker.join().unwrap()
        });
        let error: Result<(), Error> = error;
        assert!(matches!(error, Err(Error::Cancelled)));
        monitor.end_stopped();
        assert_eq!((state(), monitor.status().done), (JobState::Stopped, 1));
        let took = monitor.status().elapsed;
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(monitor.status().elapsed, took);
    }

    #[test]
    fn files_and_remarks_are_the_last() {
        let monitor = JobMonitor::default();
        monitor.begin();
        for name in ["a.db", "b.db"] {
            monitor.saved(Path::new(name));
            monitor.note(name);
        }
        monitor.fail("no space");
        let status = monitor.status();
        assert_eq!(status.last_good_file, Some("b.db".into()));
        assert_eq!(status.note.as_deref(), Some("b.db"));
        let text = "no space".to_owned();
        assert_eq!(status.state, JobState::Failed { text });
    }
}
