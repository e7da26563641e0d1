/** What a workflow reported of one of its runs, under the hash of who asked there and of the run. */
export const RUN_RECORD = 'workflow-run'
