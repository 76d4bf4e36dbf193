// The tabs of the shogi page.

import { runsPanel } from '../common/runs-panel.js';
import { bookPanel } from './panel-book.js';
import { enginePanel } from './panel-engine.js';
import { gamesPanel } from './panel-games.js';
import { graphPanel } from './panel-graph.js';
import { jobsPanel } from './panel-jobs.js';
import { movesPanel } from './panel-moves.js';
import { settingsPanel } from './panel-settings.js';

/** @type {Record<string, import('../common/tabs.js').Tab>} */
export const TABS = {
  moves: { panel: movesPanel },
  engine: { panel: enginePanel, cap: 'search' },
  book: { panel: bookPanel, cap: 'books' },
  graph: { panel: graphPanel },
  games: { panel: gamesPanel, cap: 'library' },
  jobs: { panel: jobsPanel, cap: 'jobs', badge: ({ jobs }) => jobs.running.length },
  runs: { panel: runsPanel, cap: 'runs', badge: ({ runs }) => runs.working.length },
  settings: { panel: settingsPanel },
};
