import { from } from '../promised.ts'

/** What our own design adds for agents that speak AG-UI. */
export const COUNTERSIGN_AG_UI = from('Countersign', {
  'CS-AGUI-1': {
    area: 'asking',
    says: 'A tool call of an AG-UI run that waits ends the run as an interrupt with the approval and its link; the run that resumes it runs what was approved, once.',
  },
  'CS-AGUI-2': {
    area: 'answers',
    says: 'What an AG-UI client sends decides nothing: neither its answer to an interrupt nor a changed conversation runs a call that was not approved in this thread with these arguments.',
  },
})
