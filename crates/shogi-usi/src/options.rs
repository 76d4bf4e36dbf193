//! An engine's options with their current values.

use crate::{OptionError, OptionKind, OptionSpec, OptionValue, nearest};

/// One option and its value.
#[derive(Clone, Debug)]
struct Entry {
    spec: OptionSpec,
    /// The default, or what was set.
    set: OptionValue,
    /// Set from a file: counts instead of what is set.
    fixed: Option<OptionValue>,
}

impl Entry {
    fn value(&self) -> &OptionValue {
        self.fixed.as_ref().unwrap_or(&self.set)
    }
}

/// The prefix of the names of some options; programs differ about which.
const PREFIX: &str = "USI_";

/// A set of options in the order of their definition. Names are found whatever their case, and with or
/// without the `USI_` that some begin with: `Hash` is `USI_Hash`.
///
/// ```
/// use shogi_usi::{OptionSpec, Options};
/// let mut options = Options::default();
/// options.define(OptionSpec::spin("MultiPV", 1, 1, 600))?;
/// options.set("multipv", Some("3"))?;
/// assert_eq!(options.spin("MultiPV"), 3);
/// assert!(options.set("MultiPV", Some("0")).is_err());
/// # Ok::<(), shogi_usi::OptionError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    entries: Vec<Entry>,
}

impl Options {
    /// Adds an option at the end, with its default as value.
    ///
    /// # Errors
    /// When the name has blanks or is taken, or the default is outside of the range.
    pub fn define(&mut self, spec: OptionSpec) -> Result<(), OptionError> {
        if spec.name.is_empty() || spec.name.contains(|c: char| c.is_whitespace()) {
            return Err(OptionError::BadName(spec.name));
        }
        let is_taken = |entry: &Entry| entry.spec.name.eq_ignore_ascii_case(&spec.name);
        if self.entries.iter().any(is_taken) {
            return Err(OptionError::Duplicate(spec.name));
        }
        let default = spec.kind.default_value();
        let set = read(&spec, &default.to_string())?;
        self.entries.push(Entry {
            spec,
            set,
            fixed: None,
        });
        Ok(())
    }

    /// Sets an option from the value of a `setoption` command. A missing value is the empty text.
    ///
    /// # Errors
    /// When there is no such option, it does not take the value, or it is fixed. A value that a fixed
    /// option takes counts from [`Self::release`] on.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        let entry = self.find_mut(name)?;
        let value = read(&entry.spec, value.unwrap_or_default());
        if entry.fixed.is_some() {
            entry.set = value.unwrap_or_else(|_| entry.set.clone());
            return Err(OptionError::Fixed(entry.spec.name.clone()));
        }
        entry.set = value?;
        Ok(())
    }

    /// Sets an option until [`Self::release`]: [`Self::set`] refuses it from now on. Another `fix` is
    /// possible.
    ///
    /// # Errors
    /// When there is no such option or it does not take the value.
    pub fn fix(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let entry = self.find_mut(name)?;
        entry.fixed = Some(read(&entry.spec, value)?);
        Ok(())
    }

    /// Ends what [`Self::fix`] did: the option has the value that was set, before or meanwhile.
    /// Harmless when it is not fixed.
    ///
    /// # Errors
    /// When there is no such option.
    pub fn release(&mut self, name: &str) -> Result<(), OptionError> {
        self.find_mut(name)?.fixed = None;
        Ok(())
    }

    /// Whether an option of this name is fixed.
    pub fn is_fixed(&self, name: &str) -> bool {
        self.find(name).is_some_and(|entry| entry.fixed.is_some())
    }

    /// The options in the order of their definition, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&OptionSpec, &OptionValue)> {
        self.entries
            .iter()
            .map(|entry| (&entry.spec, entry.value()))
    }

    /// The option called `name` and its value.
    pub fn get(&self, name: &str) -> Option<(&OptionSpec, &OptionValue)> {
        self.find(name).map(|entry| (&entry.spec, entry.value()))
    }

    /// The value of a check.
    ///
    /// # Panics
    /// When there is no check of this name: an error of the program, not of its user.
    pub fn check(&self, name: &str) -> bool {
        match self.get(name) {
            Some((_, OptionValue::Check(on))) => *on,
            _ => panic!("no check option {name}"),
        }
    }

    /// The value of a spin.
    ///
    /// # Panics
    /// When there is no spin of this name: an error of the program, not of its user.
    pub fn spin(&self, name: &str) -> i64 {
        match self.get(name) {
            Some((_, OptionValue::Spin(number))) => *number,
            _ => panic!("no spin option {name}"),
        }
    }

    /// The value of a combo, suggestions, string or filename.
    ///
    /// # Panics
    /// When there is no such option of this name: an error of the program, not of its user.
    pub fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some((_, OptionValue::Text(text))) => text,
            _ => panic!("no text option {name}"),
        }
    }

    /// The error for a name that no option has, with the one that was probably meant.
    pub fn unknown(&self, name: &str) -> OptionError {
        let names = self.entries.iter().map(|entry| entry.spec.name.as_str());
        OptionError::Unknown {
            name: name.to_owned(),
            meant: nearest(name, names).map(str::to_owned),
        }
    }

    fn find(&self, name: &str) -> Option<&Entry> {
        self.index(name).map(|index| &self.entries[index])
    }

    fn find_mut(&mut self, name: &str) -> Result<&mut Entry, OptionError> {
        match self.index(name) {
            Some(index) => Ok(&mut self.entries[index]),
            None => Err(self.unknown(name)),
        }
    }

    /// Where the option stands that is called `name`, or so but for the prefix.
    fn index(&self, name: &str) -> Option<usize> {
        let of = |is_it: &dyn Fn(&str) -> bool| {
            let mut entries = self.entries.iter();
            entries.position(|entry| is_it(&entry.spec.name))
        };
        of(&|own| own.eq_ignore_ascii_case(name))
            .or_else(|| of(&|own| without_prefix(own).eq_ignore_ascii_case(without_prefix(name))))
    }
}

/// A name without [`PREFIX`].
fn without_prefix(name: &str) -> &str {
    match name.split_at_checked(PREFIX.len()) {
        Some((start, rest)) if start.eq_ignore_ascii_case(PREFIX) && !rest.is_empty() => rest,
        _ => name,
    }
}

/// Reads a value for `spec`. A button takes no notice of it.
fn read(spec: &OptionSpec, text: &str) -> Result<OptionValue, OptionError> {
    if spec.kind == OptionKind::Button {
        return Ok(OptionValue::Nothing);
    }
    spec.kind.read(text).map_err(|expected| OptionError::Value {
        name: spec.name.clone(),
        found: text.to_owned(),
        expected,
    })
}
