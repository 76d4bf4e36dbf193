import assert from 'node:assert/strict';
import { test } from 'node:test';
import { positionOf, squareOf } from './rules.js';
import { fromGame, fromLine, lineFields, nodesByIndex, toGame } from './game-json.js';
import { fromJson, toJson } from './tree-file.js';
import { transcript } from './notation.js';
import { GameTree } from './tree.js';

const tiger = () => fromLine(undefined, ['f5', 'd6', 'c3', 'd3', 'c4']);

/** @param {GameTree} tree */
const line = (tree) =>
  transcript(
    tree
      .line()
      .slice(1)
      .map((node) => node.move),
  );

test('another move makes a branch, and the branch can become the main line', () => {
  const tree = tiger();
  tree.goToPly(1);
  assert.ok(tree.play(squareOf('f6')));
  assert.equal(tree.onMainLine(), false);
  assert.equal(tree.root.children[0].children.length, 2);
  tree.promote();
  assert.equal(tree.onMainLine(), true);
  assert.equal(
    transcript(
      tree
        .mainLine()
        .slice(1)
        .map((node) => node.move),
    ),
    'f5f6',
  );
});

test('walking, taking back, the end', () => {
  const tree = tiger();
  tree.first();
  tree.back();
  assert.equal(tree.current, tree.root);
  tree.last();
  assert.equal(tree.forward(), false);
  assert.equal(tree.undo(), true);
  assert.equal(line(tree), 'f5d6c3d3');
  tree.goToPly(2);
  assert.equal(tree.undo(), true);
  assert.equal(line(tree), 'f5');
  assert.equal(tree.play(squareOf('a1')), null);
});

test('a tree survives its file, with branches, values and the current node', () => {
  const tree = tiger();
  tree.current.comment = 'tiger';
  tree.evaluate(tree.current, { v: -2, level: 21 });
  tree.goToPly(1);
  tree.play(squareOf('f4'));
  const copy = fromJson(JSON.parse(JSON.stringify(toJson(tree))));
  assert.deepEqual(toJson(copy), toJson(tree));
  assert.equal(transcript(copy.moves()), 'f5f4');
  assert.throws(() => fromJson({ format: 'x' }), /game tree/);
  assert.throws(() => fromJson({ ...toJson(tree), tree: { children: [{ move: 'a1' }] } }), /not a legal move/);
});

test('a game in messages keeps branches, values and names', () => {
  const tree = tiger();
  tree.info.black = 'A';
  tree.evaluate(tree.current, { v: -2, level: 21 });
  tree.goToPly(1);
  tree.play(squareOf('f4'));
  const copy = fromGame(JSON.parse(JSON.stringify(toGame(tree))));
  assert.equal(copy.info.black, 'A');
  assert.equal(
    transcript(
      copy
        .mainLine()
        .slice(1)
        .map((node) => node.move),
    ),
    'f5d6c3d3c4',
  );
  assert.equal(copy.mainLine()[5].eval?.v, -2);
  assert.equal(copy.root.children[0].children.length, 2);
  assert.equal(toGame(tree, tree.current).nodes.length, 3);
});

test('a line from the start needs no board', () => {
  assert.deepEqual(lineFields(tiger()), { moves: ['f5', 'd6', 'c3', 'd3', 'c4'] });
});

test('a pass after the last move is part of the line', () => {
  const tree = fromLine('XO------------------------------------------------------XO------ X', ['c1']);
  assert.equal(tree.current.passed, true);
  assert.deepEqual(lineFields(tree).moves, ['c1', 'pass']);
});

test('indices of an analysis count forced passes', () => {
  const tree = tiger();
  const nodes = tree.line();
  nodes[2].passed = true;
  assert.deepEqual(nodesByIndex(nodes), [nodes[1], nodes[2], null, nodes[3], nodes[4], nodes[5]]);
});

test('losses come from the values around a move, or from an analysis', () => {
  const tree = tiger();
  const nodes = tree.line();
  tree.evaluate(nodes[0], { v: 0, level: 10 });
  tree.evaluate(nodes[1], { v: -3, level: 10 });
  tree.evaluate(nodes[2], { v: -1, level: 10 });
  nodes[4].loss = 5;
  assert.deepEqual(GameTree.losses(nodes), [null, 3, 2, null, 5, null]);
});

test('a shallower value does not replace a deeper one, a book value neither', () => {
  const tree = tiger();
  assert.equal(tree.evaluate(tree.root, { v: 1, level: 21 }), true);
  assert.equal(tree.evaluate(tree.root, { v: 2, level: 5 }), false);
  assert.equal(tree.evaluate(tree.root, { v: 0, level: 21, book: true }), true);
  assert.equal(tree.evaluate(tree.root, { v: 3, level: 25 }), false);
});

test('moves follow another position as far as they are legal, and lines are added aside', () => {
  const tree = tiger();
  tree.goToPly(1);
  tree.add([squareOf('f6'), squareOf('e6'), squareOf('a1'), squareOf('f4')]);
  assert.equal(transcript(tree.moves()), 'f5');
  assert.equal(tree.current.children.length, 2);
  const cells = tree.position.cells.slice();
  cells[squareOf('b1')] = 1;
  const same = tree.followingFrom(positionOf(cells, tree.position.side));
  assert.equal(line(same), 'd6c3d3c4');
  assert.equal(same.current, same.root);
  cells[squareOf('d5')] = 0;
  assert.equal(line(tree.followingFrom(positionOf(cells, tree.position.side))), 'f6e6');
});

test('a transformed tree is a game again', () => {
  const tree = tiger();
  const turned = tree.transformed('rotate180');
  assert.equal(transcript(turned.moves()), 'c4e3f6e6f5');
  assert.equal(line(turned.transformed('rotate180')), line(tree));
});
