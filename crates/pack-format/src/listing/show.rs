//! What every listing needs: what is shown, of which file, and where it begins.

use std::ops::ControlFlow;

use yane_io::{Job, Unit};

use crate::invalid::Skipped;
use crate::listing::ListOptions;
use crate::listing::item::Item;
use crate::listing::units::{Decoder, Raw};
use crate::stream::{Batches, Input};
use crate::{InvalidData, Result, TeacherError};

/// Prints items.
pub(super) struct Show<'a> {
    pub(super) input: &'a Input,
    pub(super) options: &'a ListOptions,
    pub(super) decoder: Decoder,
    pub(super) skipped: Skipped,
    /// True if nothing has been found so far.
    pub(super) is_empty: bool,
    pub(super) visit: &'a mut dyn FnMut(Item) -> ControlFlow<()>,
}

impl Show<'_> {
    /// Shows a unit; `None` when it was left out.
    pub(super) fn show(&mut self, raw: &Raw<'_>) -> Result<Option<ControlFlow<()>>> {
        self.is_empty = false;
        match self.decoder.decode(self.options.format, raw) {
            Ok(item) => Ok(Some((self.visit)(item))),
            Err(invalid) => self.damaged(invalid).map(|()| None),
        }
    }

    /// Returns the damage unless it may be left out.
    pub(super) fn damaged(&mut self, invalid: InvalidData) -> Result<()> {
        if !self.options.skip_bad {
            return Err(TeacherError::invalid(self.input.path(), invalid));
        }
        self.skipped.add(self.input.path(), invalid);
        Ok(())
    }
}

/// Opens the input for reading from the start to the end.
pub(super) fn open(show: &Show<'_>, job: &Job) -> Result<Batches> {
    let batches = Batches::open(show.input, show.options.format)?;
    let name = format!("reading {}", show.input);
    job.progress.stage(&name, batches.size(), Unit::Bytes);
    Ok(batches)
}
