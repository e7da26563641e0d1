import { from } from '../promised.ts'

/** What our own design adds for agents that speak A2A. */
export const COUNTERSIGN_A2A = from('Countersign', {
  'CS-ATOA-1': {
    area: 'asking',
    says: 'A message to an A2A agent that needs approval is a task in `TASK_STATE_AUTH_REQUIRED` with the link to its card; it runs once after a yes, and a later message decides nothing.',
  },
  'CS-ATOA-2': {
    area: 'answers',
    says: 'An approval of an A2A message is for its exact content in its task: the same id with other words, another task or a copy asks anew.',
  },
})
