//! The graph against searches that follow every line.

use shogi_core::Color;

use super::{DECIDED, Facts, Net, PERPETUAL};

/// Random numbers that can be repeated.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % limit
    }
}

/// A move: where it leads, and what its search said.
type Move = (u128, i16);

/// A position of a made-up game. Its key is its place in the list; larger keys are outside of the book.
#[derive(Clone, Debug)]
struct Place {
    turn: Color,
    in_check: bool,
    moves: Vec<Move>,
}

/// A random game; `checked` may be in check.
fn game(random: &mut Numbers, checked: Option<Color>) -> Vec<Place> {
    let len = 1 + random.below(8);
    let turn = |place: usize| {
        if place.is_multiple_of(2) {
            Color::Black
        } else {
            Color::White
        }
    };
    let mut next_leaf = 1000;
    (0..len)
        .map(|place| {
            let mut moves: Vec<Move> = (0..=random.below(4))
                .map(|_| {
                    let eval = random.below(9) as i16 * 10 - 40;
                    let to = random.below(len);
                    if random.below(3) == 0 || turn(to) == turn(place) {
                        next_leaf += 1;
                        // Some leaves are the same position.
                        let same = next_leaf - random.below(3) as u128;
                        (same * 2 + place as u128 % 2, eval)
                    } else {
                        (to as u128, eval)
                    }
                })
                .collect();
            moves.sort_by_key(|&(key, eval)| (std::cmp::Reverse(eval), key));
            moves.dedup_by_key(|&mut (key, _)| key);
            Place {
                turn: turn(place),
                in_check: Some(turn(place)) == checked && random.below(4) > 0,
                moves,
            }
        })
        .collect()
}

fn add(net: &mut Net, game: &[Place], place: usize) -> u32 {
    let Place {
        turn,
        in_check,
        ref moves,
    } = game[place];
    let key = place as u128;
    net.add(
        Facts {
            key,
            turn,
            in_check,
        },
        moves.iter().copied(),
    )
}

/// What a search finds that follows every line to its end or first repetition. `stored` are in the book.
fn follow(game: &[Place], stored: &[bool], path: &mut Vec<usize>) -> i32 {
    let place = *path.last().unwrap();
    let mut best = i32::MIN;
    for &(to, eval) in &game[place].moves {
        let to = to as usize;
        let value = if !stored.get(to).is_some_and(|&stored| stored) {
            i32::from(eval)
        } else if let Some(first) = path.iter().position(|&before| before == to) {
            repetition(game, &path[first..], game[place].turn)
        } else {
            path.push(to);
            let value = -follow(game, stored, path);
            path.pop();
            value
        };
        best = best.max(value);
    }
    best
}

/// What a loop is worth to `turn`.
fn repetition(game: &[Place], places: &[usize], turn: Color) -> i32 {
    let checked = |side: Color| {
        let mut own = places
            .iter()
            .map(|&at| &game[at])
            .filter(|at| at.turn == side);
        own.all(|at| at.in_check)
    };
    match (checked(turn), checked(turn.flip())) {
        (true, false) => PERPETUAL,
        (false, true) => -PERPETUAL,
        _ => 0,
    }
}

fn order(random: &mut Numbers, len: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    for at in (1..len).rev() {
        order.swap(at, random.below(at + 1));
    }
    order
}

#[test]
fn values_are_those_of_following_every_line() {
    let mut random = Numbers(1);
    let (mut rings, mut perpetual) = (0, 0);
    for round in 0..20_000 {
        let checked = [None, Some(Color::Black), Some(Color::White)][round % 3];
        let game = game(&mut random, checked);
        let mut net = Net::new(50);
        let mut stored = vec![false; game.len()];
        for place in order(&mut random, game.len()) {
            add(&mut net, &game, place);
            stored[place] = true;
            net.settle();
            for at in (0..game.len()).filter(|&at| stored[at]) {
                let node = net.find(at as u128).unwrap();
                let expected = follow(&game, &stored, &mut vec![at]);
                assert_eq!(net.value(node), expected, "{round}, {at}: {game:?}");
                perpetual += u32::from(expected.abs() == PERPETUAL);
            }
        }
        rings += u32::from(net.rings.iter().any(|ring| !ring.is_empty()));
    }
    assert!(rings > 3000 && perpetual > 1000, "{rings} {perpetual}");
}

#[test]
fn many_at_once_are_as_one_by_one() {
    let mut random = Numbers(2);
    for round in 0..3000 {
        let checked = [None, Some(Color::White)][round % 2];
        let game = game(&mut random, checked);
        let (mut one, mut all) = (Net::new(50), Net::new(50));
        for place in order(&mut random, game.len()) {
            add(&mut one, &game, place);
            one.settle();
        }
        for place in order(&mut random, game.len()) {
            let Place {
                turn,
                in_check,
                ref moves,
            } = game[place];
            let key = place as u128;
            all.add_unsettled(
                Facts {
                    key,
                    turn,
                    in_check,
                },
                moves.iter().copied(),
            );
        }
        all.settle_all();
        for key in 0..game.len() as u128 {
            let value = |net: &Net| net.value(net.find(key).unwrap());
            assert_eq!(value(&one), value(&all), "{round}: {game:?}");
        }
        // What is chosen does not depend on the order either.
        let chosen = |net: &Net| {
            let root = net.find(0).unwrap();
            let near = net.nearest_leaf(root).map(|edge| net.target(edge));
            let within = net.leaf_within(root, 20, |key| key % 3 == 0);
            (near, within.map(|edge| net.target(edge)))
        };
        assert_eq!(chosen(&one), chosen(&all), "{round}: {game:?}");
    }
}

/// The smallest distance of any leaf that can be reached, by following every line; with the leaf's key.
fn nearest(net: &Net, game: &[Place], root: usize) -> Option<i32> {
    fn walk(
        (net, game, root): (&Net, &[Place], usize),
        path: &mut Vec<usize>,
        far: i32,
        best: &mut Option<i32>,
    ) {
        let place = *path.last().unwrap();
        let sign = if game[place].turn == game[root].turn {
            1
        } else {
            -1
        };
        let value = net.value(net.find(root as u128).unwrap());
        for &(to, eval) in &game[place].moves {
            if let Some(node) = net.find(to) {
                let far = far.max((value + sign * net.value(node)).abs());
                if !path.contains(&(to as usize)) {
                    path.push(to as usize);
                    walk((net, game, root), path, far, best);
                    path.pop();
                }
            } else {
                let far = far.max((value - sign * i32::from(eval)).abs());
                *best = Some(best.map_or(far, |best| best.min(far)));
            }
        }
    }
    let mut best = None;
    walk((net, game, root), &mut vec![root], 0, &mut best);
    best
}

#[test]
fn the_nearest_leaf_is_chosen() {
    let mut random = Numbers(3);
    let mut principal = 0;
    for round in 0..5000 {
        let game = game(&mut random, None);
        let mut net = Net::new(50);
        (0..game.len()).for_each(|place| {
            add(&mut net, &game, place);
        });
        net.settle();
        let root = random.below(game.len());
        let node = net.find(root as u128).unwrap();
        let expected = nearest(&net, &game, root);
        let chosen = net.nearest_leaf(node);
        assert_eq!(chosen.is_some(), expected.is_some(), "{round}: {game:?}");
        if let (Some(_), Some(distance)) = (chosen, expected) {
            principal += u32::from(distance == 0);
            assert!(net.leaf_within(node, distance, |_| true).is_some());
            assert!(net.leaf_within(node, distance - 1, |_| true).is_none());
        }
    }
    // Most best lines end at a leaf, and not all: some repeat.
    assert!((3000..4999).contains(&principal), "{principal}");
}

fn line(key: u128, turn: Color, moves: &[Move]) -> (Facts, Vec<Move>) {
    let facts = Facts {
        key,
        turn,
        in_check: false,
    };
    (facts, moves.to_vec())
}

#[test]
fn a_leaf_that_is_searched_is_not_chosen_again_and_counts_less() {
    let mut net = Net::new(50);
    // Both moves of the root lead to positions from which one move leads to the same position.
    for (facts, moves) in [
        line(0, Color::Black, &[(1, 0), (2, 0)]),
        line(1, Color::White, &[(10, 30), (11, -60)]),
        line(2, Color::White, &[(10, 25), (12, 20)]),
    ] {
        net.add(facts, moves);
    }
    net.settle();
    let root = net.find(0).unwrap();
    let mut chosen = Vec::new();
    while let Some(edge) = net.nearest_leaf(root) {
        let key = net.target(edge);
        chosen.push((key, net.value(root)));
        net.take(key);
    }
    // At first the second move is the better one by 5; then the lost 50 are seen through both.
    assert_eq!(chosen, [(10, -25), (11, 20), (12, 20)]);
    // What came of it takes the place of the loss.
    let (facts, moves) = line(10, Color::Black, &[(20, 40)]);
    net.add(facts, moves);
    net.settle();
    assert_eq!(net.value(root), 40);
}

#[test]
fn what_ends_is_not_chosen_and_keeps_its_value() {
    let mut net = Net::new(50);
    let (facts, moves) = line(0, Color::Black, &[(10, 30), (11, 20)]);
    let root = net.add(facts, moves);
    net.settle();
    net.end(10, Some(-31_999));
    assert_eq!(net.value(root), 20);
    assert_eq!(
        net.nearest_leaf(root).map(|edge| net.target(edge)),
        Some(11)
    );
    // Another way to the same position knows it.
    let (facts, moves) = line(1, Color::Black, &[(10, 30)]);
    let other = net.add(facts, moves);
    net.settle();
    assert_eq!(net.value(other), -31_999);
    assert_eq!(net.nearest_leaf(other), None);
    net.end(11, Some(31_999));
    assert!(net.value(root) >= DECIDED);
    assert_eq!(net.nearest_leaf(root), None);
}
