//! A synthetic book entry of a position: its moves and their numbers, all derived from the position
//! and the seed.

use std::io;
use std::io::Write;

use shogi_core::movegen::{Legal, LegalAll, MoveList};
use shogi_core::{Move, Position};
use shogi_packed::PackedSfen;
use yane_base::random::{SplitMix64, mix, scaled};

use super::Args;
use crate::hash;

/// The number of moves registered in the position with number `hash`: at least 1, `average` on
/// average (a position with fewer legal moves registers fewer).
pub(super) fn registered_count(hash: u64, average: f64) -> usize {
    // Evenly from [1, 2 average), rounded down: the mean is `average` where twice it is whole.
    let width = ((2.0 * average - 1.0) * 65536.0) as u64;
    1 + (scaled(mix(hash ^ 0xc0), width.max(1)) >> 16) as usize
}

/// One line of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BookLine {
    m: Move,
    ponder: Option<Move>,
    eval: i32,
    depth: u32,
    count: u32,
}

/// Makes entries and writes them.
pub(super) struct Scribe<'a> {
    args: &'a Args,
    preferences: MovePreferences,
    line_end: &'static str,
    lines: Vec<BookLine>,
}

impl<'a> Scribe<'a> {
    pub(super) fn new(args: &'a Args) -> Self {
        Self {
            args,
            preferences: MovePreferences::default(),
            line_end: if args.crlf { "\r\n" } else { "\n" },
            lines: Vec::new(),
        }
    }

    /// Writes the first line of a book.
    pub(super) fn write_header(&self, out: &mut impl Write) -> io::Result<()> {
        write!(out, "#YANEURAOU-DB2016 1.00{}", self.line_end)
    }

    /// Writes the entry of `position`, whose SFEN without move number is `text`. Lines are in the
    /// order that books are kept in: by count, then by evaluation, both falling.
    pub(super) fn write_entry(
        &mut self,
        position: &mut Position,
        text: &str,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.fill(position);
        let end = self.line_end;
        write!(out, "sfen {text} {}{end}", position.ply())?;
        for line in &self.lines {
            write!(out, "{} ", line.m)?;
            match line.ponder {
                Some(ponder) => write!(out, "{ponder}")?,
                None => write!(out, "none")?,
            }
            write!(out, " {} {} {}{end}", line.eval, line.depth, line.count)?;
        }
        Ok(())
    }

    /// Puts the entry of `position` into `self.lines`.
    fn fill(&mut self, position: &mut Position) {
        let hash = number_of(position);
        let moves: Vec<Move> = if self.args.all_moves {
            let all = position.moves::<LegalAll>();
            self.preferences.rank(&all, hash, all.len()).to_vec()
        } else {
            let count = registered_count(hash, self.args.moves_per_position);
            self.preferences.favourites(position, hash, count).to_vec()
        };
        let mut random = SplitMix64::new(hash::combine(self.args.seed, hash));
        let mut eval = random.index(441) as i32 - 200;
        let depth = random.index(41) as u32;
        // Small steps where many moves share the range.
        let step = if self.args.all_moves { 4 } else { 15 };
        let counted = !self.args.all_moves && random.index(2) == 0;
        self.lines.clear();
        for m in moves {
            let count = if counted {
                1 + random.index(40) as u32
            } else {
                1
            };
            let ponder = (random.index(4) > 0)
                .then(|| self.reply(position, m))
                .flatten();
            self.lines.push(BookLine {
                m,
                ponder,
                eval: eval.max(-300),
                depth,
                count,
            });
            // Often enough a move is as good as the one before.
            eval -= [0, 1, step][random.index(3)] * random.index(5) as i32;
        }
        self.lines
            .sort_by_key(|line| (std::cmp::Reverse(line.count), std::cmp::Reverse(line.eval)));
    }

    /// The answer to `m` that is liked best; `None` where there is none.
    fn reply(&mut self, position: &mut Position, m: Move) -> Option<Move> {
        let undo = position.do_move_unchecked(m);
        let hash = number_of(position);
        let reply = self
            .preferences
            .favourites(position, hash, 1)
            .first()
            .copied();
        position.undo_move(m, &undo);
        reply
    }
}

fn number_of(position: &Position) -> u64 {
    let packed = PackedSfen::encode(position).expect("a game keeps all pieces of the set");
    hash::of_position(&packed)
}

// Preferences of the imagined players among moves.
//
// Every player likes some moves wherever they can be played and some in one position only. The
// first kind makes games transpose (the same moves are played in another order), the second makes
// them differ. The preferences are the same for every seed, so two books share positions as real ones do.

/// Ranks moves; keeps its working memory.
#[derive(Debug, Default)]
pub(super) struct MovePreferences {
    scored: Vec<(u64, Move)>,
    best: Vec<Move>,
}

impl MovePreferences {
    /// The `count` moves of `position` liked best (fewer if there are fewer), best first. `hash` is
    /// the number of the position.
    pub(super) fn favourites(&mut self, position: &Position, hash: u64, count: usize) -> &[Move] {
        self.rank(&position.moves::<Legal>(), hash, count)
    }

    /// The `count` moves of `moves` liked best, best first.
    pub(super) fn rank(&mut self, moves: &MoveList, hash: u64, count: usize) -> &[Move] {
        self.scored.clear();
        self.scored
            .extend(moves.iter().map(|&m| (dislike(hash, m), m)));
        let count = count.min(self.scored.len());
        if count < self.scored.len() {
            self.scored.select_nth_unstable_by_key(count, |&(d, _)| d);
        }
        self.scored[..count].sort_unstable_by_key(|&(d, _)| d);
        self.best.clear();
        self.best
            .extend(self.scored[..count].iter().map(|&(_, m)| m));
        &self.best
    }
}

/// The dislike of `m` in the position with number `hash`; no two moves of a position are liked
/// the same, so the order in which moves are generated never matters.
fn dislike(hash: u64, m: Move) -> u64 {
    let code = hash::of_move(m);
    let everywhere = mix(code ^ 0x7a57e) >> 2;
    let here = hash::combine(hash, code) >> 2;
    ((everywhere + here) & !0xffff) | code
}
