//! The second reading: where the moves lead.

use std::sync::Arc;

use yane_io::OrderedParallelMap;

use super::group::{GROUP, Group};
use super::node::{Collect, LinkReport, Linked};
use super::{Index, Piece, Source};
use crate::{BookError, Job, Result, Unit};

impl Index {
    /// Reads `source` again, which must not have changed, and gives every node to `collect`. The
    /// rows of the pieces come to `append` in the order of the book.
    ///
    /// # Errors
    /// When reading fails, a position or move is wrong ([`super::OnFault::Stop`]), or the job is cancelled.
    pub fn link<S: Source, C: Collect>(
        self: &Arc<Self>,
        job: &Job,
        source: &S,
        collect: C,
        mut append: impl FnMut(C::Columns) -> Result<()>,
    ) -> Result<LinkReport> {
        job.progress
            .stage("link moves", Some(source.size()), Unit::Bytes);
        let mut report = LinkReport {
            repeated: self.layout.absent.len() as u64 - self.bad,
            ..LinkReport::default()
        };
        for linked in self.link_pieces(job, source, collect)? {
            let linked = linked?;
            job.check()?;
            report.add(&linked.report);
            append(linked.rows)?;
            job.progress.advance(linked.size);
        }
        report.bad_positions += self.bad;
        Ok(report)
    }

    fn link_pieces<S: Source, C: Collect>(
        self: &Arc<Self>,
        job: &Job,
        source: &S,
        collect: C,
    ) -> Result<OrderedParallelMap<Linked<C::Columns>, BookError>> {
        let index = self.clone();
        self.layout
            .read_again(job, source, move |piece| index.link_piece(&collect, &piece))
    }

    fn link_piece<S: Source, C: Collect>(
        &self,
        collect: &C,
        piece: &Piece<'_, S>,
    ) -> Result<Linked<C::Columns>> {
        let mut linked = Linked {
            rows: C::Columns::default(),
            report: LinkReport::default(),
            size: piece.size(),
        };
        let mut group = Group::default();
        let mut records = piece.records().peekable();
        while records.peek().is_some() {
            for (id, record) in records.by_ref().take(GROUP) {
                group.add(self, piece.source, record.as_ref(), id, &mut linked.report)?;
            }
            group.finish(self, piece.source, collect, &mut linked)?;
        }
        Ok(linked)
    }
}
