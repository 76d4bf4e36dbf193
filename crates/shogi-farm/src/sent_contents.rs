//! What the engines of other machines read: results of a queue count only when they are of the same networks and books.
//!
//! A worker says it with each result ([`SentContents`]). Who hands out positions or games compares it with what is on his own machine, and
//! where nothing is there, with what the first worker said ([`SharedContents`]). Names of engines and their programs do not count: other
//! machines may have other ones.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use thiserror::Error;
use yane_io::RunIdentity;

use crate::contents::{EVALUATION, EngineContents, PROGRAM};
use crate::pool::EnginePool;

/// The first line of what a worker says.
const KIND: &str = "engines 1";
/// Most bytes of what a worker says.
const MOST_BYTES: usize = 1 << 16;
/// Characters of contents in messages for people.
const SHOWN: usize = 120;
/// What an engine says that plays with the evaluation in its program, or with that of a server.
const NO_FILE: &str = "no file";

/// The contents by part; several engines may have several of a part.
type Parts = BTreeMap<String, BTreeSet<String>>;

/// The reason why the result of another machine does not count.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SentContentsError {
    /// It does not say what its engines read.
    #[error("the result does not say what the engines read")]
    Missing,
    /// Its engines read something else.
    #[error("{part} differs (expected {expected}, found {found})")]
    Differs {
        /// The part of the engine.
        part: String,
        /// What it has here, or had at the first machine.
        expected: String,
        /// What it has where the result is from.
        found: String,
    },
}

/// What the engines of a worker read, as its results say it.
#[derive(Clone, Debug)]
pub struct SentContents(String);

impl SentContents {
    /// That of the engines of a pool.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn of_pool(pool: &EnginePool) -> yane_io::Result<Self> {
        let contents = pool.contents()?;
        let mut parts = parts_of(&contents);
        let embedded = pool.engines().filter(|engine| engine.is_embedded());
        for engine in embedded {
            let has_files = |part: &EngineContents| part.engine == engine.name;
            if !contents.iter().any(has_files) {
                let values = parts.entry(EVALUATION.to_owned()).or_default();
                values.insert(NO_FILE.to_owned());
            }
        }
        Ok(Self::new(&parts))
    }

    fn new(parts: &Parts) -> Self {
        let mut identity = RunIdentity::new(KIND);
        for (part, values) in parts {
            for value in values {
                identity.push(part, value);
            }
        }
        Self(identity.to_string())
    }

    /// The message with `result` in it.
    pub fn seal(&self, result: &[u8]) -> Vec<u8> {
        let len = (self.0.len() as u32).to_le_bytes();
        [&len, self.0.as_bytes(), result].concat()
    }
}

/// What the engines of all machines of a queue read, as far as it is known.
#[derive(Debug)]
pub struct SharedContents(RefCell<Parts>);

impl SharedContents {
    /// What is known here.
    pub fn new(contents: &[EngineContents]) -> Self {
        Self(RefCell::new(parts_of(contents)))
    }

    /// What `decode` makes of the result in a message, if the engines that it is from read the same as the others. What the machine
    /// said of what nothing is known of yet is taken over once its result has proved to be one.
    ///
    /// # Errors
    /// What `refuse` makes of it when it does not say what its engines read, or when that differs; those of `decode`.
    pub fn read<T, E>(
        &self,
        message: &[u8],
        refuse: impl FnOnce(SentContentsError) -> E,
        decode: impl FnOnce(&[u8]) -> Result<T, E>,
    ) -> Result<T, E> {
        let (said, result) = self.open(message).map_err(refuse)?;
        let decoded = decode(result)?;
        self.learn(said);
        Ok(decoded)
    }

    /// What a machine said that is not believed yet, and its result.
    fn open<'m>(&self, message: &'m [u8]) -> Result<(Parts, &'m [u8]), SentContentsError> {
        let (text, result) = split(message).ok_or(SentContentsError::Missing)?;
        let identity = RunIdentity::parse(text);
        if identity.kind() != KIND {
            return Err(SentContentsError::Missing);
        }
        let mut said = Parts::new();
        for (part, value) in identity.parts() {
            let values = said.entry(part.to_owned()).or_default();
            values.insert(value.to_owned());
        }
        let known = self.0.borrow();
        for (part, found) in &said {
            if let Some(expected) = known.get(part).filter(|known| *known != found) {
                return Err(SentContentsError::Differs {
                    part: part.chars().take(SHOWN).collect(),
                    expected: shown(expected),
                    found: shown(found),
                });
            }
        }
        Ok((said, result))
    }

    fn learn(&self, said: Parts) {
        let mut known = self.0.borrow_mut();
        for (part, values) in said {
            known.entry(part).or_insert(values);
        }
    }
}

/// The text and the result of a message.
fn split(message: &[u8]) -> Option<(&str, &[u8])> {
    let (len, rest) = message.split_first_chunk()?;
    let len = usize::try_from(u32::from_le_bytes(*len)).ok()?;
    let (text, result) = rest.split_at_checked(len).filter(|_| len <= MOST_BYTES)?;
    Some((std::str::from_utf8(text).ok()?, result))
}

fn parts_of(contents: &[EngineContents]) -> Parts {
    let mut parts = Parts::new();
    for EngineContents { part, contents, .. } in contents {
        if part != PROGRAM {
            let values = parts.entry(part.clone()).or_default();
            values.insert(contents.to_string());
        }
    }
    parts
}

fn shown(values: &BTreeSet<String>) -> String {
    let values: Vec<_> = values.iter().map(String::as_str).collect();
    values.join(", ").chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use yane_io::{Checksum, NamedContents};

    use super::*;

    fn contents(parts: &[(&str, &str)]) -> Vec<EngineContents> {
        let parts = parts.iter().map(|(part, bytes)| EngineContents {
            engine: "an engine".to_owned(),
            part: (*part).to_owned(),
            contents: NamedContents::Checksum(Checksum::of_bytes(bytes.as_bytes())),
        });
        parts.collect()
    }

    fn message(parts: &[(&str, &str)]) -> Vec<u8> {
        SentContents::new(&parts_of(&contents(parts))).seal(b"result")
    }

    #[test]
    fn a_worker_with_another_network_is_refused_by_name() {
        let here = [("evaluation", "a"), ("BookFile", "b"), ("program", "p")];
        let shared = SharedContents::new(&contents(&here));
        let other_program = message(&[("evaluation", "a"), ("program", "q")]);
        let (said, result) = shared.open(&other_program).unwrap();
        assert_eq!(result, b"result");
        shared.learn(said);
        let other = message(&[("evaluation", "c"), ("BookFile", "b")]);
        let error = shared.open(&other).unwrap_err().to_string();
        assert!(
            error.starts_with("evaluation differs (expected 1 byte "),
            "{error}"
        );
        let both = message(&[("evaluation", "a"), ("evaluation", "c")]);
        assert!(shared.open(&both).is_err());
    }

    #[test]
    fn the_first_worker_says_what_is_not_known_here() {
        let shared = SharedContents::new(&[]);
        // Not believed before its result is.
        let _ = shared.open(&message(&[("evaluation", "x")])).unwrap();
        let (said, _) = shared.open(&message(&[("evaluation", "a")])).unwrap();
        shared.learn(said);
        assert!(shared.open(&message(&[("evaluation", "x")])).is_err());
        assert!(shared.open(&message(&[("evaluation", "a")])).is_ok());
        let pool = EnginePool::new(&[crate::Engine::embedded()], &[], &[]).unwrap();
        let built_in = SentContents::of_pool(&pool).unwrap().seal(b"");
        let error = shared.open(&built_in).unwrap_err().to_string();
        assert!(error.ends_with("found no file)"), "{error}");
    }

    #[test]
    fn messages_of_any_kind_are_refused_without_harm() {
        let shared = SharedContents::new(&[]);
        let whole = message(&[("evaluation", "a")]);
        for end in 0..whole.len() - b"result".len() {
            let error = shared.open(&whole[..end]).unwrap_err();
            assert_eq!(error, SentContentsError::Missing, "{end} bytes");
        }
        let mut large = vec![b'x'; MOST_BYTES + 100];
        large[..4].copy_from_slice(&(MOST_BYTES as u32 + 1).to_le_bytes());
        for bytes in [&[0xff; 30][..], &[0; 4], b"\x02\0\0\0\xff\xff", &large] {
            assert!(shared.open(bytes).is_err());
        }
    }
}
