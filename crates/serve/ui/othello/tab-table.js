// The tabs of the othello page.

import { runsPanel } from '../common/runs-panel.js';
import { movesPanel } from './panel-moves.js';
import { graphPanel } from './panel-graph.js';
import { bookPanel } from './panel-book.js';
import { gamesPanel } from './panel-games.js';
import { jobsPanel } from './panel-jobs.js';
import { settingsPanel } from './panel-settings.js';

/** @type {Record<string, import('../common/tabs.js').Tab>} */
export const TABS = {
  moves: { panel: movesPanel },
  graph: { panel: graphPanel },
  book: { panel: bookPanel, cap: 'books' },
  games: { panel: gamesPanel, cap: 'library' },
  jobs: {
    panel: jobsPanel,
    name: ({ app }) => (app.link.can('jobs') ? 'tab.jobs' : 'tab.log'),
    badge: ({ jobs }) => jobs.running.length,
  },
  runs: { panel: runsPanel, cap: 'runs', badge: ({ runs }) => runs.working.length },
  settings: { panel: settingsPanel },
};
