//! Names of new games: the local time.

use jiff::ToSpan as _;
use jiff::civil::DateTime;
use page_messages::PageFailure;

/// The form of the names.
const NAME: &str = "%Y_%m_%d_%H_%M_%S";

/// Gives names to new games: the time, a second later where it is taken.
#[derive(Clone, Debug)]
pub struct NewNames(DateTime);

impl NewNames {
    /// Names from the local time on.
    pub fn now() -> Self {
        Self(jiff::Zoned::now().datetime())
    }

    /// A name that is free.
    ///
    /// # Errors
    ///
    /// A clock at the end of all time.
    pub fn next(&mut self, is_free: impl Fn(&str) -> bool) -> Result<String, PageFailure> {
        loop {
            let name = self.0.strftime(NAME).to_string();
            let later = self.0.checked_add(1.second());
            self.0 = later.map_err(|error| PageFailure::of(&error))?;
            if is_free(&name) {
                return Ok(name);
            }
        }
    }

    /// A name that is free: this one if it is.
    ///
    /// # Errors
    ///
    /// As [`next`](Self::next).
    pub fn like(
        &mut self,
        name: &str,
        is_free: impl Fn(&str) -> bool,
    ) -> Result<String, PageFailure> {
        if is_free(name) {
            return Ok(name.to_owned());
        }
        self.next(is_free)
    }
}

/// Returns whether a text is the name of a new game, without an extension.
pub fn is_time_name(text: &str) -> bool {
    text.len() == 19
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 | 10 | 13 | 16 => byte == b'_',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_times_that_are_free() {
        let mut names = NewNames::now();
        let first = names.next(|_| true).unwrap();
        assert!(is_time_name(&first) && !is_time_name("2026-11-29_04_02_28"));
        let second = names.next(|name| name != first).unwrap();
        assert!(is_time_name(&second) && second > first);
        assert_eq!(names.like("a", |_| true).unwrap(), "a");
        assert!(is_time_name(&names.like("a", |name| name != "a").unwrap()));
    }
}
