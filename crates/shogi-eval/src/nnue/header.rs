//! The beginning of a file: version, hash and a text that describes the network, more or less
//! exactly.

use super::arch::{Architecture, Classic};
use super::features::FeatureSet;

/// A file's header without the version, which is always the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header<'a> {
    /// Combines the hashes of the parts.
    pub hash: u32,
    /// The text as it stands in the file.
    pub text: &'a [u8],
}

/// The declarations in a header's text. Texts are written by many programs; anything may be missing or wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Declared {
    text: String,
    /// `Features=NAME`.
    pub(super) features: Option<FeatureSet>,
    /// `{LayerStack=N}`.
    pub(super) stacks: Option<usize>,
    /// The whole shape, if it is named or spelt out.
    pub(super) architecture: Option<Architecture>,
}

impl Header<'_> {
    /// The text for people: bytes that are not UTF-8 are replaced.
    pub(crate) fn text_lossy(&self) -> String {
        String::from_utf8_lossy(self.text).into_owned()
    }

    pub(super) fn declared(&self) -> Declared {
        // No program writes more; the rest could only cost time.
        const READ: usize = 4096;
        let text = String::from_utf8_lossy(&self.text[..self.text.len().min(READ)]);
        let text = text.to_ascii_lowercase();
        let features =
            between(&text, "features=", &['[', ',', ';']).and_then(FeatureSet::from_name);
        let stacks = between(&text, "layerstack=", &['}']).and_then(|n| n.parse().ok());
        let architecture = named(&text).or_else(|| spelt_out(&text, features?));
        Declared {
            text,
            features,
            stacks,
            architecture,
        }
    }
}

impl Declared {
    /// The evidence for `architecture`, whose width and features are known: its name's parts that
    /// the text contains.
    pub(super) fn evidence(&self, architecture: &Architecture) -> usize {
        let network = self
            .text
            .split_once("network=")
            .map_or("", |(_, network)| network);
        let words: Vec<&str> = network
            .split(|c: char| !c.is_ascii_alphanumeric())
            .collect();
        let hidden = architecture.hidden();
        let sizes = hidden
            .iter()
            .all(|size| words.contains(&size.to_string().as_str()));
        let Architecture::Sfnn(sfnn) = architecture else {
            return usize::from(sizes);
        };
        let stacks = sfnn.stacks().to_string();
        let named = stacks
            .split('_')
            .filter(|part| words.contains(part))
            .count();
        2 * usize::from(sizes) + named
    }
}

/// The text between `before` and the first of `ends`.
fn between<'a>(text: &'a str, before: &str, ends: &[char]) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split(|c| ends.contains(&c)).next()
}

/// The first name of an SFNN architecture in `text`.
fn named(text: &str) -> Option<Architecture> {
    text.match_indices("sfnn").find_map(|(at, _)| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let name = text[at..].split(|c| !is_part(c)).next()?;
        name.parse().ok()
    })
}

/// A classic network as the nested layers: `[1<-H2] … [H2<-H1] … [H1<-2 × width]`.
fn spelt_out(text: &str, features: FeatureSet) -> Option<Architecture> {
    let arrows: Vec<(usize, usize)> = text
        .split('[')
        .filter_map(|part| {
            let (outputs, inputs) = part.split(']').next()?.split_once("<-")?;
            Some((outputs.parse().ok()?, inputs.parse().ok()?))
        })
        .collect();
    let [(1, hidden2), (outputs2, hidden1), (outputs1, inputs)] = arrows[..] else {
        return None;
    };
    if (outputs2, outputs1) != (hidden2, hidden1) || inputs % 2 != 0 {
        return None;
    }
    let classic = Classic::new(features, inputs / 2, [hidden1, hidden2]).ok()?;
    Some(Architecture::Classic(classic))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(text: &str) -> Declared {
        let text = text.as_bytes();
        Header { hash: 0, text }.declared()
    }

    #[test]
    fn texts_of_many_programs_are_understood() {
        for (text, name) in [
            (
                "Features=HalfKP(Friend)[125388->256x2],Network=AffineTransform[1<-32](ClippedReLU[32]\
                 (AffineTransform[32<-32](ClippedReLU[32](AffineTransform[32<-512](InputSlice[512(0:512)])))))",
                Some("halfkp_256x2-32-32"),
            ),
            (
                "Features=K+P[1710->256x2],Network=AffineTransform[1<-32](ClippedReLU[32](AffineTransform\
                 [32<-16](ClippedReLU[16](AffineTransformSparseInput[16<-512](InputSlice[512(0:512)])))))",
                Some("kp_256x2-16-32"),
            ),
            (
                "ModelType=SFNNWithoutPsqt;Features=HalfKA_hm2(Friend)[73305->1536x2],\
                 Network=SFNN-1536{LayerStack=9}",
                Some("SFNN_halfkahm2_1536_15_32_k3k3"),
            ),
            (
                "ModelType=SFNNWithoutPsqt;Features=HalfKA2(Friend)[131949->1024x2],\
                 Network=TEST-sfnn_halfka2_1024_7_64_hand4_k9k9z{LayerStack=324}",
                Some("SFNN_halfka2_1024_7_64_hand4_k9k9z"),
            ),
            (
                "ModelType=SFNNWithoutPsqt;Network=SFNN-1024{LayerStack=9}",
                None,
            ),
            ("", None),
        ] {
            let found = declared(text).architecture.map(|a| a.to_string());
            assert_eq!(found.as_deref(), name, "{text}");
        }
        assert_eq!(declared("a{LayerStack=81}").stacks, Some(81));
        assert_eq!(declared("a{LayerStack=x}").stacks, None);
        let features = declared("Features=HalfKA_hm2(Friend)[1->2]").features;
        assert_eq!(features, Some(FeatureSet::HalfKaHm2));
    }

    #[test]
    fn words_speak_for_a_shape() {
        let text = "Network=AffineTransform[1<-32](ClippedReLU[32](AffineTransform[32<-15]k9k9z";
        let evidence = |name: &str| declared(text).evidence(&name.parse().unwrap());
        assert_eq!(evidence("sfnn_ka2_256_15_32_k9k9"), 2);
        assert_eq!(evidence("sfnn_ka2_256_15_32_k9k9z"), 3);
        assert_eq!(evidence("sfnn_ka2_256_16_32_k9k9z"), 1);
    }
}
