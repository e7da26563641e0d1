import { from } from '../promised.ts'

/** What our own design adds for MCP clients that follow calls as tasks. */
export const COUNTERSIGN_TASKS = from('Countersign', {
  'CS-TASK-1': {
    area: 'servers',
    says: 'An MCP client that declares the tasks extension gets a task for a call that waits for a person, with the address of its card, and follows it to the result.',
  },
  'CS-TASK-2': {
    area: 'servers',
    says: 'A task outlives its process: the approval on record says how it stands, and its call runs at most once, on no server with other settings.',
  },
  'CS-TASK-3': {
    area: 'servers',
    says: 'A task exists for its token alone: forged, foreign and revoked ids get nothing, and only an answer to a question that was shown counts.',
  },
  'CS-TASK-4': {
    area: 'servers',
    says: 'A task asks its client what a held call would ask, tells subscribers of its changes, and withdraws its question when it is cancelled.',
  },
})
