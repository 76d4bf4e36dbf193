//! What a file tells about its network besides the numbers: lines of text.
//!
//! ```text
//! architecture SFNN_halfkahm2_1536_15_32_k3k3
//! progress -12
//! dense 2
//! hash 4 7AF32F16 3C203B32 the file
//! header halfkp_256x2-32-32
//! assumed A B C
//! ```
//!
//! `progress` is the bias of the progress, 0 when there is none; `dense` says how many vectors of inputs of each view the
//! first affine layer goes through whole; the lines behind it are what was odd about the evaluation file.

use std::fmt::Write as _;

use super::MappedError;
use crate::nnue::arch::Architecture;
use crate::nnue::file::{HASHED, Note};

/// What there is to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) architecture: Architecture,
    pub(super) progress_bias: i32,
    pub(super) dense: usize,
    pub(super) notes: Vec<Note>,
}

impl Facts {
    pub(super) fn to_text(&self) -> String {
        let mut text = format!(
            "architecture {}\nprogress {}\ndense {}\n",
            self.architecture, self.progress_bias, self.dense
        );
        for note in &self.notes {
            text += &note_line(note);
            text.push('\n');
        }
        text
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, MappedError> {
        let wrong = |line| MappedError::Facts { line };
        let text = std::str::from_utf8(bytes).map_err(|_| wrong(1))?;
        let mut lines = text.lines();
        let architecture = lines
            .next()
            .and_then(|line| line.strip_prefix("architecture "));
        let architecture = architecture.and_then(|name| name.parse().ok());
        let bias = lines.next().and_then(|line| line.strip_prefix("progress "));
        let dense = lines.next().and_then(|line| line.strip_prefix("dense "));
        let facts = Self {
            architecture: architecture.ok_or(wrong(1))?,
            progress_bias: bias.and_then(|bias| bias.parse().ok()).ok_or(wrong(2))?,
            dense: dense.and_then(|dense| dense.parse().ok()).ok_or(wrong(3))?,
            notes: lines
                .enumerate()
                .map(|(at, line)| note(line).ok_or(wrong(4 + at)))
                .collect::<Result<_, _>>()?,
        };
        Ok(facts)
    }
}

fn note_line(note: &Note) -> String {
    match note {
        Note::Hash {
            what,
            offset,
            found,
            expected,
        } => format!("hash {offset} {found:08X} {expected:08X} {what}"),
        Note::Header { named } => format!("header {named}"),
        Note::Assumed { taken, others } => {
            let mut line = format!("assumed {taken}");
            for other in others {
                let _ = write!(line, " {other}");
            }
            line
        }
    }
}

fn note(line: &str) -> Option<Note> {
    let (kind, rest) = line.split_once(' ')?;
    match kind {
        "hash" => {
            let mut parts = rest.splitn(4, ' ');
            let offset = parts.next()?.parse().ok()?;
            let found = u32::from_str_radix(parts.next()?, 16).ok()?;
            let expected = u32::from_str_radix(parts.next()?, 16).ok()?;
            let name = parts.next()?;
            Some(Note::Hash {
                what: HASHED.into_iter().find(|&what| what == name)?,
                offset,
                found,
                expected,
            })
        }
        "header" => Some(Note::Header {
            named: rest.parse().ok()?,
        }),
        "assumed" => {
            let mut names = rest.split(' ').map(|name| name.parse().ok());
            Some(Note::Assumed {
                taken: names.next()??,
                others: names.collect::<Option<_>>()?,
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_come_back() {
        let names = [
            "halfkp_64x2-8-8",
            "halfkpe9_64x2-8-8",
            "SFNN_ka2_32_8_8_k3k3",
        ];
        let [taken, other, third] = names.map(|name| name.parse().unwrap());
        let mut notes: Vec<_> = HASHED
            .into_iter()
            .map(|what| Note::Hash {
                what,
                offset: 4,
                found: 0x12,
                expected: u32::MAX,
            })
            .collect();
        notes.push(Note::Header { named: third });
        for others in [vec![other, third], vec![]] {
            notes.push(Note::Assumed { taken, others });
        }
        let facts = Facts {
            architecture: taken,
            progress_bias: -7,
            dense: 3,
            notes,
        };
        let text = facts.to_text();
        assert_eq!(Facts::from_bytes(text.as_bytes()), Ok(facts));
        for (text, line) in [
            ("", 1),
            ("architecture x\nprogress 1\n", 1),
            ("architecture k_2x2-8-8\n", 2),
            ("architecture k_2x2-8-8\nprogress 1.5\n", 2),
            (
                "architecture k_2x2-8-8\nprogress 1\ndense 0\nheader k_2x2-8-8\nhash 1 1 1 the moon",
                5,
            ),
            (
                "architecture k_2x2-8-8\nprogress 1\ndense 0\nassumed k_2x2-8-8  k_2x2-8-8\n",
                4,
            ),
            ("architecture k_2x2-8-8\nprogress 1\ndense -1\n", 3),
            ("architecture k_2x2-8-8\nprogress 1\ndense 0\nnews\n", 4),
        ] {
            let found = Facts::from_bytes(text.as_bytes());
            assert_eq!(found, Err(MappedError::Facts { line }), "{text}");
        }
        assert!(Facts::from_bytes(&[0xff]).is_err());
    }
}
