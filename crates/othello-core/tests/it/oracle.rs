//! The rules, walked square by square over an array of characters. Shares nothing with the crate.

/// 64 squares from a1 on: `X` to move, `O`, `-`.
pub(crate) type Grid = [char; 64];

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
pub(crate) fn flips(grid: &Grid, square: usize) -> Vec<usize> {
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
pub(crate) fn moves(grid: &Grid) -> Vec<usize> {
    (0..64).filter(|&n| !flips(grid, n).is_empty()).collect()
}

/// The board after a move, seen by the other player.
pub(crate) fn play(grid: &Grid, square: usize) -> Grid {
    let mut next = *grid;
    next[square] = 'X';
    for flipped in flips(grid, square) {
        next[flipped] = 'X';
    }
    passed(&next)
}

/// The board seen by the other player.
pub(crate) fn passed(grid: &Grid) -> Grid {
    grid.map(|c| match c {
        'X' => 'O',
        'O' => 'X',
        other => other,
    })
}

/// Positions after so many plies; a pass is one, a game that has ended counts as one.
pub(crate) fn perft(grid: &Grid, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = moves(grid);
    if !moves.is_empty() {
        let below = moves.iter().map(|&m| perft(&play(grid, m), depth - 1));
        return below.sum();
    }
    let passed = passed(grid);
    if self::moves(&passed).is_empty() {
        1
    } else {
        perft(&passed, depth - 1)
    }
}
