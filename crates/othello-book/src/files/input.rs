//! Books with their side-cars.

use std::path::Path;

use yane_io::{Job, Map, Result};

use crate::BookFormat;
use crate::edax;
use crate::files::book_file::BookFile;
use crate::files::options::BookReadOptions;
use crate::files::side_car::{SideCarFile, SideCarMatch, SideCarPosition, side_car_of};
use crate::store::OnDamage;

/// An opened book, with its side-car if it has one.
///
/// A side-car is matched to the book when it is read. One of another book is skipped with a note.
#[derive(Debug)]
pub struct BookInput {
    /// The book.
    pub file: BookFile,
    side: Option<SideCarFile>,
}

impl BookInput {
    /// A book that is mapped or in memory, without a side-car.
    ///
    /// # Errors
    ///
    /// Bytes that are no book; a side-car.
    pub fn of(map: Map) -> Result<Self> {
        let file = BookFile::of(map)?;
        Ok(Self { file, side: None })
    }

    /// Opens a book, with its side-car: the file of its name and `.side.dat` or `.side.egbk3`.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, that is no book, or that is a side-car.
    pub fn open(path: &Path) -> Result<Self> {
        let file = BookFile::of(Map::open(path)?)?;
        let side = side_car_of(path, file.format);
        let has_side = side.exists() && !file.is_text();
        let side = has_side.then(|| SideCarFile::open(&side)).transpose()?;
        Ok(Self { file, side })
    }

    /// The book without its side-car.
    #[must_use]
    pub fn alone(self) -> Self {
        Self { side: None, ..self }
    }

    /// The number of damaged records of the side-car; a side-car of another book is noted.
    ///
    /// # Errors
    ///
    /// [`yane_io::Error::Cancelled`].
    pub fn damaged_in_side_car(&self, job: &Job) -> Result<u64> {
        let reading = BookReadOptions {
            damage: OnDamage::Skip,
            ..BookReadOptions::default()
        };
        self.for_each_side_car(reading, job, &mut |_| Ok(()))
    }

    /// The format of the file, text included.
    pub const fn file_format(&self) -> BookFormat {
        if self.file.is_text() {
            BookFormat::EdaxText
        } else {
            self.file.format
        }
    }

    pub(super) const fn has_no_side_car(&self) -> bool {
        self.side.is_none()
    }

    /// The header of a book of Edax, or of the one in the side-car, once that was read.
    pub(crate) fn header(&self) -> Option<edax::EdaxHeader> {
        let own = edax::EdaxBook::new(&self.file.map)
            .ok()
            .map(|book| book.header);
        own.or_else(|| {
            let side = self.side.as_ref()?;
            match side.known_to_belong()? {
                SideCarMatch::Not(_) => None,
                SideCarMatch::Exactly | SideCarMatch::Changed(_) => side.header(),
            }
        })
    }

    /// Calls `each` with all positions of the side-car if it belongs to the book; returns the number of damaged
    /// records.
    pub(crate) fn for_each_side_car(
        &self,
        reading: BookReadOptions,
        job: &Job,
        each: &mut dyn FnMut(SideCarPosition) -> Result<()>,
    ) -> Result<u64> {
        let Some(side) = &self.side else {
            return Ok(0);
        };
        let back = match side.belongs(&self.file, reading, job)? {
            SideCarMatch::Not(damaged) => return Ok(*damaged),
            SideCarMatch::Exactly => None,
            SideCarMatch::Changed(back) => Some(back),
        };
        side.for_each(reading.damage, job, &mut |mut original| {
            original.position = original.position.canonical();
            let is_wanted = back.is_none_or(|back| back.contains(&original.position.board()));
            original.comes_back = is_wanted && original.is_unstorable();
            each(original)
        })
    }
}
