import { from } from './promised.ts'

/** What our own design adds for agents that speak AG-UI. */
export const COUNTERSIGN_AG_UI = from('Countersign', {
  'CS-AGUI-1': {
    area: 'asking',
    says: 'A tool call of an AG-UI run that waits for a person ends the run with an interrupt that carries the approval and its link; the run that resumes it runs what was approved, once, and everything else is told to the model.',
  },
  'CS-AGUI-2': {
    area: 'answers',
    says: 'What an AG-UI client sends decides nothing: neither its answer to an interrupt nor a changed conversation runs a call that was not approved in this thread with these arguments.',
  },
})
