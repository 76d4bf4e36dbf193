//! Analysis of games: each move against its best alternative, from the end backwards.

use othello_core::{Game, Move, Side, Square, State};
use othello_search::{Control, Goal, Selectivity};

use crate::hints::Hint;
use crate::session::Session;

/// The judgement of a move that is worse than its alternative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judge {
    /// It loses 1 to 3 discs.
    Disagree,
    /// It loses 4 discs or more.
    Mistake,
}

/// A move of a game with its value, and the best other move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnalysedMove {
    /// Number of the move, counted in discs: the first of a game from the start has 1.
    pub ply: u32,
    /// The player.
    pub side: Side,
    /// The move that was played.
    pub played: Hint,
    /// The best other move; `None` if there was none.
    pub alternative: Option<Hint>,
    /// Number of other legal moves.
    pub others: u32,
}

impl AnalysedMove {
    /// Discs that the move loses against the best other one; 0 if it is as good.
    pub fn loss(&self) -> u32 {
        let better = self.alternative.as_ref();
        let loss = better.map_or(0, |better| better.score - self.played.score);
        loss.max(0).unsigned_abs()
    }

    /// The judgement; `None` for a move that loses nothing.
    pub fn judge(&self) -> Option<Judge> {
        match self.loss() {
            0 => None,
            1..=3 => Some(Judge::Disagree),
            _ => Some(Judge::Mistake),
        }
    }
}

/// The sums of a player's moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnalysisSums {
    /// Moves of the player, passes not counted.
    pub moves: u32,
    /// Moves that lose 1 to 3 discs.
    pub disagree: u32,
    /// Discs lost by them.
    pub disagree_loss: u32,
    /// Moves that lose 4 discs or more.
    pub mistake: u32,
    /// Discs lost by them.
    pub mistake_loss: u32,
}

impl AnalysisSums {
    /// The share of moves that lose 1 to 3 discs, 0 to 1.
    pub(crate) fn disagree_rate(&self) -> f64 {
        share(self.disagree, self.moves)
    }

    /// The share of moves that lose 4 discs or more, 0 to 1.
    pub(crate) fn mistake_rate(&self) -> f64 {
        share(self.mistake, self.moves)
    }

    /// Discs lost by a move on average.
    pub fn average_error(&self) -> f64 {
        share(self.disagree_loss + self.mistake_loss, self.moves)
    }
}

fn share(part: u32, all: u32) -> f64 {
    if all == 0 {
        0.0
    } else {
        f64::from(part) / f64::from(all)
    }
}

/// The sums of the moves of a side.
pub fn analysis_sums(moves: &[AnalysedMove], side: Side) -> AnalysisSums {
    let mut sums = AnalysisSums::default();
    for mv in moves.iter().filter(|mv| mv.side == side) {
        sums.moves += 1;
        match mv.judge() {
            None => {}
            Some(Judge::Disagree) => {
                sums.disagree += 1;
                sums.disagree_loss += mv.loss();
            }
            Some(Judge::Mistake) => {
                sums.mistake += 1;
                sums.mistake_loss += mv.loss();
            }
        }
    }
    sums
}

/// Bytes of the tables of searches that do not reach the end of the game, up to [`SHALLOW`] plies and deeper. A table is emptied
/// before each search, which takes longer than a short one if it is large.
const FRESH_TABLES: [usize; 2] = [4 << 20, 64 << 20];

/// The greatest depth of a search with the small table.
const SHALLOW: u32 = 12;

/// The values of moves at the level of a session: each is that of the position behind it.
struct MoveValues<'a> {
    session: &'a Session,
    /// The same with tables of their own, which are emptied before each search: so a value is that of a search alone, whatever else
    /// was searched before, and symmetric moves have the same one.
    fresh: [Session; 2],
    control: &'a Control,
}

impl<'a> MoveValues<'a> {
    fn new(session: &'a Session, control: &'a Control) -> Self {
        Self {
            session,
            fresh: FRESH_TABLES.map(|bytes| session.with_own_table(bytes)),
            control,
        }
    }

    /// The session that searches after a game to a goal (`None`: as long as there is time). Perfect play has one score, whatever is
    /// in the table; what is known of later positions helps to find it.
    fn at(&self, game: Game, goal: Option<Goal>) -> Session {
        let empties = game.position().board().empty().len();
        let mut session = match goal.filter(|goal| !is_perfect(*goal, empties)) {
            Some(goal) => {
                let fresh = &self.fresh[usize::from(goal.depth > SHALLOW)];
                fresh.clear();
                fresh.clone()
            }
            None => self.session.clone(),
        };
        session.go_on_with(game);
        session
    }

    /// A move after a game, with the value of the position behind it; `None` if the search was stopped before it knew one.
    fn of(&self, game: &Game, square: Square) -> Option<Hint> {
        let mv = Move::Place(square);
        let known = self.session.book_hints(game.position().board());
        if let Some(hint) = known.into_iter().find(|hint| hint.mv == mv) {
            return Some(hint);
        }
        let mut next = game.clone();
        next.play_unchecked(mv);
        let (board, side) = (next.position().board(), next.position().side());
        if board.is_over() {
            return Some(Hint::of_end(mv, -board.score()));
        }
        let session = self.at(next, self.session.level_goal(board, side));
        let hints = session.hints(1, self.control, &mut ());
        let best = hints.moves.into_iter().next()?;
        let pv = std::iter::once(mv).chain(best.pv).collect();
        Some(Hint {
            mv,
            score: -best.score,
            tenths: -best.tenths,
            source: best.source.seen_from_before(),
            pv,
            nodes: hints.nodes,
            elapsed: hints.elapsed,
        })
    }

    /// The best of some moves after a game: of the book, or else of a search that is as deep and as sure behind each of them as
    /// the level is there.
    fn best_of(&self, game: &Game, squares: &[Square]) -> Option<Hint> {
        let board = game.position().board();
        let is_one = |hint: &Hint| matches!(hint.mv, Move::Place(mv) if squares.contains(&mv));
        let known = self.session.book_hints(board);
        if let Some(hint) = known.into_iter().find(is_one) {
            return Some(hint);
        }
        let &[first, _, ..] = squares else {
            return self.of(game, *squares.first()?);
        };
        let side = game.position().side();
        let behind = self
            .session
            .level_goal(board.play_unchecked(first), side.other());
        let goal = behind.map(|goal| Goal {
            depth: goal.depth + 1,
            ..goal
        });
        let session = self.at(game.clone(), goal);
        let found = session.search_some(squares, goal, self.control);
        if let Some(line) = found.lines.first().filter(|line| line.is_exact) {
            return Some(Hint::of_exact(line, found.nodes, found.elapsed));
        }
        match found.best() {
            Some(Move::Place(best)) => self.of(game, best),
            _ => None,
        }
    }
}

/// Returns whether a search with so many empty squares is to the end of the game, and prunes nothing that may be better.
fn is_perfect(goal: Goal, empties: u32) -> bool {
    goal.depth >= empties && goal.selectivity == Selectivity::Exact
}

impl Session {
    /// Values the last `count` moves of the game and their alternatives, from the end backwards, so that what is known of later
    /// positions helps with the earlier ones. A move has the value that [`hints`](Self::hints) gives the position behind it, at
    /// the session's level there: played moves and alternatives are searched equally deep. `tell` hears of each as it is known.
    /// Returns the moves that were done before a stop, the last one first. Passes are left out.
    pub fn analyse(
        &self,
        count: usize,
        control: &Control,
        tell: &mut dyn FnMut(&AnalysedMove),
    ) -> Vec<AnalysedMove> {
        let moves = self.game().moves();
        let mut games = vec![Game::new(self.game().start())];
        for &mv in moves {
            let mut next = games[games.len() - 1].clone();
            next.play_unchecked(mv);
            games.push(next);
        }
        let values = MoveValues::new(self, control);
        let mut analysed = Vec::new();
        for (&mv, game) in moves.iter().zip(&games).rev().take(count) {
            let Move::Place(square) = mv else { continue };
            let position = game.position();
            let board = position.board();
            debug_assert_eq!(board.state(), State::Moves);
            let legal = board.legal_moves().iter();
            let others: Vec<_> = legal.filter(|&other| other != square).collect();
            let played = values.of(game, square);
            let alternative = values.best_of(game, &others);
            if control.is_stopped() {
                break;
            }
            let Some(played) = played else {
                break;
            };
            let done = AnalysedMove {
                ply: board.discs() - 3,
                side: position.side(),
                played,
                alternative,
                others: others.len() as u32,
            };
            tell(&done);
            analysed.push(done);
        }
        analysed
    }
}
