// Jobs of the back end: learning, fixing, merging and other work on books. They go on when the page is closed.

/** @typedef {import('./page-app.js').PageApp<any>} App */

/**
 * @typedef {object} Job
 * @property {number} job
 * @property {string} kind
 * @property {string} state
 * @property {string} stage
 * @property {string} done
 * @property {string | null} total
 * @property {string} unit
 * @property {number | null} rate
 * @property {number} elapsed_s
 * @property {number | null} eta_s
 * @property {string} command
 * @property {string | null} text
 * @property {{root: string, path: string} | null} output
 * @property {{levels: {level: number, n: number}[], plies: {ply: number, n: number}[]} | {counts: {name: string, n: number}[]} | null} [result]
 */

export class Jobs {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Job[]} the newest first */
    this.list = [];
    app.link.on('online', () => this.reload());
    app.link.on('job', (event) => this.take(/** @type {any} */ (event)));
  }

  get running() {
    return this.list.filter((job) => ['queued', 'running', 'pausing'].includes(job.state));
  }

  async reload() {
    if (!this.app.link.can('jobs')) return;
    try {
      const answer = await this.app.link.ask('jobs');
      this.list = (answer.jobs ?? []).sort((/** @type {Job} */ a, /** @type {Job} */ b) => b.job - a.job);
      this.app.changed('jobs');
    } catch (error) {
      this.app.sayError(error);
    }
  }

  /** @param {Job} job */
  take(job) {
    const known = this.list.some((other) => other.job === job.job);
    this.list = known
      ? this.list.map((other) => (other.job === job.job ? { ...other, ...job } : other))
      : [job, ...this.list];
    this.app.changed('jobs');
  }

  /** @param {string} kind @param {object} fields @returns {Promise<number | null>} the number of the job */
  async start(kind, fields) {
    try {
      const answer = await this.app.link.ask('job.start', { kind, ...fields });
      await this.reload();
      return answer.job ?? null;
    } catch (error) {
      this.app.sayError(error);
      return null;
    }
  }

  /** @param {number} job @param {'pause' | 'resume' | 'stop'} what */
  async command(job, what) {
    try {
      await this.app.link.ask(`job.${what}`, { job });
    } catch (error) {
      this.app.sayError(error);
    }
  }
}
