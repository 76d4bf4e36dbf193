//! Egaroucid's table of the games of a folder, `summary.csv`: a row for each file, without a header.

use std::fmt;

use crate::OthelloRecord;
use crate::egaroucid::final_discs;
use crate::losses::RecordLosses;
use crate::tree::iso_date;

/// Characters of a memo that stand in a row.
const MEMO: usize = 40;

/// A row of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EgaroucidRow {
    /// The name of the file without its extension.
    pub stem: String,
    /// Black's player.
    pub black: String,
    /// White's player.
    pub white: String,
    /// The first 40 characters of the memo, in one line.
    pub memo: String,
    /// The discs of black and white at the end; `None` if they are not known.
    pub discs: Option<[u8; 2]>,
    /// The date.
    pub date: String,
}

impl EgaroucidRow {
    /// The row of a file with a record.
    pub fn of(stem: &str, record: &OthelloRecord) -> Self {
        let info = &record.info;
        let discs = final_discs(record, &mut RecordLosses::default());
        let discs = discs.map(|discs| u8::try_from(discs).ok());
        let memo = info.comment.chars().take(MEMO);
        Self {
            stem: stem.to_owned(),
            black: info.black.name.clone(),
            white: info.white.name.clone(),
            memo: memo.map(|c| if c.is_control() { ' ' } else { c }).collect(),
            discs: discs[0].zip(discs[1]).map(<[u8; 2]>::from),
            date: iso_date(&info.date).unwrap_or_else(|| info.date.clone()),
        }
    }

    /// Parses a line of the table; `None` if it is no row. Discs that are missing, negative or no numbers are not known.
    pub fn parse(line: &str) -> Option<Self> {
        let mut fields = fields(line.trim_end_matches(['\r', '\n'])).into_iter();
        let stem = fields.next().filter(|stem| !stem.is_empty())?;
        let mut next = || fields.next();
        let (black, white, memo) = (next()?, next()?, next()?);
        let mut discs = || {
            let number: Option<u8> = next().and_then(|text| text.trim().parse().ok());
            number.filter(|&number| number <= 64)
        };
        let discs = (discs(), discs());
        Some(Self {
            stem,
            black,
            white,
            memo,
            discs: discs.0.zip(discs.1).map(<[u8; 2]>::from),
            date: next().unwrap_or_default(),
        })
    }
}

/// Writes the line, without its end: a field with a comma or a quotation mark stands in quotation marks, and discs that are not
/// known are -1.
impl fmt::Display for EgaroucidRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let discs = |n: usize| {
            let discs = self.discs.map(|discs| discs[n].to_string());
            discs.unwrap_or_else(|| "-1".to_owned())
        };
        let [black, white] = [discs(0), discs(1)];
        let texts = [
            &self.stem,
            &self.black,
            &self.white,
            &self.memo,
            &black,
            &white,
            &self.date,
        ];
        for (n, text) in texts.into_iter().enumerate() {
            let comma = if n > 0 { "," } else { "" };
            let text = text.replace(['\n', '\r'], " ");
            if text.contains([',', '"']) {
                write!(f, "{comma}\"{}\"", text.replace('"', "\"\""))?;
            } else {
                write!(f, "{comma}{text}")?;
            }
        }
        Ok(())
    }
}

/// The fields of a line; one that begins with a quotation mark ends with one, and has two of them for each inside.
fn fields(line: &str) -> Vec<String> {
    let mut fields = Vec::new();
    let mut rest = Some(line);
    while let Some(text) = rest {
        let quoted = text.strip_prefix('"').and_then(quoted_field);
        let (field, behind) = quoted.unwrap_or_else(|| match text.split_once(',') {
            Some((field, behind)) => (field.to_owned(), Some(behind)),
            None => (text.to_owned(), None),
        });
        fields.push(field);
        rest = behind;
    }
    fields
}

/// A field behind its opening quotation mark, and what is behind the comma after it; `None` if it does not end.
fn quoted_field(text: &str) -> Option<(String, Option<&str>)> {
    let (mut field, mut rest) = (String::new(), text);
    loop {
        let at = rest.find('"')?;
        field.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix('"') {
            field.push('"');
            rest = behind;
        } else if rest.is_empty() {
            return Some((field, None));
        } else {
            return Some((field, Some(rest.strip_prefix(',')?)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_parsed_as_they_are_written() {
        for (line, discs) in [
            (
                "2026_01_31_12_00_00,Björk,Ada,a memo,33,31,2026-01-31",
                Some([33, 31]),
            ),
            ("a,\"Smith, J.\",\"the \"\"x\"\"\",,-1,-1,", None),
        ] {
            let row = EgaroucidRow::parse(line).unwrap();
            assert_eq!((row.to_string().as_str(), row.discs), (line, discs));
        }
        let row = EgaroucidRow::parse("a,b,c,d,,,2026\r\n").unwrap();
        assert_eq!((row.discs, row.date.as_str()), (None, "2026"));
        // A mark that does not end is a character.
        let row = EgaroucidRow::parse("a,\"b,c,d,1,2,3").unwrap();
        assert_eq!((row.black.as_str(), row.discs), ("\"b", Some([1, 2])));
        for wrong in ["", "a", "a,b,c", ",b,c,d,1,2,3"] {
            assert_eq!(EgaroucidRow::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_row_of_a_record_has_forty_characters_of_the_memo() {
        let mut record = OthelloRecord::from(&"f5d6".parse::<othello_core::Game>().unwrap());
        record.info.black.name = "A, B".to_owned();
        record.info.comment = format!("line\n{}", "é".repeat(50));
        record.info.date = "2026.1.2".to_owned();
        let row = EgaroucidRow::of("x", &record);
        assert_eq!(row.memo.chars().count(), 40);
        assert_eq!(
            row.to_string(),
            format!("x,\"A, B\",,line {},-1,-1,2026-01-02", "é".repeat(35))
        );
    }
}
