/** What the script worker registers. */
export { scriptRun } from './script-run';
