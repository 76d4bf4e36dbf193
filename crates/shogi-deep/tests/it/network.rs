//! A network against onnxruntime, and files that are none.

use std::sync::Arc;

use shogi_core::Position;
use shogi_deep::{
    InputFormat, ModelError, NativeNetwork, NetworkModel, PolicyLabel, PolicyValue,
    PolicyValueEvaluator,
};
use test_support::{SplitMix64, fixture_bytes};
use yane_base::lanes::VectorLimit;

use crate::features::rows;

fn tiny() -> Arc<NetworkModel> {
    Arc::new(NetworkModel::from_bytes(&fixture_bytes("deep/mtiny.onnx")).unwrap())
}

fn evaluated(limit: VectorLimit, batch: usize, count: usize) -> Vec<PolicyValue> {
    evaluated_by(tiny(), limit, batch, count)
}

fn evaluated_by(
    model: Arc<NetworkModel>,
    limit: VectorLimit,
    batch: usize,
    count: usize,
) -> Vec<PolicyValue> {
    let mut network = NativeNetwork::new(model, batch, limit);
    let positions: Vec<_> = rows()
        .iter()
        .take(count)
        .map(|row| Position::from_sfen(&row.sfen).unwrap())
        .collect();
    let mut results = Vec::new();
    for part in positions.chunks(batch) {
        for (place, position) in part.iter().enumerate() {
            network.put(place, position);
        }
        network.evaluate(part.len());
        results.extend((0..part.len()).map(|place| network.output(place).clone()));
    }
    results
}

#[test]
fn outputs_are_those_of_onnxruntime() {
    let golden = fixture_bytes("deep/mtiny.out");
    let (numbers, _) = golden.as_chunks();
    let numbers: Vec<f32> = numbers
        .iter()
        .map(|&bytes| f32::from_le_bytes(bytes))
        .collect();
    let rows = numbers.chunks_exact(PolicyLabel::COUNT + 1);
    let results = evaluated(VectorLimit::Best, 1, rows.len());
    assert_eq!(results.len(), 24);
    for (result, row) in results.iter().zip(rows) {
        let (logits, value) = row.split_at(PolicyLabel::COUNT);
        for (ours, theirs) in result.logits.iter().zip(logits) {
            assert!((ours - theirs).abs() <= 1e-4, "{ours} {theirs}");
        }
        assert!(
            (result.value - value[0]).abs() <= 1e-5,
            "{} {value:?}",
            result.value
        );
    }
}

#[test]
fn instructions_and_batches_change_no_bit() {
    let best = evaluated(VectorLimit::Best, 1, 6);
    assert_eq!(evaluated(VectorLimit::Avx2, 1, 6), best);
    assert_eq!(evaluated(VectorLimit::Scalar, 1, 3), best[..3]);
    assert_eq!(evaluated(VectorLimit::Best, 4, 6), best);
}

/// The shares of all moves, whether legal or not.
fn policy(logits: &[f32]) -> Vec<f32> {
    let most = logits.iter().copied().fold(f32::MIN, f32::max);
    let shares: Vec<f32> = logits.iter().map(|logit| (logit - most).exp()).collect();
    let sum: f32 = shares.iter().sum();
    shares.iter().map(|share| share / sum).collect()
}

#[test]
fn factors_of_sixteen_bits_change_little_and_the_same_with_all_instructions() {
    for model in [tiny(), Arc::new(NetworkModel::small())] {
        let mut narrow = Arc::clone(&model);
        Arc::make_mut(&mut narrow).narrow();
        assert!(narrow.is_narrow() && !model.is_narrow());
        let exact = evaluated_by(model, VectorLimit::Best, 1, 24);
        let best = evaluated_by(Arc::clone(&narrow), VectorLimit::Best, 1, 24);
        assert_ne!(best, exact);
        for (one, other) in best.iter().zip(&exact) {
            assert!((one.value - other.value).abs() < 1e-2);
            let pairs = policy(&one.logits[..]);
            for (one, other) in pairs.iter().zip(policy(&other.logits[..])) {
                assert!((one - other).abs() < 1e-2, "{one} {other}");
            }
        }
        let avx2 = evaluated_by(Arc::clone(&narrow), VectorLimit::Avx2, 4, 6);
        assert_eq!(avx2, best[..6]);
        let scalar = evaluated_by(narrow, VectorLimit::Scalar, 1, 3);
        assert_eq!(scalar, best[..3]);
    }
}

#[test]
fn the_model_says_what_it_is() {
    let model = tiny();
    assert_eq!(model.format(), InputFormat::Wcsc28);
    assert_eq!(model.parameters(), 58_231);
}

#[test]
fn damaged_files_are_errors() {
    let whole = fixture_bytes("deep/mtiny.onnx");
    assert!(matches!(
        NetworkModel::from_bytes(&[]),
        Err(ModelError::Interface { .. })
    ));
    for cut in (1..whole.len()).step_by(997) {
        NetworkModel::from_bytes(&whole[..cut]).unwrap_err();
    }
    let mut random = SplitMix64::new(5);
    for _ in 0..200 {
        let mut bytes = whole.clone();
        let at = random.below(bytes.len() as u64) as usize;
        bytes[at] ^= 1 << random.below(8);
        // Many are wrong numbers in a right file; none is a panic.
        let _ = NetworkModel::from_bytes(&bytes);
    }
    let missing = NetworkModel::read("no/such/model.onnx".as_ref()).unwrap_err();
    assert!(
        missing.to_string().starts_with("no/such/model.onnx: "),
        "{missing}"
    );
}
