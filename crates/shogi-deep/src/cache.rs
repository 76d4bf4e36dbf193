//! Evaluations that are known: one memory for the searches of a process, as games share openings and trees come to the same positions.
//!
//! What is kept are the bits that the evaluator gave, so that a search with an evaluator that always gives the same comes out the same.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shogi_core::Position;

use crate::evaluator::expect_evaluated;
use crate::{EvaluationError, PolicyValue, PolicyValueEvaluator, PositionQuery};

/// Parts with a lock of their own.
const PARTS: usize = 64;
/// Bytes that an evaluation takes beside its logits: its place in the table and in the order, and what the system adds.
const OVERHEAD: usize = 112;

/// What a cache has done, and what it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounts {
    /// Positions that were looked for.
    pub lookups: u64,
    /// Those that were there.
    pub hits: u64,
    /// Evaluations that it has.
    pub entries: u64,
    /// Bytes that they take, about.
    pub bytes: u64,
}

/// Evaluations of one network, in a bounded memory: those that nobody has asked for since they came, or since they were spared, go first.
pub struct EvaluationCache {
    parts: Vec<Mutex<Part>>,
    /// Bytes of each part.
    limit: usize,
    lookups: AtomicU64,
    hits: AtomicU64,
}

#[derive(Default)]
struct Part {
    known: HashMap<u128, Known>,
    /// Keys, the oldest first.
    order: VecDeque<u128>,
    bytes: usize,
}

/// The evaluation of a position.
struct Known {
    value: f32,
    /// Logits of the labels of its legal moves, in their order.
    logits: Box<[f32]>,
    was_asked_for: bool,
}

impl EvaluationCache {
    /// An empty cache that takes so many bytes at most, about.
    pub fn new(bytes: usize) -> Self {
        Self {
            parts: (0..PARTS).map(|_| Mutex::default()).collect(),
            limit: bytes / PARTS,
            lookups: AtomicU64::new(0),
            hits: AtomicU64::new(0),
        }
    }

    fn part(&self, key: u128) -> MutexGuard<'_, Part> {
        let part = &self.parts[(key >> 64) as usize % PARTS];
        part.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives `result` the evaluation of a position; returns whether it is known.
    pub fn look_up(&self, position: &PositionQuery, result: &mut PolicyValue) -> bool {
        let key = position.planes.key();
        self.lookups.fetch_add(1, Relaxed);
        let mut part = self.part(key);
        let fits = |known: &&mut Known| known.logits.len() == position.labels.len();
        let Some(known) = part.known.get_mut(&key).filter(fits) else {
            return false;
        };
        known.was_asked_for = true;
        result.value = known.value;
        for (&label, &logit) in position.labels.iter().zip(&known.logits) {
            result.logits[usize::from(label)] = logit;
        }
        drop(part);
        self.hits.fetch_add(1, Relaxed);
        true
    }

    /// Keeps the evaluation of a position; one without legal moves is not worth it.
    pub fn keep(&self, position: &PositionQuery, result: &PolicyValue) {
        if position.labels.is_empty() {
            return;
        }
        let labels = position.labels.iter();
        let logits = labels.map(|&label| result.logits[usize::from(label)]);
        let known = Known {
            value: result.value,
            logits: logits.collect(),
            was_asked_for: false,
        };
        let key = position.planes.key();
        self.part(key).add(key, known, self.limit);
    }

    /// What it has done, and what it has.
    pub fn counts(&self) -> CacheCounts {
        let mut counts = CacheCounts {
            lookups: self.lookups.load(Relaxed),
            hits: self.hits.load(Relaxed),
            ..CacheCounts::default()
        };
        for part in &self.parts {
            let part = part.lock().unwrap_or_else(PoisonError::into_inner);
            counts.entries += part.known.len() as u64;
            counts.bytes += part.bytes as u64;
        }
        counts
    }
}

impl Known {
    fn bytes(&self) -> usize {
        size_of_val(&*self.logits) + OVERHEAD
    }
}

impl Part {
    fn add(&mut self, key: u128, known: Known, limit: usize) {
        let bytes = known.bytes();
        if bytes > limit {
            return;
        }
        match self.known.entry(key) {
            // Another thread was faster.
            Entry::Occupied(_) => return,
            Entry::Vacant(place) => drop(place.insert(known)),
        }
        self.order.push_back(key);
        self.bytes += bytes;
        while self.bytes > limit {
            let Some(oldest) = self.order.pop_front() else {
                return;
            };
            let Entry::Occupied(mut place) = self.known.entry(oldest) else {
                continue;
            };
            if std::mem::take(&mut place.get_mut().was_asked_for) {
                self.order.push_back(oldest);
            } else {
                self.bytes -= place.remove().bytes();
            }
        }
    }
}

/// The state of a place.
#[derive(Clone, Copy, Default)]
struct Place {
    /// The evaluator's place for it, since the last evaluation.
    of_evaluator: Option<usize>,
    /// Its result has to come from there.
    is_asked: bool,
}

/// An evaluator that is asked only about what a cache does not know.
pub(crate) struct CachedEvaluator {
    evaluator: Box<dyn PolicyValueEvaluator>,
    cache: Arc<EvaluationCache>,
    positions: Vec<PositionQuery>,
    places: Vec<Place>,
    results: Vec<PolicyValue>,
    /// Places of the evaluator that are taken.
    asked: usize,
}

impl CachedEvaluator {
    /// An evaluator with as many places as `evaluator`.
    pub(crate) fn new(
        evaluator: Box<dyn PolicyValueEvaluator>,
        cache: Arc<EvaluationCache>,
    ) -> Self {
        let places = evaluator.max_batch();
        Self {
            evaluator,
            cache,
            positions: vec![PositionQuery::new(&Position::startpos()); places],
            places: vec![Place::default(); places],
            results: vec![PolicyValue::default(); places],
            asked: 0,
        }
    }

    /// Takes over what the evaluator has found.
    fn take_results(&mut self) {
        self.asked = 0;
        let places = self.places.iter_mut().zip(&self.positions);
        for ((place, position), result) in places.zip(&mut self.results) {
            if let Place {
                of_evaluator: Some(of_evaluator),
                is_asked: true,
            } = std::mem::take(place)
            {
                let found = self.evaluator.output(of_evaluator);
                result.clone_from(found);
                self.cache.keep(position, found);
            }
        }
    }
}

impl PolicyValueEvaluator for CachedEvaluator {
    fn max_batch(&self) -> usize {
        self.places.len()
    }

    fn put(&mut self, place: usize, position: &Position) {
        self.put_query(place, position, PositionQuery::new(position));
    }

    fn put_query(&mut self, place: usize, position: &Position, query: PositionQuery) {
        let is_known = self.cache.look_up(&query, &mut self.results[place]);
        self.places[place].is_asked = !is_known;
        if is_known {
            return;
        }
        let next = self.asked;
        let of_evaluator = *self.places[place].of_evaluator.get_or_insert(next);
        self.asked = next.max(of_evaluator + 1);
        self.positions[place].clone_from(&query);
        self.evaluator.put_query(of_evaluator, position, query);
    }

    fn evaluate(&mut self, count: usize) {
        expect_evaluated(self.try_evaluate(count));
    }

    fn try_evaluate(&mut self, count: usize) -> Result<(), EvaluationError> {
        self.begin(count)?;
        self.finish()
    }

    /// All that were put are evaluated, not only the first ones.
    fn begin(&mut self, _: usize) -> Result<(), EvaluationError> {
        if self.asked == 0 {
            return Ok(());
        }
        self.evaluator.begin(self.asked)
    }

    fn finish(&mut self) -> Result<(), EvaluationError> {
        if self.asked == 0 {
            return Ok(());
        }
        let result = self.evaluator.finish();
        if result.is_ok() {
            self.take_results();
        }
        result
    }

    fn output(&self, place: usize) -> &PolicyValue {
        &self.results[place]
    }
}

#[cfg(test)]
mod tests {
    use shogi_core::movegen::Legal;
    use test_support::fixture_bytes;

    use super::*;
    use crate::{DeepModel, PuctParams, PuctSearch};

    #[test]
    fn memory_is_bounded_and_what_is_asked_for_stays() {
        const BYTES: usize = 1 << 20;
        let cache = EvaluationCache::new(BYTES);
        let result = PolicyValue {
            value: 0.25,
            ..PolicyValue::default()
        };
        let mut wanted = PolicyValue::default();
        let mut game = shogi_core::Game::new(Position::startpos());
        let first = PositionQuery::new(game.position());
        cache.keep(&first, &result);
        for number in 0..4000 {
            let moves = game.position().moves::<Legal>().to_vec();
            if moves.is_empty() || game.len() > 200 {
                game = shogi_core::Game::new(Position::startpos());
                continue;
            }
            game.play_unchecked(moves[number * 7919 % moves.len()]);
            let position = PositionQuery::new(game.position());
            cache.keep(&position, &result);
            assert!(cache.look_up(&first, &mut wanted), "{number}");
        }
        let counts = cache.counts();
        assert!(counts.bytes <= BYTES as u64 && counts.bytes > BYTES as u64 / 4);
        assert!(counts.entries > 100 && counts.hits <= counts.lookups);
        assert!((wanted.value - 0.25).abs() < 1e-9);
    }

    #[test]
    fn a_search_is_the_same_and_asks_less() {
        let model = DeepModel::from_bytes(fixture_bytes("deep/mtiny.onnx")).unwrap();
        let cache = Arc::new(EvaluationCache::new(64 << 20));
        let game = shogi_core::Game::new(Position::startpos());
        let search = |evaluator: Box<dyn PolicyValueEvaluator>| {
            let mut evaluator = evaluator;
            let mut search = PuctSearch::new(game.clone(), PuctParams::default(), &mut evaluator);
            search.run(&mut evaluator, 400);
            search.root_moves()
        };
        for places in [1, 4] {
            let plain = search(model.evaluator(places, 0));
            for _ in 0..2 {
                let evaluator = model.evaluator(places, 0);
                let cached = CachedEvaluator::new(evaluator, Arc::clone(&cache));
                assert_eq!(search(Box::new(cached)), plain);
            }
        }
        let counts = cache.counts();
        // The second of two searches asks for nothing.
        assert!(counts.hits * 2 > counts.lookups, "{counts:?}");
    }
}
