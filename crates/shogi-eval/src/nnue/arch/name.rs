//! Names of architectures, read and written.

use std::fmt;
use std::str::FromStr;

use super::{
    Architecture, Classic, FeatureSet, HandScheme, KingScheme, PROGRESS_BUCKETS, Sfnn, Stacks,
    TransformerKind,
};
use crate::nnue::arch::error::ArchitectureError;

impl fmt::Display for Stacks {
    /// The parts joined by `_`; nothing for one stack.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let progress = match self.progress() {
            1 => String::new(),
            n => format!("progress{n}"),
        };
        let mut parts = [self.hands().name(), self.kings().name(), &progress]
            .into_iter()
            .filter(|part| !part.is_empty());
        if let Some(first) = parts.next() {
            f.write_str(first)?;
        }
        parts.try_for_each(|part| write!(f, "_{part}"))
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (features, width) = (self.features().short_name(), self.width());
        let [hidden1, hidden2] = self.hidden();
        match self {
            Self::Classic(_) => write!(f, "{features}_{width}x2-{hidden1}-{hidden2}"),
            Self::Sfnn(sfnn) => {
                write!(f, "SFNN_{features}_{width}_{hidden1}_{hidden2}")?;
                if let TransformerKind::Sharded {
                    common,
                    shard,
                    groups,
                } = sfnn.transformer_kind()
                {
                    write!(f, "_c{common}_s{shard}x{groups}")?;
                }
                if sfnn.stacks() != Stacks::ONE {
                    write!(f, "_{}", sfnn.stacks())?;
                }
                Ok(())
            }
        }
    }
}

impl FromStr for Architecture {
    type Err = ArchitectureError;

    /// Reads a name in any case, with `-` or `_` between its parts. Names of engine builds
    /// (`YANEURAOU_ENGINE_NNUE_HALFKP_1024X2_8_32`) are understood, and `SFNN1536` is the network of
    /// that name.
    fn from_str(name: &str) -> Result<Self, ArchitectureError> {
        let plain = name.trim().to_ascii_lowercase().replace('-', "_");
        let mut plain = plain.as_str();
        for prefix in ["yaneuraou_engine_", "nnue_"] {
            plain = plain.strip_prefix(prefix).unwrap_or(plain);
        }
        if matches!(plain, "sfnn1536" | "sfnn_1536") {
            return Ok(Self::Sfnn(Sfnn::sfnn1536()));
        }
        // The long names of the same schemes.
        let mut short = plain.to_owned();
        for ranks in ["3", "9", "21", "29"] {
            let long = format!("king{ranks}_by_king{ranks}");
            short = short.replace(&long, &format!("k{ranks}k{ranks}"));
        }
        let parts: Vec<&str> = short.split('_').collect();
        let parsed = match parts.split_first() {
            Some((&"sfnn", rest)) => sfnn(name, rest),
            _ => classic(name, &parts),
        };
        parsed?.ok_or_else(|| ArchitectureError::Malformed { name: name.into() })
    }
}

type Parsed = Result<Option<Architecture>, ArchitectureError>;

fn features(name: &str, features: &str) -> Result<FeatureSet, ArchitectureError> {
    // One more way that it is written.
    let plain = if features == "halfkp_vm" {
        "halfkpvm"
    } else {
        features
    };
    FeatureSet::from_name(plain).ok_or_else(|| ArchitectureError::Features {
        name: name.into(),
        features: features.into(),
    })
}

/// `None`: not the right number of parts, or not numbers.
fn classic(name: &str, parts: &[&str]) -> Parsed {
    let [set @ .., width, hidden1, hidden2] = parts else {
        return Ok(None);
    };
    let (Some(width), Some(hidden1), Some(hidden2)) = (
        width.strip_suffix("x2").and_then(number),
        number(hidden1),
        number(hidden2),
    ) else {
        return Ok(None);
    };
    let features = features(name, &set.join("_"))?;
    let classic = Classic::new(features, width, [hidden1, hidden2])?;
    Ok(Some(Architecture::Classic(classic)))
}

fn sfnn(name: &str, parts: &[&str]) -> Parsed {
    let [set, width, hidden1, hidden2, rest @ ..] = parts else {
        return Ok(None);
    };
    let (Some(width), Some(hidden1), Some(hidden2)) =
        (number(width), number(hidden1), number(hidden2))
    else {
        return Ok(None);
    };
    let (transformer_kind, rest) = match rest {
        [common, shard, rest @ ..] if common.starts_with('c') => (sharded(common, shard), rest),
        rest => (Some(TransformerKind::Full), rest),
    };
    let Some(transformer_kind) = transformer_kind else {
        return Ok(None);
    };
    let stacks = stacks(rest).map_err(|part| ArchitectureError::Part {
        name: name.into(),
        part: part.into(),
    })?;
    let features = features(name, set)?;
    let sfnn = Sfnn::new(
        features,
        width,
        [hidden1, hidden2],
        transformer_kind,
        stacks,
    )?;
    Ok(Some(Architecture::Sfnn(sfnn)))
}

fn sharded(common: &str, shard: &str) -> Option<TransformerKind> {
    let (shard, groups) = shard.strip_prefix('s')?.split_once('x')?;
    Some(TransformerKind::Sharded {
        common: number(common.strip_prefix('c')?)?,
        shard: number(shard)?,
        groups: number(groups)?,
    })
}

/// Parts in any order, each kind once; the part that is wrong otherwise.
fn stacks<'a>(parts: &[&'a str]) -> Result<Stacks, &'a str> {
    let (mut hands, mut kings, mut progress) = (None, None, None);
    for &part in parts {
        let hand = HandScheme::ALL[1..].iter().find(|s| s.name() == part);
        let king = KingScheme::ALL[1..].iter().find(|s| s.name() == part);
        let buckets = part.strip_prefix("progress").and_then(number);
        let slot_was_free = match (hand, king, buckets) {
            (Some(&hand), ..) => hands.replace(hand).is_none(),
            (_, Some(&king), _) => kings.replace(king).is_none(),
            (.., Some(n)) if PROGRESS_BUCKETS[1..].contains(&n) => progress.replace(n).is_none(),
            _ => return Err(part),
        };
        if !slot_was_free {
            return Err(part);
        }
    }
    let hands = hands.unwrap_or(HandScheme::None);
    let kings = kings.unwrap_or(KingScheme::None);
    Stacks::new(hands, kings, progress.unwrap_or(1)).ok_or("")
}

fn number(text: &str) -> Option<usize> {
    // `parse` also takes a plus sign.
    text.bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| text.parse().ok())?
}
