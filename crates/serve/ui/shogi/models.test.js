import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Analysis } from './analysis.js';
import { App } from './app.js';
import { BookLists } from './book-lists.js';
import { Books } from './books.js';
import { Engines } from './engines.js';
import { Players } from './players.js';
import { Research, withoutTwins } from './research.js';
import { Runs } from '../common/runs.js';

/** A page whose back end is this test: requests are kept, answers are given by hand. @param {string[]} caps */
function page(caps = ['shogi', 'search', 'books', 'runs']) {
  const app = new App();
  clearTimeout(app.keepTimer);
  app.keep = () => {};
  app.say = () => {};
  /** @type {any[]} */
  const sent = [];
  app.link.opened((text) => sent.push(JSON.parse(text)));
  app.link.receive(JSON.stringify({ ev: 'hello', proto: 1, build: 't', caps }));
  const last = (/** @type {string} */ op) => sent.filter((message) => message.op === op).at(-1);
  const answer = (/** @type {string} */ op, /** @type {object[]} */ events, why = 'finished', more = {}) => {
    const { id } = last(op);
    for (const event of events) app.link.receive(JSON.stringify({ id, ...event }));
    if (why) app.link.receive(JSON.stringify({ id, ev: 'done', why, ...more }));
    return new Promise((resolve) => setImmediate(resolve));
  };
  return { app, sent, last, answer };
}

const THOUGHT = {
  ev: 'thought',
  engine: 'own',
  side: 'black',
  lines: [
    {
      line: 1,
      move: '7g7f',
      score: { cp: 50 },
      bound: null,
      depth: 12,
      sel_depth: 20,
      pv: ['7g7f', '3c3d'],
      end: null,
    },
    { line: 2, move: '2g2f', score: { cp: 30 }, bound: null, depth: 12, sel_depth: 20, pv: ['2g2f'], end: null },
  ],
  book: [],
  nodes: '1000',
  nps: '1000',
  hashfull: 1,
  ms: 1,
  final: false,
};

test('research follows the position and keeps what engines said', async () => {
  const { app, sent, last, answer } = page();
  const research = new Research(app, new Engines(app));
  research.engines.take([/** @type {any} */ ({ engine: 'own', name: 'Own', options: [] })]);
  research.toggle();
  assert.deepEqual(last('think').moves, []);
  const first = last('think').id;
  await answer('think', [THOUGHT], '');
  assert.equal(research.at()[0].lines.length, 2);
  assert.deepEqual(app.tree.root.score, { cp: 50 });
  const root = app.tree.current;
  app.play('7g7f');
  assert.deepEqual(last('think').moves, ['7g7f']);
  assert.equal(last('think').replaces, first);
  assert.equal(research.at().length, 0);
  assert.equal(research.at(root).length, 1);
  research.toggleMove('3c3d');
  assert.deepEqual(last('think').search_moves, ['3c3d']);
  research.toggle();
  assert.equal(last('stop').id, last('think').id);
  assert.equal(sent.filter((message) => message.op === 'think').length, 3);
});

test('a score for white is kept for black', async () => {
  const { app, answer } = page();
  const research = new Research(app, new Engines(app));
  research.engines.take([/** @type {any} */ ({ engine: 'own', name: 'Own', options: [] })]);
  app.play('7g7f');
  research.toggle();
  await answer(
    'think',
    [{ ...THOUGHT, side: 'white', lines: [{ ...THOUGHT.lines[0], move: '3c3d', pv: ['3c3d'] }] }],
    '',
  );
  assert.deepEqual(app.tree.current.score, { cp: -50 });
});

test('the engine answers in a game, and the research waits meanwhile', async () => {
  const { app, sent, last, answer } = page();
  const research = new Research(app, new Engines(app));
  research.engines.take([/** @type {any} */ ({ engine: 'own', name: 'Own', options: [] })]);
  const players = new Players(app);
  research.toggle();
  app.settings.set('play.white', 'own');
  players.begin({ main: 60_000, byoyomi: 10_000, increment: 0 });
  assert.equal(last('play'), undefined);
  app.play('7g7f');
  assert.equal(last('play').engine, 'own');
  assert.equal(last('play').clock.byoyomi_ms, 10_000);
  assert.equal(research.running, false);
  await answer('play', [{ ev: 'play', answer: 'move', move: '3c3d', score: { cp: 10 }, depth: 5, from: 'search' }]);
  assert.deepEqual(app.tree.moves(), ['7g7f', '3c3d']);
  assert.equal(research.running, true);
  app.play('2g2f');
  await answer('play', [{ ev: 'play', answer: 'resign', move: null }]);
  assert.equal(app.over, 'TORYO');
  assert.equal(players.started, false);
  players.pause();
  assert.equal(sent.filter((message) => message.op === 'play').length, 2);
});

test('taking back takes the engine’s answer with it', async () => {
  const { app, answer } = page();
  const players = new Players(app);
  app.settings.set('play.white', 'own');
  players.begin({ main: 0, byoyomi: 0, increment: 0 });
  app.play('7g7f');
  await answer('play', [{ ev: 'play', answer: 'move', move: '3c3d' }]);
  players.takeBack();
  assert.deepEqual(app.tree.moves(), []);
  players.pause();
});

test('an analysis gives moves their judgement and positions their scores', async () => {
  const { app, last, answer } = page();
  const analysis = new Analysis(app);
  for (const move of ['7g7f', '3c3d']) app.play(move);
  const started = analysis.start();
  assert.equal(last('analyze').game.nodes.length, 3);
  const found = {
    ev: 'analyzed',
    key: 2,
    index: 1,
    node: 2,
    ply: 2,
    side: 'white',
    move: '3c3d',
    score: { cp: -100 },
    best: '8c8d',
    best_score: { cp: 20 },
    loss: 120,
    depth: 9,
    pv: [],
    judge: 'mistake',
    kinds: [],
  };
  await answer('analyze', [found, { ev: 'progress', done: 1, total: 2 }, { ev: 'summary', black: {}, white: {} }]);
  await started;
  assert.equal(app.tree.current.found.judge, 'mistake');
  assert.deepEqual(app.tree.current.score, { cp: 100 });
  assert.deepEqual(app.tree.root.children[0].score, { cp: -20 });
  assert.deepEqual([analysis.done, analysis.total, analysis.running], [1, 2, false]);
});

const BOOK = {
  book: 'b1',
  name: 'a.db',
  file: { root: 'r', path: 'a.db' },
  format: 'db',
  bytes: '1',
  positions: '1',
  rev: 1,
  edits: 0,
  redos: 0,
  can_edit: true,
  note: null,
  order: 'sorted',
  unsorted_line: null,
  engine: true,
};

test('books are asked at each position, and edits say what they know', async () => {
  const { app, last, answer } = page();
  const books = new Books(app);
  books.take({ ev: 'books', books: [BOOK] });
  assert.equal(last('book.at').positions.length, 1);
  await answer('book.at', [
    {
      ev: 'book',
      positions: [
        { books: [{ book: 'b1', matched: 'exact', comment: '', ply: 1, moves: [{ move: '7g7f', score: 3 }] }] },
      ],
    },
  ]);
  assert.equal(books.moves[0].move, '7g7f');
  const edited = books.edit([{ first: '7g7f' }], 'said');
  assert.equal(last('book.edit').rev, 1);
  await answer('book.edit', [], 'error', { text: 'the book was changed meanwhile', where: { rev: 3 } });
  await answer('book.list', [{ ev: 'books', books: [{ ...BOOK, rev: 3 }] }]);
  assert.equal(await edited, false);
  assert.equal(books.conflict, 'the book was changed meanwhile');
  assert.equal(books.current?.rev, 3);
});

test('answers for a position that was left are dropped', async () => {
  const { app, last, answer } = page();
  const books = new Books(app);
  books.take({ ev: 'books', books: [BOOK] });
  const { id } = last('book.at');
  app.play('7g7f');
  assert.equal(last('book.at').replaces, id);
  app.link.receive(
    JSON.stringify({ id, ev: 'book', positions: [{ books: [{ book: 'b1', moves: [{ move: 'x' }] }] }] }),
  );
  app.link.receive(JSON.stringify({ id, ev: 'done', why: 'replaced' }));
  await answer('book.at', [{ ev: 'book', positions: [{ books: [] }] }]);
  assert.deepEqual(books.moves, []);
});

test('lists of a book grow while they stream, and the tree knows its lines', async () => {
  const { app, answer } = page();
  const books = new Books(app);
  books.take({ ev: 'books', books: [BOOK] });
  const lists = new BookLists(app, books);
  const searched = lists.search({ score: [0, 100] });
  await answer('book.search', [
    { ev: 'found', key: 0, positions: [{ sfen: 'a' }] },
    { ev: 'found', key: 1, positions: [{ sfen: 'b' }] },
  ]);
  await searched;
  assert.equal(lists.rows.length, 2);
  const loaded = lists.loadTree();
  await answer('book.tree', [
    {
      ev: 'tree',
      more: false,
      nodes: [
        { node: 0, parent: null, move: null },
        { node: 1, parent: 0, move: '7g7f' },
        { node: 2, parent: 1, move: '3c3d' },
      ],
    },
  ]);
  await loaded;
  assert.deepEqual(lists.movesTo(2), ['7g7f', '3c3d']);
});

test('runs are followed once somebody has looked', async () => {
  const { app, sent, answer } = page();
  const runs = new Runs(app);
  app.link.receive(JSON.stringify({ ev: 'runs_changed', runs: [{ run: 'a' }] }));
  assert.deepEqual(runs.list, []);
  const loaded = runs.reload();
  await answer('runs', [{ ev: 'runs', runs: [{ run: 'a', state: 'running' }], sources: [], books: [] }]);
  await loaded;
  app.link.receive(
    JSON.stringify({
      ev: 'runs_changed',
      runs: [
        { run: 'a', state: 'done' },
        { run: 'b', state: 'running' },
      ],
      gone: [],
    }),
  );
  assert.deepEqual(
    runs.list.map((run) => [run.run, run.state]),
    [
      ['b', 'running'],
      ['a', 'done'],
    ],
  );
  app.link.receive(JSON.stringify({ ev: 'runs_changed', gone: ['a'] }));
  assert.equal(runs.working.length, 1);
  assert.equal(sent.filter((message) => message.op === 'runs').length, 1);
});

test('a preview shows a line without playing it', () => {
  const { app } = page();
  app.show(['7g7f', '3c3d', '9z9z']);
  assert.equal(app.preview?.last, '3c3d');
  assert.deepEqual(app.tree.moves(), []);
  app.play('2g2f');
  assert.equal(app.preview, null);
});

test('a move stands in one line only while an iteration is under way', () => {
  const line = (/** @type {number} */ number, /** @type {string} */ move, /** @type {number} */ depth) =>
    /** @type {any} */ ({ line: number, move, depth });
  const before = [line(1, '2g2f', 11), line(2, '7g7f', 11), line(3, '1g1f', 11)];
  const told = [line(1, '7g7f', 12), line(2, '7g7f', 11), line(3, '1g1f', 11)];
  assert.deepEqual(
    withoutTwins(told, before).map((one) => [one.line, one.move, one.depth]),
    [
      [1, '7g7f', 12],
      [2, '1g1f', 11],
      [3, '2g2f', 11],
    ],
  );
  assert.equal(withoutTwins(before, []), before);
});
