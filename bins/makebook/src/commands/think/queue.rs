//! `think` and `endless_extend_tree` with many machines.

use std::process::ExitCode;
use std::time::Duration;

use bookwork::endless::{self, Endless};
use bookwork::think::{Queue, Task, Think, queue, work};
use farm::Players;

use super::{Run, list_faults, screen, tell};
use crate::thinking::{FATE, engines, lines, plain, work_lines};

impl Run<'_> {
    /// Hands out what there is to think about at `url`, and keeps the book.
    pub(super) fn serve(
        &self,
        options: Think,
        url: &str,
        lease: Duration,
    ) -> anyhow::Result<ExitCode> {
        let engines = engines(self.engines, self.job.threads)?;
        // Who hands out positions thinks about none.
        let screen = screen(self.limits, self.settings, &Players::new(&[], &[], &[])?);
        let reading = self.settings.part_of(&self.job);
        let task = Task::prepare(options, &reading).map_err(plain)?;
        drop(reading);
        list_faults(task.faults());
        let mut queue = task.queue(&engines, url);
        queue.lease = lease;
        let result = task.serve(&queue, &self.control, &screen);
        screen.clear();
        let summary = result.map_err(plain)?;
        tell(&summary, lines(&summary), Some(&screen), self.settings)
    }

    /// Thinks about what is handed out at `url`.
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
        let players = self.players()?;
        let screen = screen(self.limits, self.settings, &players);
        screen.wait_for_work(players.seats());
        let result = work(options, &players, queue, &self.control, &screen);
        screen.clear();
        let summary = result.map_err(plain)?;
        let told = work_lines(&summary, FATE);
        tell(&summary, told, Some(&screen), self.settings)
    }

    /// Has a book grow by what others think, at `url`.
    pub(super) fn serve_endless(
        &self,
        options: &Endless,
        url: &str,
        lease: Duration,
    ) -> anyhow::Result<ExitCode> {
        let queue = self.endless_queue(options, url, lease)?;
        let screen = screen(self.limits, self.settings, &Players::new(&[], &[], &[])?);
        let result = endless::serve(options, &queue, &self.control, &self.job, &screen);
        self.end_endless(result, &screen)
    }

    /// Thinks for a book that grows elsewhere.
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
