//! Invariants of every board.

use othello_core::{
    Board, Counting, Game, Kernel, Method, Move, Portable, Position, Side, Square, Squares, State,
    Symmetry, perft,
};
use proptest::prelude::*;

fn grid(board: Board) -> Grid {
    std::array::from_fn(
        |n| match (board.mover() >> n & 1, board.opponent() >> n & 1) {
            (1, _) => 'X',
            (_, 1) => 'O',
            _ => '-',
        },
    )
}

/// Any discs at all: sparse boards, full ones, long runs.
fn any_board() -> impl Strategy<Value = Board> {
    let words = (any::<u64>(), any::<u64>(), any::<u64>(), 0..4);
    words.prop_map(|(a, b, c, density)| {
        let taken = match density {
            0 => a & b,
            1 => a,
            2 => a | b,
            _ => u64::MAX,
        };
        Board::new(taken & c, taken & !c).unwrap()
    })
}

/// A board of a game: so many moves from the start, chosen by numbers.
fn played_board() -> impl Strategy<Value = Board> {
    prop::collection::vec(any::<u16>(), 0..60).prop_map(|choices| game(&choices).position().board())
}

fn game(choices: &[u16]) -> Game {
    let mut game = Game::default();
    for &choice in choices {
        let board = game.position().board();
        let mv = match board.state() {
            State::Moves => {
                let moves = board.legal_moves();
                let count = moves.len() as usize;
                moves.iter().nth(choice as usize % count).map(Move::Place)
            }
            State::Pass => Some(Move::Pass),
            State::Over => None,
        };
        let Some(mv) = mv else { break };
        game.play_unchecked(mv);
    }
    game
}

fn both() -> impl Strategy<Value = Board> {
    prop_oneof![any_board(), played_board()]
}

fn set(squares: &[usize]) -> u64 {
    squares.iter().fold(0, |set, &n| set | 1 << n)
}

/// Checks a kernel on the legal moves and flips of a board, and on last flips of the board with all but one square filled.
fn check_kernel(kernel: impl Kernel, board: Board, filling: u64) -> Result<(), TestCaseError> {
    let (mover, opponent) = (board.mover(), board.opponent());
    let moves = kernel.legal_moves(mover, opponent);
    prop_assert_eq!(moves, board.legal_moves().0, "{:?}", kernel);
    for square in board.empty() {
        let flips = kernel.flips(mover, opponent, square);
        prop_assert_eq!(flips, board.flips(square).0, "{:?} {}", kernel, square);
    }
    for square in Square::ALL {
        let full = Board::new(filling & !square.bit(), !filling & !square.bit()).unwrap();
        let last = kernel.last_flips(full.mover(), square);
        let flips = full.flips(square).len();
        prop_assert_eq!(last, flips, "{:?} {} {:?}", kernel, square, full);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_kernel_gives_the_same(board in both(), filling in any::<u64>(), thinning in any::<u64>()) {
        for filling in [filling, filling & thinning, filling | thinning] {
            check_kernel(Portable, board, filling)?;
            #[cfg(target_arch = "x86_64")]
            {
                othello_core::Avx2::detect().map_or(Ok(()), |cpu| check_kernel(cpu, board, filling))?;
                othello_core::Avx512::detect().map_or(Ok(()), |cpu| check_kernel(cpu, board, filling))?;
            }
        }
    }

    #[test]
    fn every_method_flips_and_moves_by_the_rules(board in both()) {
        let grid = grid(board);
        let legal = set(&moves(&grid));
        let mut replies = (0, 0);
        for square in Squares(legal) {
            let count = moves(&play(&grid, square.index())).len() as u64;
            replies.0 += count;
            replies.1 |= if count == 0 { square.bit() } else { 0 };
        }
        for method in Method::available() {
            prop_assert_eq!(method.legal_moves(board), legal, "{:?}", method);
            prop_assert_eq!(method.replies(board, legal), replies, "{:?}", method);
            for square in board.empty() {
                let flips = set(&flips(&grid, square.index()));
                prop_assert_eq!(method.flips(board, square), flips, "{:?} {}", method, square);
            }
        }
    }

    #[test]
    fn boards_play_by_the_rules(board in both()) {
        let as_grid = grid(board);
        prop_assert_eq!(board.legal_moves().0, set(&moves(&as_grid)));
        for square in Square::ALL {
            let flips = flips(&as_grid, square.index());
            prop_assert_eq!(board.flips(square).0, set(&flips));
            let after = board.try_play(square).ok();
            if flips.is_empty() {
                prop_assert_eq!(after, None);
                // Nonsense, but a board all the same.
                let nonsense = board.play_unchecked(square);
                prop_assert_eq!(nonsense.mover() & nonsense.opponent(), 0);
            } else {
                prop_assert_eq!(after, Some(board.play_unchecked(square)));
                prop_assert_eq!(after.map(grid), Some(play(&as_grid, square.index())));
            }
        }
    }

    #[test]
    fn all_images_have_one_canonical_form(board in both()) {
        let canonical = board.canonical();
        let smallest = Symmetry::ALL.map(|s| s.board(board)).into_iter().min();
        prop_assert_eq!(Some(canonical.board), smallest);
        prop_assert_eq!(canonical.symmetry.board(board), canonical.board);
        prop_assert_eq!(canonical.back().board(canonical.board), board);
        for symmetry in Symmetry::ALL {
            prop_assert_eq!(symmetry.board(board).canonical().board, canonical.board);
            // Turned first or played first is the same.
            for square in board.legal_moves() {
                let played = board.play_unchecked(square);
                let turned = symmetry.board(board).try_play(symmetry.square(square)).ok();
                prop_assert_eq!(turned, Some(symmetry.board(played)));
            }
        }
        // The same numbers from the other end of the board.
        let [mover, opponent] = board.h8_first();
        let other = Board::new(mover, opponent).unwrap();
        prop_assert_eq!(other.canonical().board, canonical.board);
    }

    #[test]
    fn texts_are_read_back(board in both(), black in any::<bool>()) {
        let side = if black { Side::Black } else { Side::White };
        let position = Position::new(board, side);
        prop_assert_eq!(position.to_string().parse(), Ok(position));
        prop_assert_eq!(Board::from_bitboards(&position.to_bitboards()), Ok(board));
    }

    #[test]
    fn transcripts_are_read_back(choices in prop::collection::vec(any::<u16>(), 0..70)) {
        let mut game = game(&choices);
        prop_assert_eq!(game.to_edax().parse(), Ok(game.clone()));
        // A pass at the very end does not follow from later moves.
        while game.moves().last() == Some(&Move::Pass) {
            game.undo();
        }
        prop_assert_eq!(game.to_string().parse(), Ok(game));
    }

    #[test]
    fn any_text_is_parsed_or_an_error(text in ".*") {
        let _ = text.parse::<Game>();
        let _ = text.parse::<Position>();
        let _ = Board::from_bitboards(&text);
        let _ = text.parse::<Square>();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn perft_equals_naive_perft(board in both()) {
        for depth in 0..4 {
            let slow = naive_perft(&grid(board), depth);
            prop_assert_eq!(perft(board, depth, Counting::Positions), slow);
        }
    }
}

// The rules, walked square by square over an array of characters. Shares nothing with the crate.

/// 64 squares from a1 on: `X` to move, `O`, `-`.
type Grid = [char; 64];

/// The eight directions, as changes of file and rank.
const DIRECTIONS: [(i32, i32); 8] = [
    (1, 0),
    (1, 1),
    (0, 1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
    (0, -1),
    (1, -1),
];

/// The squares whose discs a disc on `square` turns over; none if it cannot be placed.
fn flips(grid: &Grid, square: usize) -> Vec<usize> {
    let mut all = Vec::new();
    if grid[square] != '-' {
        return all;
    }
    for (right, down) in DIRECTIONS {
        let (mut file, mut rank) = (square as i32 % 8, square as i32 / 8);
        let mut run = Vec::new();
        loop {
            file += right;
            rank += down;
            if !(0..8).contains(&file) || !(0..8).contains(&rank) {
                break;
            }
            let at = (rank * 8 + file) as usize;
            match grid[at] {
                'O' => run.push(at),
                'X' => {
                    all.append(&mut run);
                    break;
                }
                _ => break,
            }
        }
    }
    all.sort_unstable();
    all
}

/// The squares on which a disc can be placed.
fn moves(grid: &Grid) -> Vec<usize> {
    (0..64).filter(|&n| !flips(grid, n).is_empty()).collect()
}

/// The board after a move, seen by the other player.
fn play(grid: &Grid, square: usize) -> Grid {
    let mut next = *grid;
    next[square] = 'X';
    for flipped in flips(grid, square) {
        next[flipped] = 'X';
    }
    passed(&next)
}

/// The board seen by the other player.
fn passed(grid: &Grid) -> Grid {
    grid.map(|c| match c {
        'X' => 'O',
        'O' => 'X',
        other => other,
    })
}

/// Positions after so many plies; a pass is one, a game that has ended counts as one.
fn naive_perft(grid: &Grid, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let legal = moves(grid);
    if !legal.is_empty() {
        let below = legal
            .iter()
            .map(|&m| naive_perft(&play(grid, m), depth - 1));
        return below.sum();
    }
    let passed = passed(grid);
    if moves(&passed).is_empty() {
        1
    } else {
        naive_perft(&passed, depth - 1)
    }
}
