//! `think` and `endless_extend_tree` with many machines.

use std::process::ExitCode;
use std::time::Duration;

use bookwork::BookRunEvent;
use bookwork::endless::{self, Endless};
use bookwork::think::{Task, Think, queue, work};
use farm::EnginePool;
use farm::queue::Queue;

use super::{Run, list_problems, print_result, screen};
use crate::thinking::{FATE, engines, lines, plain, work_lines};

impl Run<'_> {
    /// Hands out positions at `url`, and keeps the book.
    pub(super) fn serve(
        &self,
        options: Think,
        url: &str,
        lease: Duration,
    ) -> anyhow::Result<ExitCode> {
        let engines = engines(self.engines, self.job.threads)?;
        // A process that hands out positions searches none.
        let screen = screen(self.limits, self.settings, &EnginePool::new(&[], &[], &[])?);
        let reading = self.settings.part_of(&self.job);
        let task = Task::prepare(options, &reading).map_err(plain)?;
        drop(reading);
        list_problems(task.problems());
        let mut queue = task.queue(&engines, url);
        queue.lease = lease;
        let observer = |event: &BookRunEvent<'_>| screen.on_event(event);
        let result = task.serve(&queue, &self.control, &observer);
        screen.clear();
        let summary = result.map_err(plain)?;
        print_result(&summary, lines(&summary), Some(&screen), self.settings)
    }

    /// Searches positions that are handed out at `url`.
    pub(super) fn work(
        &self,
        options: &Think,
        url: &str,
        lease: Duration,
    ) -> anyhow::Result<ExitCode> {
        let engines = engines(self.engines, self.job.threads)?;
        let reading = self.settings.part_of(&self.job);
        let mut queue = queue(options, &engines, url, &reading).map_err(plain)?;
        drop(reading);
        queue.lease = lease;
        self.work_for(options, &queue)
    }

    fn work_for(&self, options: &Think, queue: &Queue) -> anyhow::Result<ExitCode> {
        let pool = self.engine_pool()?;
        let screen = screen(self.limits, self.settings, &pool);
        screen.wait_for_work(pool.workers());
        let observer = |event: &BookRunEvent<'_>| screen.on_event(event);
        let result = work(options, &pool, queue, &self.control, &observer);
        screen.clear();
        let summary = result.map_err(plain)?;
        let lines = work_lines(&summary, FATE);
        print_result(&summary, lines, Some(&screen), self.settings)
    }

    /// Grows a book by the searches of workers at `url`.
    pub(super) fn serve_endless(
        &self,
        options: &Endless,
        url: &str,
        lease: Duration,
    ) -> anyhow::Result<ExitCode> {
        let queue = self.endless_queue(options, url, lease)?;
        let screen = screen(self.limits, self.settings, &EnginePool::new(&[], &[], &[])?);
        let observer = |event: &BookRunEvent<'_>| screen.on_event(event);
        let result = endless::serve(options, &queue, &self.control, &self.job, &observer);
        self.end_endless(result, &screen)
    }

    /// Searches for a book that grows elsewhere.
    pub(super) fn work_endless(
        &self,
        options: &Endless,
        url: &str,
        lease: Duration,
    ) -> anyhow::Result<ExitCode> {
        let queue = self.endless_queue(options, url, lease)?;
        self.work_for(&options.think, &queue)
    }

    fn endless_queue(
        &self,
        options: &Endless,
        url: &str,
        lease: Duration,
    ) -> anyhow::Result<Queue> {
        let engines = engines(self.engines, self.job.threads)?;
        let mut queue = endless::queue(options, &engines, url).map_err(plain)?;
        queue.lease = lease;
        Ok(queue)
    }
}
