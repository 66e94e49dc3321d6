/** Local activities of runs: what a run asks of the world beside its host tools. */
export { createActivities, type Activities } from './routes';
