//! The codes of moves in PSV files.
//!
//! PSV has [`Move16`]: drops are bit 14 with the kind of piece as origin, promotions bit 15. Some programs wrote the codes of
//! hcpe into it ([`AperyMove16`]: promotions are bit 14, drops have the origins 81–87), and rshogi had codes of its own until
//! July 2026: promotions are bit 14, drops have the origins 82–88. Plain moves on the board are the same in all of them, so
//! that such a file is whole but for its promotions and drops.
//!
//! Source: the three layouts are told in rshogi's issue 930.

use std::fmt;
use std::io::Read as _;

use shogi_core::{AperyMove16, Move16, MoveText, Position};
use shogi_packed::PackedSfen;

use crate::record::TeacherRecord as _;
use crate::stream::Input;
use crate::{Psv, Result, TeacherFormat};

/// A family of move codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MoveCodes {
    /// Those of the format, as `YaneuraOu` and the programs around it have them.
    #[default]
    Yaneuraou,
    /// Those of hcpe.
    Hcpe,
    /// Those that rshogi wrote until July 2026.
    RshogiOld,
}

impl MoveCodes {
    /// All families.
    pub const ALL: [Self; 3] = [Self::Yaneuraou, Self::Hcpe, Self::RshogiOld];

    /// The name: `yaneuraou`, `hcpe` or `rshogi-old`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Yaneuraou => "yaneuraou",
            Self::Hcpe => "hcpe",
            Self::RshogiOld => "rshogi-old",
        }
    }

    /// The move of a code; `None` for one that is none.
    pub fn decode(self, code: u16) -> Option<MoveText> {
        match self {
            Self::Yaneuraou => Move16(code).decode(),
            Self::Hcpe => AperyMove16(code).decode(),
            Self::RshogiOld => {
                let (to, from) = (code & 0x7f, code >> 7 & 0x7f);
                let promotes = code >> 14 & 1;
                let translated = match from {
                    // Kinds of pieces have the same numbers, from 1 for a pawn.
                    82..=88 if promotes == 0 => to | (from - 81) << 7 | 1 << 14,
                    82.. => return None,
                    _ => code & 0x3fff | promotes << 15,
                };
                (code >> 15 == 0).then(|| Move16(translated).decode())?
            }
        }
    }

    /// Writes the codes of PSV instead of these into whole PSV records. Codes that are no move stay as they are, and are told
    /// as illegal moves later.
    pub(crate) fn translate(self, records: &mut [u8]) {
        if self == Self::Yaneuraou {
            return;
        }
        for record in records.chunks_exact_mut(Psv::LEN) {
            let code = u16::from_le_bytes([record[34], record[35]]);
            if code != 0
                && let Some(text) = self.decode(code)
            {
                record[34..36].copy_from_slice(&Move16::encode(text).0.to_le_bytes());
            }
        }
    }

    /// Returns whether a code is a legal move.
    fn is_legal(self, code: u16, position: &Position) -> bool {
        let text = self.decode(code).map(Move16::encode);
        let found = text.and_then(|code| position.move_from_16(code));
        found.is_some_and(|m| position.is_legal(m))
    }
}

impl fmt::Display for MoveCodes {
    /// The name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The choice of the codes that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveCodesChoice {
    /// Those that fit the beginning of a file.
    Auto,
    /// These.
    Fixed(MoveCodes),
}

impl Default for MoveCodesChoice {
    fn default() -> Self {
        Self::Fixed(MoveCodes::default())
    }
}

impl MoveCodesChoice {
    /// The codes of `input`; for files that are not PSV, and for the standard input without a choice, those of the format.
    /// The survey is there where the choice was made by it.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn resolve(
        self,
        input: &Input,
        format: TeacherFormat,
    ) -> Result<(MoveCodes, Option<MoveCodeSurvey>)> {
        match self {
            _ if format != TeacherFormat::Psv => Ok((MoveCodes::default(), None)),
            Self::Fixed(codes) => Ok((codes, None)),
            Self::Auto => {
                let survey = survey(input)?;
                Ok((survey.best(), Some(survey)))
            }
        }
    }
}

/// Records at the beginning of a file that are looked at.
const RECORDS: u64 = 1 << 16;

/// How many moves of the beginning of a file are legal in each family of codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveCodeSurvey {
    /// Records with a position and a move.
    pub moves: u64,
    /// Legal moves, by [`MoveCodes::ALL`].
    pub legal: [u64; MoveCodes::ALL.len()],
    /// Of the moves that are illegal as the format has them, those that are legal, by [`MoveCodes::ALL`].
    pub legal_instead: [u64; MoveCodes::ALL.len()],
}

impl MoveCodeSurvey {
    /// Counts whole PSV records.
    fn add(&mut self, records: &[u8]) {
        for record in records.chunks_exact(Psv::LEN) {
            let code = u16::from_le_bytes([record[34], record[35]]);
            let packed = record.first_chunk().map(|bytes| PackedSfen(*bytes));
            let Some(Ok(position)) = packed.filter(|_| code != 0).map(|packed| packed.decode())
            else {
                continue;
            };
            self.moves += 1;
            let legal = MoveCodes::ALL.map(|codes| codes.is_legal(code, &position));
            for (family, is_legal) in legal.into_iter().enumerate() {
                self.legal[family] += u64::from(is_legal);
                self.legal_instead[family] += u64::from(is_legal && !legal[0]);
            }
        }
    }

    /// The family in which most moves are legal; that of the format unless another has more.
    pub fn best(&self) -> MoveCodes {
        let mut best = 0;
        for family in 1..MoveCodes::ALL.len() {
            if self.legal[family] > self.legal[best] {
                best = family;
            }
        }
        MoveCodes::ALL[best]
    }

    /// The other family in which most of the illegal moves are legal, if there is one.
    pub fn other(&self) -> Option<MoveCodes> {
        let best = self.best();
        let illegal = self.moves - self.legal[0];
        let place = MoveCodes::ALL.iter().position(|&codes| codes == best)?;
        (best != MoveCodes::Yaneuraou && self.legal_instead[place] * 2 > illegal).then_some(best)
    }
}

impl fmt::Display for MoveCodeSurvey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let best = self.best();
        let legal = |codes| {
            let place = MoveCodes::ALL.iter().position(|&other| other == codes);
            self.legal[place.unwrap_or(0)]
        };
        write!(
            f,
            "{} of the first {} moves are legal as {best} codes",
            legal(best),
            self.moves
        )?;
        if best != MoveCodes::Yaneuraou {
            write!(
                f,
                ", {} as those of the format",
                legal(MoveCodes::Yaneuraou)
            )?;
        }
        Ok(())
    }
}

/// Looks at the first records of a PSV file. Nothing is read from the standard input.
///
/// # Errors
/// When the file cannot be read.
pub fn survey(input: &Input) -> Result<MoveCodeSurvey> {
    let mut survey = MoveCodeSurvey::default();
    if let Input::File(path) = input {
        let (stream, _) = input.open()?;
        let mut bytes = Vec::new();
        stream
            .take(RECORDS * Psv::LEN as u64)
            .read_to_end(&mut bytes)
            .map_err(yane_io::Error::io(path))?;
        survey.add(&bytes);
    }
    Ok(survey)
}

#[cfg(test)]
mod tests {
    use shogi_core::movegen::LegalAll;

    use super::*;

    /// A position with promotions and drops.
    const MIDDLE: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";

    fn old_code(text: MoveText) -> u16 {
        let code = Move16::encode(text).0;
        match (code >> 14 & 1, code >> 15) {
            (1, _) => code & 0x7f | ((code >> 7 & 0x7f) + 81) << 7,
            (_, promotes) => code & 0x3fff | promotes << 14,
        }
    }

    #[test]
    fn every_family_reads_its_own_codes() {
        let position = Position::from_sfen(MIDDLE).unwrap();
        for m in position.moves::<LegalAll>() {
            let text = MoveText::from(m);
            let codes = [
                Move16::encode(text).0,
                AperyMove16::encode(text).0,
                old_code(text),
            ];
            for (codes, code) in MoveCodes::ALL.into_iter().zip(codes) {
                assert_eq!(codes.decode(code), Some(text), "{codes} {m}");
            }
        }
        for code in [
            0x8000 | 0x1e3b,
            (81 << 7) + 40,
            (89 << 7) + 40,
            (82 << 7) + (1 << 14) + 40,
        ] {
            assert_eq!(MoveCodes::RshogiOld.decode(code), None, "{code:#x}");
        }
    }

    #[test]
    fn the_family_is_found_by_legality() {
        let position = Position::from_sfen(MIDDLE).unwrap();
        let packed = PackedSfen::encode(&position).unwrap();
        let file = |encode: &dyn Fn(MoveText) -> u16| {
            let mut bytes = Vec::new();
            for m in position.moves::<LegalAll>() {
                let mut record = [0; Psv::LEN];
                record[..32].copy_from_slice(&packed.0);
                record[34..36].copy_from_slice(&encode(m.into()).to_le_bytes());
                bytes.extend_from_slice(&record);
            }
            bytes
        };
        let plain = file(&|text| Move16::encode(text).0);
        let others: [&dyn Fn(MoveText) -> u16; 2] =
            [&|text| AperyMove16::encode(text).0, &old_code];
        for (codes, encode) in [MoveCodes::Hcpe, MoveCodes::RshogiOld]
            .into_iter()
            .zip(others)
        {
            let mut bytes = file(encode);
            let mut survey = MoveCodeSurvey::default();
            survey.add(&bytes);
            assert_eq!((survey.best(), survey.other()), (codes, Some(codes)));
            codes.translate(&mut bytes);
            assert!(bytes == plain, "{codes}");
        }
        let mut survey = MoveCodeSurvey::default();
        survey.add(&plain);
        assert_eq!(
            (survey.best(), survey.other()),
            (MoveCodes::Yaneuraou, None)
        );
        assert_eq!(survey.legal[0], survey.moves);
    }
}
