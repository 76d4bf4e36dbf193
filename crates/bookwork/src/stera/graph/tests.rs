//! The graph against searches that follow every line.

use shogi_core::Color;
use test_support::SplitMix64;

use super::{DECIDED, NewNode, PERPETUAL, SearchGraph};

/// A move: where it leads, and the value by its search.
type Move = (u128, i16);

/// A position of a made-up game. Its key is its place in the list; larger keys are outside of the book.
#[derive(Clone, Debug)]
struct Place {
    turn: Color,
    in_check: bool,
    moves: Vec<Move>,
}

/// A random game; `checked` may be in check.
fn game(random: &mut SplitMix64, checked: Option<Color>) -> Vec<Place> {
    let len = 1 + random.remainder(8);
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
            let mut moves: Vec<Move> = (0..=random.remainder(4))
                .map(|_| {
                    let eval = random.remainder(9) as i16 * 10 - 40;
                    let to = random.remainder(len);
                    if random.remainder(3) == 0 || turn(to) == turn(place) {
                        next_leaf += 1;
                        // Some leaves are the same position.
                        let same = next_leaf - random.remainder(3) as u128;
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
                in_check: Some(turn(place)) == checked && random.remainder(4) > 0,
                moves,
            }
        })
        .collect()
}

fn add(graph: &mut SearchGraph, game: &[Place], place: usize) -> u32 {
    let Place {
        turn,
        in_check,
        ref moves,
    } = game[place];
    let key = place as u128;
    graph.add(
        NewNode {
            key,
            turn,
            in_check,
        },
        moves.iter().copied(),
    )
}

/// Returns the value by a search that follows every line to its end or first repetition. `stored` are in
/// the book.
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

/// Returns the value of a loop for `turn`.
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

fn order(random: &mut SplitMix64, len: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    for at in (1..len).rev() {
        order.swap(at, random.remainder(at + 1));
    }
    order
}

#[test]
fn values_are_those_of_following_every_line() {
    let mut random = SplitMix64::new(1);
    let (mut components, mut perpetual) = (0, 0);
    for round in 0..20_000 {
        let checked = [None, Some(Color::Black), Some(Color::White)][round % 3];
        let game = game(&mut random, checked);
        let mut graph = SearchGraph::new(50);
        let mut stored = vec![false; game.len()];
        for place in order(&mut random, game.len()) {
            add(&mut graph, &game, place);
            stored[place] = true;
            graph.settle();
            for at in (0..game.len()).filter(|&at| stored[at]) {
                let node = graph.find(at as u128).unwrap();
                let expected = follow(&game, &stored, &mut vec![at]);
                assert_eq!(graph.value(node), expected, "{round}, {at}: {game:?}");
                perpetual += u32::from(expected.abs() == PERPETUAL);
            }
        }
        components += u32::from(
            graph
                .components
                .iter()
                .any(|component| !component.is_empty()),
        );
    }
    assert!(
        components > 3000 && perpetual > 1000,
        "{components} {perpetual}"
    );
}

#[test]
fn many_at_once_are_as_one_by_one() {
    let mut random = SplitMix64::new(2);
    for round in 0..3000 {
        let checked = [None, Some(Color::White)][round % 2];
        let game = game(&mut random, checked);
        let (mut one, mut all) = (SearchGraph::new(50), SearchGraph::new(50));
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
                NewNode {
                    key,
                    turn,
                    in_check,
                },
                moves.iter().copied(),
            );
        }
        all.settle_all();
        for key in 0..game.len() as u128 {
            let value = |graph: &SearchGraph| graph.value(graph.find(key).unwrap());
            assert_eq!(value(&one), value(&all), "{round}: {game:?}");
        }
        // The choice does not depend on the order either.
        let chosen = |graph: &SearchGraph| {
            let root = graph.find(0).unwrap();
            let near = graph.nearest_leaf(root).map(|edge| graph.target(edge));
            let within = graph.leaf_within(root, 20, |key| key % 3 == 0);
            (near, within.map(|edge| graph.target(edge)))
        };
        assert_eq!(chosen(&one), chosen(&all), "{round}: {game:?}");
    }
}

/// The smallest distance of any leaf that can be reached, by following every line; with the leaf's key.
fn nearest(graph: &SearchGraph, game: &[Place], root: usize) -> Option<i32> {
    fn walk(
        (graph, game, root): (&SearchGraph, &[Place], usize),
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
        let value = graph.value(graph.find(root as u128).unwrap());
        for &(to, eval) in &game[place].moves {
            if let Some(node) = graph.find(to) {
                let far = far.max((value + sign * graph.value(node)).abs());
                if !path.contains(&(to as usize)) {
                    path.push(to as usize);
                    walk((graph, game, root), path, far, best);
                    path.pop();
                }
            } else {
                let far = far.max((value - sign * i32::from(eval)).abs());
                *best = Some(best.map_or(far, |best| best.min(far)));
            }
        }
    }
    let mut best = None;
    walk((graph, game, root), &mut vec![root], 0, &mut best);
    best
}

#[test]
fn the_nearest_leaf_is_chosen() {
    let mut random = SplitMix64::new(3);
    let mut principal = 0;
    for round in 0..5000 {
        let game = game(&mut random, None);
        let mut graph = SearchGraph::new(50);
        (0..game.len()).for_each(|place| {
            add(&mut graph, &game, place);
        });
        graph.settle();
        let root = random.remainder(game.len());
        let node = graph.find(root as u128).unwrap();
        let expected = nearest(&graph, &game, root);
        let chosen = graph.nearest_leaf(node);
        assert_eq!(chosen.is_some(), expected.is_some(), "{round}: {game:?}");
        if let (Some(_), Some(distance)) = (chosen, expected) {
            principal += u32::from(distance == 0);
            assert!(graph.leaf_within(node, distance, |_| true).is_some());
            assert!(graph.leaf_within(node, distance - 1, |_| true).is_none());
        }
    }
    // Most best lines end at a leaf, and not all: some repeat.
    assert!((3000..4999).contains(&principal), "{principal}");
}

fn line(key: u128, turn: Color, moves: &[Move]) -> (NewNode, Vec<Move>) {
    let facts = NewNode {
        key,
        turn,
        in_check: false,
    };
    (facts, moves.to_vec())
}

#[test]
fn a_leaf_that_is_searched_is_not_chosen_again_and_counts_less() {
    let mut graph = SearchGraph::new(50);
    // Both moves of the root lead to positions from which one move leads to the same position.
    for (new, moves) in [
        line(0, Color::Black, &[(1, 0), (2, 0)]),
        line(1, Color::White, &[(10, 30), (11, -60)]),
        line(2, Color::White, &[(10, 25), (12, 20)]),
    ] {
        graph.add(new, moves);
    }
    graph.settle();
    let root = graph.find(0).unwrap();
    let mut chosen = Vec::new();
    while let Some(edge) = graph.nearest_leaf(root) {
        let key = graph.target(edge);
        chosen.push((key, graph.value(root)));
        graph.take(key);
    }
    // At first the second move is the better one by 5; then the lost 50 are seen through both.
    assert_eq!(chosen, [(10, -25), (11, 20), (12, 20)]);
    // The result of its search replaces the loss.
    let (new, moves) = line(10, Color::Black, &[(20, 40)]);
    graph.add(new, moves);
    graph.settle();
    assert_eq!(graph.value(root), 40);
}

#[test]
fn what_ends_is_not_chosen_and_keeps_its_value() {
    let mut graph = SearchGraph::new(50);
    let (new, moves) = line(0, Color::Black, &[(10, 30), (11, 20)]);
    let root = graph.add(new, moves);
    graph.settle();
    graph.end(10, Some(-31_999));
    assert_eq!(graph.value(root), 20);
    assert_eq!(
        graph.nearest_leaf(root).map(|edge| graph.target(edge)),
        Some(11)
    );
    // Another way to the same position shares it.
    let (new, moves) = line(1, Color::Black, &[(10, 30)]);
    let other = graph.add(new, moves);
    graph.settle();
    assert_eq!(graph.value(other), -31_999);
    assert_eq!(graph.nearest_leaf(other), None);
    graph.end(11, Some(31_999));
    assert!(graph.value(root) >= DECIDED);
    assert_eq!(graph.nearest_leaf(root), None);
}
