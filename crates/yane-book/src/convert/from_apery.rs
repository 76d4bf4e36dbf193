//! Finding the positions of an Apery book.
//!
//! The book has only keys, so positions are found by playing: from the roots, over all legal moves,
//! through positions of the book and at most [`ConvertOptions::unregistered_depth`] others in a row. Positions are visited in the
//! order of their plies, all of one ply in parallel, so each gets the ply of the shortest way,
//! whatever the number of threads.

use std::collections::hash_map::{Entry as Slot, HashMap};
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

use shogi_core::movegen::LegalAll;
use shogi_core::{AperyMove16, Move16, Position};
use shogi_packed::PackedSfen;
use yane_io::{OrderedParallelMap, Pool};

use super::batch::{Batch, ConvertRules, Done, PositionItem, REMEMBERED};
use super::collect::Collector;
use super::{ConvertOptions, LostPosition};
use crate::apery::{self, Apery, AperyRecord, PositionKey};
use crate::{BookError, BookMove, Result, Unit, sort_moves};

/// The depth of all moves: Apery's format has none, and this is what the field's tools show.
const DEPTH: i32 = 256;
/// Positions that a worker takes at once.
const SHARE: usize = 64;

/// Finds all positions and takes them into `collector`.
pub(super) fn read(
    rules: &ConvertRules,
    options: &ConvertOptions,
    collector: &mut Collector,
) -> Result<()> {
    let job = collector.job.clone();
    let book = Apery::open(&rules.input.path)?;
    book.verify()?;
    let (filter, keys) = KeyFilter::new(&book);
    let plies = Arc::new(Plies::default());
    let walk = Arc::new(AperyWalk {
        book,
        filter,
        plies: Arc::clone(&plies),
        pool: collector.pool.clone(),
        rules: rules.clone(),
        gap: options.unregistered_depth,
    });
    job.progress.stage("search", Some(keys), Unit::Positions);
    let mut frontier = Frontier {
        plies,
        keys: HashSet::new(),
        by_ply: BTreeMap::new(),
    };
    for root in &options.roots {
        PackedSfen::encode(root).map_err(|_| {
            let reason = format!("the root {} lacks a king", root.to_sfen());
            BookError::file(&rules.input.path, reason)
        })?;
        for found in walk.root(root) {
            frontier.discover(&found);
        }
    }
    while let Some((ply, nodes)) = frontier.next_ply() {
        let mut nodes = nodes.into_iter();
        let check = job.clone();
        let shares = move || {
            check.check()?;
            let share: Vec<_> = nodes.by_ref().take(SHARE).collect();
            Ok((!share.is_empty()).then_some(share))
        };
        let walk = Arc::clone(&walk);
        let work = move |share: Vec<PackedSfen>| walk.visit_all(&share, ply);
        for result in OrderedParallelMap::new(job.threads, shares, work) {
            let (done, found) = result?;
            collector.take(done)?;
            for found in &found {
                frontier.discover(found);
            }
        }
    }
    collector.unreached = keys - frontier.keys.len() as u64;
    if collector.unreached > 0 {
        collector.unreached_first = unreached(&walk.book, &frontier.keys);
    }
    Ok(())
}

/// The first positions of `book` whose keys are not among those `reached`.
fn unreached(book: &Apery, reached: &HashSet<u64>) -> Vec<LostPosition> {
    let entries: Vec<AperyRecord> = book
        .entries()
        .filter(|entry| !reached.contains(&entry.key))
        .take(REMEMBERED * 16)
        .collect();
    let positions = entries.chunk_by(|a, b| a.key == b.key);
    positions
        .take(REMEMBERED)
        .map(|entries| lost(entries, None))
        .collect()
}

/// Describes a position that is lost.
fn lost(entries: &[AperyRecord], position: Option<&Position>) -> LostPosition {
    let name = |entry: &AperyRecord| match entry.mv.decode() {
        Some(text) => text.to_string(),
        None if entry.mv.0 == 0 => "none".to_owned(),
        None => format!("{:#06x}", entry.mv.0),
    };
    LostPosition {
        key: entries.first().map_or(0, |entry| entry.key),
        sfen: position.map(Position::to_sfen),
        moves: entries.iter().take(10).map(name).collect(),
        offset: entries.first().map_or(0, |entry| entry.offset),
    }
}

/// A position of the book and where it was met.
struct FoundPosition {
    packed: PackedSfen,
    key: u64,
    ply: u32,
}

/// The smallest ply at which each position was met so far; final for plies up to that of the
/// positions being visited.
#[derive(Default)]
struct Plies(RwLock<HashMap<PackedSfen, u32>>);

impl Plies {
    fn get(&self, packed: &PackedSfen) -> Option<u32> {
        let plies = self.0.read().unwrap_or_else(PoisonError::into_inner);
        plies.get(packed).copied()
    }

    /// Notes a position; gives what was known of it if that was not better.
    fn lower(&self, packed: PackedSfen, ply: u32) -> Met {
        let mut plies = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match plies.entry(packed) {
            Slot::Occupied(known) if *known.get() <= ply => Met::Before,
            Slot::Occupied(mut known) => {
                known.insert(ply);
                Met::Later
            }
            Slot::Vacant(new) => {
                new.insert(ply);
                Met::Never
            }
        }
    }
}

/// Meeting of a position, compared with earlier ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Met {
    Never,
    /// With this ply or a smaller one.
    Before,
    /// With a larger ply only.
    Later,
}

/// Positions that are still to be visited.
struct Frontier {
    plies: Arc<Plies>,
    /// The keys of all positions met.
    keys: HashSet<u64>,
    by_ply: BTreeMap<u32, Vec<PackedSfen>>,
}

impl Frontier {
    fn discover(&mut self, found: &FoundPosition) {
        match self.plies.lower(found.packed, found.ply) {
            Met::Before => return,
            Met::Later => {}
            Met::Never => {
                self.keys.insert(found.key);
            }
        }
        let same_ply = self.by_ply.entry(found.ply).or_default();
        same_ply.push(found.packed);
    }

    /// The positions with the smallest ply.
    fn next_ply(&mut self) -> Option<(u32, Vec<PackedSfen>)> {
        let (ply, mut nodes) = self.by_ply.pop_first()?;
        // A shorter way to some may have been found after this one.
        nodes.retain(|packed| self.plies.get(packed) == Some(ply));
        Some((ply, nodes))
    }
}

struct AperyWalk {
    book: Apery,
    filter: KeyFilter,
    plies: Arc<Plies>,
    pool: Pool,
    rules: ConvertRules,
    /// Number of positions in a row that may be missing.
    gap: u32,
}

impl AperyWalk {
    /// Returns where the search begins for `root`: itself, or what follows it if the book lacks it.
    fn root(&self, root: &Position) -> Vec<FoundPosition> {
        let mut found = Vec::new();
        let key = apery::key(root);
        if self.contains(key) {
            found.extend(FoundPosition::of(root, key));
        } else if let Some(gap) = self.gap.checked_sub(1) {
            self.successors(root, gap, &mut found);
        }
        found
    }

    fn contains(&self, key: u64) -> bool {
        self.filter.may_have(key) && self.book.contains(key)
    }

    fn visit_all(&self, nodes: &[PackedSfen], ply: u32) -> Result<(Done, Vec<FoundPosition>)> {
        let mut batch = Batch::new(&self.rules, &self.pool, 0);
        let mut item = PositionItem::default();
        let mut found = Vec::new();
        for node in nodes {
            if let Ok(position) = node.decode() {
                self.visit(&position.with_ply(ply), &mut item, &mut batch, &mut found)?;
            }
        }
        Ok((batch.done(nodes.len() as u64), found))
    }

    fn visit(
        &self,
        position: &Position,
        item: &mut PositionItem,
        batch: &mut Batch<'_>,
        found: &mut Vec<FoundPosition>,
    ) -> Result<()> {
        let entries: Vec<_> = self.book.find(apery::key(position)).collect();
        if !all_legal(&entries, position) {
            batch.collision(|| lost(&entries, Some(position)));
            return Ok(());
        }
        item.begin(entries.first().map_or(0, |entry| entry.offset));
        for entry in &entries {
            let mut book_move = book_move(entry);
            book_move.ponder = book_move.mv.and_then(|mv| self.reply(position, mv));
            batch.add_move(item, position, book_move, entry.offset)?;
        }
        batch.add(position, item)?;
        self.successors(position, self.gap, found);
        Ok(())
    }

    /// The positions of the book that follow `position` directly or after `gap` others.
    fn successors(&self, position: &Position, gap: u32, found: &mut Vec<FoundPosition>) {
        let parts = PositionKey::of(position);
        for m in position.moves::<LegalAll>() {
            let key = parts.after(position, m);
            let known = self.contains(key);
            if !known && gap == 0 {
                continue;
            }
            let mut next = position.clone();
            let _ = next.do_move_unchecked(m);
            if known {
                found.extend(FoundPosition::of(&next, key));
            } else {
                self.successors(&next, gap - 1, found);
            }
        }
    }

    /// The best move of the book after the legal move `mv`; none when the next position is written
    /// with a smaller ply, since readers that heed plies will not find it from here.
    fn reply(&self, position: &Position, mv: Move16) -> Option<Move16> {
        let mut next = position.clone();
        let _ = next.do_move_unchecked(position.move_from_16(mv)?);
        let entries: Vec<_> = self.book.find(apery::key(&next)).collect();
        if entries.is_empty() || !all_legal(&entries, &next) {
            return None;
        }
        let shortest = self.plies.get(&PackedSfen::encode(&next).ok()?);
        if shortest.is_some_and(|ply| ply < next.ply()) {
            return None;
        }
        let mut moves: Vec<_> = entries.iter().map(book_move).collect();
        sort_moves(&mut moves);
        moves.first()?.mv
    }
}

impl FoundPosition {
    /// `None` when a king is missing, which no legal move brings about.
    fn of(position: &Position, key: u64) -> Option<Self> {
        Some(Self {
            packed: PackedSfen::encode(position).ok()?,
            key,
            ply: position.ply(),
        })
    }
}

fn book_move(entry: &AperyRecord) -> BookMove {
    BookMove {
        mv: entry.mv.decode().map(Move16::encode),
        ponder: None,
        eval: entry.score,
        depth: DEPTH,
        count: entry.count.into(),
    }
}

/// Returns whether all moves can be played, so that the entries are about this position.
fn all_legal(entries: &[AperyRecord], position: &Position) -> bool {
    let legal = |mv: AperyMove16| {
        let complete = position.move_from_apery_16(mv);
        complete.is_some_and(|m| position.is_legal(m))
    };
    entries
        .iter()
        .all(|entry| entry.mv.0 == 0 || legal(entry.mv))
}

/// Filter for keys that are not in the book, without a look-up in it: thousands are checked for
/// every position of the book.
struct KeyFilter {
    bits: Vec<u64>,
    mask: u64,
}

impl KeyFilter {
    /// The filter of a book, and the number of different keys in it.
    fn new(book: &Apery) -> (Self, u64) {
        // Sixteen bits a record: at most one key of sixteen passes by accident.
        let len = (book.len() * 16).next_power_of_two().max(64);
        let mut filter = Self {
            bits: vec![0; (len / 64) as usize],
            mask: len - 1,
        };
        let (mut keys, mut last) = (0, None);
        for entry in book.entries() {
            if last.replace(entry.key) != Some(entry.key) {
                keys += 1;
                let bit = entry.key & filter.mask;
                filter.bits[(bit / 64) as usize] |= 1 << (bit % 64);
            }
        }
        (filter, keys)
    }

    #[inline]
    fn may_have(&self, key: u64) -> bool {
        let bit = key & self.mask;
        self.bits[(bit / 64) as usize] >> (bit % 64) & 1 == 1
    }
}
