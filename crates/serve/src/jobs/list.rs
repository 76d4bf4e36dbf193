//! The list of jobs: who works, who waits, and what is kept of those that have ended.

use std::collections::{HashMap, VecDeque};

use page_messages::PageFailure;
use serde_json::Value;
use yane_io::job::{JobMonitor, JobState, JobStatus};

use super::record::JobRecord;
use super::work::{JobEnd, JobPlan};

/// Jobs that may wait.
const MOST_WAITING: usize = 100;

/// Jobs that are kept of those that are done or failed, and as many of those that stopped.
const KEPT: usize = 50;

/// The jobs, in the order of their numbers.
#[derive(Debug, Default)]
pub(crate) struct JobList {
    last: u64,
    jobs: Vec<JobRecord>,
    /// Those that wait, in their order.
    queue: VecDeque<u64>,
    /// Those that work or are paused.
    live: HashMap<u64, JobMonitor>,
    /// Those that are not kept any more, and may have left texts.
    forgotten: Vec<u64>,
}

impl JobList {
    /// The list as an earlier program left it.
    pub(crate) fn of_file(last: u64, mut jobs: Vec<JobRecord>) -> Self {
        let unfinished = jobs.iter_mut().filter(|job| !job.status.state.has_ended());
        unfinished.for_each(JobRecord::was_left);
        let mut list = Self {
            last,
            jobs,
            ..Self::default()
        };
        list.trim();
        list
    }

    pub(crate) fn jobs(&self) -> &[JobRecord] {
        &self.jobs
    }

    pub(crate) const fn last(&self) -> u64 {
        self.last
    }

    /// The number of jobs that work or are paused.
    pub(crate) fn live(&self) -> usize {
        self.live.len()
    }

    /// The jobs that were forgotten since this was last asked.
    pub(crate) fn take_forgotten(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.forgotten)
    }

    /// The number for a job that is being planned.
    pub(crate) fn next_number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Refuses more jobs than may wait.
    pub(crate) fn check_room(&self) -> Result<(), PageFailure> {
        if self.queue.len() < MOST_WAITING {
            return Ok(());
        }
        let text = format!("{MOST_WAITING} jobs are waiting: no more can be started");
        Err(PageFailure::new(text))
    }

    /// Adds a job, which waits.
    pub(crate) fn add(&mut self, record: JobRecord) {
        self.queue.push_back(record.job);
        let at = self.jobs.partition_point(|other| other.job < record.job);
        self.jobs.insert(at, record);
    }

    /// Takes a job away that was only just added.
    pub(crate) fn remove(&mut self, job: u64) {
        self.queue.retain(|&waiting| waiting != job);
        self.jobs.retain(|other| other.job != job);
    }

    fn record(&mut self, job: u64) -> Result<&mut JobRecord, PageFailure> {
        let record = self.jobs.iter_mut().find(|other| other.job == job);
        record.ok_or_else(|| PageFailure::new(format!("there is no job {job}")))
    }

    /// How far a job is now.
    fn status(&self, record: &JobRecord) -> JobStatus {
        let live = self.live.get(&record.job);
        live.map_or_else(|| record.status.clone(), JobMonitor::status)
    }

    /// The fields of the events of all jobs.
    pub(crate) fn fields(&self) -> Vec<(u64, Value)> {
        let jobs = self.jobs.iter();
        jobs.map(|job| (job.job, job.fields(&self.status(job))))
            .collect()
    }

    /// The fields of the event of a job.
    pub(crate) fn fields_of(&self, job: u64) -> Option<Value> {
        let record = self.jobs.iter().find(|other| other.job == job)?;
        Some(record.fields(&self.status(record)))
    }

    /// Begins the first job that may work now: its lane is free, and neither a job that works nor one that waits longer is in its way.
    pub(crate) fn begin_next(&mut self) -> Option<(u64, JobPlan, JobMonitor)> {
        let plan_of = |job: u64| self.jobs.iter().find(|other| other.job == job);
        let mut before: Vec<&JobRecord> =
            self.live.keys().filter_map(|&job| plan_of(job)).collect();
        let mut lanes: Vec<_> = before.iter().map(|job| job.plan.lane).collect();
        let mut found = None;
        for &waiting in &self.queue {
            let Some(record) = plan_of(waiting) else {
                continue;
            };
            let is_free = !lanes.contains(&record.plan.lane);
            let mut others = before.iter();
            if is_free && others.all(|other| !other.plan.is_in_the_way_of(&record.plan)) {
                found = Some((record.job, record.plan.clone()));
                break;
            }
            // Those of a lane keep their order, too.
            lanes.push(record.plan.lane);
            before.push(record);
        }
        let (job, plan) = found?;
        self.queue.retain(|&waiting| waiting != job);
        let monitor = JobMonitor::default();
        monitor.begin();
        self.live.insert(job, monitor.clone());
        Some((job, plan, monitor))
    }

    /// Notes how a job ended.
    pub(crate) fn end(&mut self, job: u64, end: JobEnd) {
        let Some(monitor) = self.live.remove(&job) else {
            return;
        };
        let Ok(record) = self.record(job) else {
            return;
        };
        match end {
            JobEnd::Done { summary, result } => {
                monitor.finish(summary);
                record.result = result;
            }
            JobEnd::Stopped { text } => {
                monitor.end_stopped();
                record.stopped = Some(text);
            }
            JobEnd::Failed { text } => monitor.fail(text),
        }
        record.status = monitor.status();
        self.trim();
    }

    /// Asks a job to pause.
    pub(crate) fn pause(&mut self, job: u64) -> Result<(), PageFailure> {
        self.record(job)?;
        let live = self.live.get(&job);
        live.ok_or_else(|| PageFailure::new(format!("job {job} does not work")))?
            .pause();
        Ok(())
    }

    /// Lets a paused job go on; `false` if it has to be begun again.
    pub(crate) fn go_on(&mut self, job: u64) -> Result<bool, PageFailure> {
        if let Some(monitor) = self.live.get(&job) {
            monitor.go_on();
            return Ok(true);
        }
        let record = self.record(job)?;
        if record.can_go_on() {
            return Ok(false);
        }
        let state = record.status.state.name();
        Err(PageFailure::new(format!("job {job} is {state}")))
    }

    /// The plan of a job.
    pub(crate) fn plan(&mut self, job: u64) -> Result<JobPlan, PageFailure> {
        Ok(self.record(job)?.plan.clone())
    }

    /// Lets a job that has ended wait again.
    pub(crate) fn queue_again(&mut self, job: u64) -> Result<(), PageFailure> {
        let record = self.record(job)?;
        if record.can_go_on() {
            record.queue_again();
            self.queue.push_back(job);
        }
        Ok(())
    }

    /// Asks a job to stop; one that waits does at once.
    pub(crate) fn stop(&mut self, job: u64) -> Result<(), PageFailure> {
        if let Some(monitor) = self.live.get(&job) {
            monitor.stop();
            return Ok(());
        }
        let record = self.record(job)?;
        if record.status.state == JobState::Queued {
            record.status.state = JobState::Stopped;
            record.stopped = Some("it had not begun".to_owned());
            self.queue.retain(|&waiting| waiting != job);
            self.trim();
        }
        Ok(())
    }

    /// Asks all jobs to stop.
    pub(crate) fn stop_all(&mut self) {
        let waiting: Vec<u64> = self.queue.iter().copied().collect();
        for job in self.live.keys().copied().collect::<Vec<_>>() {
            let _it_is_there = self.stop(job);
        }
        for job in waiting {
            let _it_is_there = self.stop(job);
        }
    }

    /// Forgets the oldest of those that have ended.
    fn trim(&mut self) {
        let mut forgotten = Vec::new();
        let mut forget = |jobs: &mut Vec<JobRecord>, is_one: &dyn Fn(&JobState) -> bool| {
            let count = jobs.iter().filter(|job| is_one(&job.status.state)).count();
            let mut over = count.saturating_sub(KEPT);
            jobs.retain(|job| {
                let goes = over > 0 && is_one(&job.status.state);
                if goes {
                    over -= 1;
                    forgotten.push(job.job);
                }
                !goes
            });
        };
        forget(&mut self.jobs, &|state| *state == JobState::Stopped);
        forget(&mut self.jobs, &|state| {
            matches!(state, JobState::Done { .. } | JobState::Failed { .. })
        });
        self.forgotten.append(&mut forgotten);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::lane::JobLane;

    fn record(list: &mut JobList, lane: JobLane, writes: &str) -> JobRecord {
        let plan = JobPlan {
            words: Vec::new(),
            command: "c".to_owned(),
            lane,
            reads: Vec::new(),
            writes: vec![writes.to_owned()],
            output: None,
            program: None,
        };
        JobRecord::new(list.next_number(), "kind".to_owned(), plan)
    }

    fn add(list: &mut JobList, lane: JobLane, writes: &str) -> u64 {
        let record = record(list, lane, writes);
        let job = record.job;
        list.add(record);
        job
    }

    fn done() -> JobEnd {
        JobEnd::Done {
            summary: "all".to_owned(),
            result: None,
        }
    }

    #[test]
    fn one_job_of_a_lane_works_and_none_beside_another_writer_of_its_file() {
        let mut list = JobList::default();
        let first = add(&mut list, JobLane::Search, "a");
        let same_lane = add(&mut list, JobLane::Search, "b");
        let same_file = add(&mut list, JobLane::Files, "a");
        let free = add(&mut list, JobLane::Files, "c");
        let begun = |list: &mut JobList| list.begin_next().map(|(job, ..)| job);
        assert_eq!(begun(&mut list), Some(first));
        // What waits for the file holds its lane: jobs of a lane keep their order.
        assert_eq!(begun(&mut list), None);
        list.end(first, done());
        assert_eq!(begun(&mut list), Some(same_lane));
        assert_eq!(begun(&mut list), Some(same_file));
        assert_eq!(begun(&mut list), None);
        list.end(same_file, done());
        assert_eq!(begun(&mut list), Some(free));
        assert_eq!(list.live(), 2);
    }

    #[test]
    fn the_list_keeps_the_last_of_those_that_ended() {
        let mut list = JobList::default();
        for _ in 0..KEPT + 10 {
            let job = add(&mut list, JobLane::Files, "a");
            list.begin_next().unwrap();
            list.end(job, done());
            let job = add(&mut list, JobLane::Files, "a");
            list.stop(job).unwrap();
        }
        assert_eq!(list.jobs().len(), 2 * KEPT);
        assert_eq!(list.take_forgotten(), (1..=20).collect::<Vec<_>>());
        assert_eq!(list.jobs()[0].job, 21);
        let unfinished = add(&mut list, JobLane::Files, "a");
        let read = JobList::of_file(list.last(), list.jobs().to_vec());
        let last = read.jobs().last().unwrap();
        assert_eq!(last.job, unfinished);
        assert_eq!(last.status.state, JobState::Stopped);
        assert!(last.stopped.as_deref().unwrap().contains("program ended"));
    }

    #[test]
    fn so_many_may_wait() {
        let mut list = JobList::default();
        for _ in 0..MOST_WAITING {
            list.check_room().unwrap();
            add(&mut list, JobLane::Search, "a");
        }
        let told = list.check_room().unwrap_err();
        assert!(told.text.contains("100 jobs are waiting"), "{told}");
        list.stop_all();
        list.check_room().unwrap();
    }

    #[test]
    fn what_a_job_is_not_told_of() {
        let mut list = JobList::default();
        let told = |done: Result<(), PageFailure>| done.unwrap_err().text;
        assert_eq!(told(list.stop(3)), "there is no job 3");
        let job = add(&mut list, JobLane::Files, "a");
        assert_eq!(told(list.pause(job)), "job 1 does not work");
        assert_eq!(list.go_on(job).unwrap_err().text, "job 1 is queued");
        list.begin_next().unwrap();
        assert!(list.go_on(job).unwrap());
        list.end(job, done());
        assert_eq!(list.go_on(job).unwrap_err().text, "job 1 is done");
        list.stop(job).unwrap();
        assert_eq!(list.fields_of(job).unwrap()["state"], "done");
    }
}
