import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromGame, fromKept, fromLine, toGame, toKept } from './game-json.js';
import { GameTree, forBlack, negated, scoreNumber } from './tree.js';

function branched() {
  const tree = new GameTree();
  for (const move of ['7g7f', '3c3d', '2g2f']) tree.play(move);
  tree.first();
  tree.forward();
  tree.play('8c8d');
  return tree;
}

test('another move makes a branch, the same move does not', () => {
  const tree = branched();
  assert.equal(tree.onMainLine(), false);
  assert.deepEqual(tree.moves(), ['7g7f', '8c8d']);
  tree.back();
  tree.play('3c3d');
  assert.equal(tree.onMainLine(), true);
  assert.equal(tree.root.children[0].children.length, 2);
  assert.equal(tree.play('3c3d'), null);
});

test('walks go along the line through the current node', () => {
  const tree = branched();
  tree.goToPly(1);
  assert.deepEqual(tree.moves(), ['7g7f']);
  tree.last();
  assert.deepEqual(tree.moves(), ['7g7f', '3c3d', '2g2f']);
  tree.goToPly(99);
  assert.equal(tree.ply(), 3);
  tree.toBranch();
  assert.deepEqual(tree.moves(), ['7g7f']);
});

test('a branch becomes the main line and moves among its siblings', () => {
  const tree = branched();
  tree.promote();
  assert.deepEqual(
    tree.mainLine().map((node) => node.move),
    ['', '7g7f', '8c8d'],
  );
  tree.shift(tree.current, 1);
  assert.deepEqual(
    tree.mainLine().map((node) => node.move),
    ['', '7g7f', '3c3d', '2g2f'],
  );
});

test('what was removed comes back where it was', () => {
  const tree = branched();
  tree.first();
  tree.forward();
  tree.forward();
  assert.equal(tree.undo(), true);
  assert.deepEqual(tree.moves(), ['7g7f']);
  assert.deepEqual(
    tree.mainLine().map((node) => node.move),
    ['', '7g7f', '8c8d'],
  );
  assert.equal(tree.restore(), true);
  assert.deepEqual(
    tree.mainLine().map((node) => node.move),
    ['', '7g7f', '3c3d', '2g2f'],
  );
  assert.equal(tree.restore(), false);
});

test('a tree goes through its message with notes, endings and branches', () => {
  const tree = branched();
  tree.current.comment = 'hm';
  tree.current.score = { cp: 34 };
  tree.current.depth = 12;
  tree.root.children[0].time = 1200;
  tree.mainLine()[3].end = 'TORYO';
  tree.info.black = 'A';
  const game = toGame(tree);
  assert.deepEqual(game.nodes.slice(0, 2), [
    { parent: null, move: null },
    { parent: 0, move: '7g7f', time_ms: 1200 },
  ]);
  assert.deepEqual(game.nodes[5], { parent: 3, move: null, end: 'TORYO' });
  const back = fromGame(JSON.parse(JSON.stringify(game)));
  assert.deepEqual(toGame(back), game);
  const kept = fromKept(JSON.parse(JSON.stringify(toKept(tree))));
  assert.deepEqual(kept.moves(), ['7g7f', '8c8d']);
  assert.equal(kept.current.comment, 'hm');
});

test('only some nodes are written', () => {
  const tree = branched();
  assert.deepEqual(
    toGame(tree, tree.path()).nodes.map((node) => node.move),
    [null, '7g7f', '8c8d'],
  );
});

test('lines from elsewhere become trees', () => {
  assert.deepEqual(fromLine(undefined, ['7g7f', '3c3d']).mainLine().length, 3);
  const handicap = fromLine('4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1', ['5a5b']);
  assert.deepEqual(handicap.lineFields(handicap.root), {
    sfen: '4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1',
    moves: [],
  });
  assert.deepEqual(new GameTree().lineFields(), { moves: [] });
  assert.throws(() => fromGame({ sfen: 'x', nodes: [] }));
});

test('scores', () => {
  const tree = new GameTree();
  assert.equal(tree.evaluate(tree.root, { cp: 10 }, 12), true);
  assert.equal(tree.evaluate(tree.root, { cp: 20 }, 8), false);
  assert.equal(tree.evaluate(tree.root, { cp: 20 }, 12), true);
  assert.deepEqual(forBlack({ cp: 5 }, 1), { cp: -5 });
  assert.deepEqual(negated({ mate: 3 }), { mate: -3 });
  assert.ok(scoreNumber({ mate: 3 }) > scoreNumber({ mate: 5 }));
  assert.ok(scoreNumber({ mate: -3 }) < scoreNumber({ cp: -20000 }));
  assert.ok(scoreNumber({ mate: -3 }) < scoreNumber({ mate: -9 }));
});

test('positions that come again are counted', () => {
  const tree = new GameTree();
  for (let i = 0; i < 2; i++) for (const move of ['2h3h', '8b7b', '3h2h', '7b8b']) tree.play(move);
  assert.equal(tree.times(), 3);
});
