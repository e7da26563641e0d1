import { from } from '../promised.ts'

/** What our own design adds for MCP clients that follow calls as tasks. */
export const COUNTERSIGN_TASKS = from('Countersign', {
  'CS-TASK-1': {
    area: 'servers',
    says: 'An MCP client that declares the tasks extension gets the handle of a task for a call that waits for a person, with the address of its card, and follows it to the result; other clients and other calls are answered as ever.',
  },
  'CS-TASK-2': {
    area: 'servers',
    says: 'A task outlives the process that made it: the approval on record says how it stands, its call runs at most once, and not on a server that has other settings by then.',
  },
  'CS-TASK-3': {
    area: 'servers',
    says: 'A task exists for its token alone: a forged, foreign or revoked id gets nothing and changes nothing, and nothing sent to a task decides about it unless it answers a question that was shown there.',
  },
  'CS-TASK-4': {
    area: 'servers',
    says: 'A task asks its client what a held call would ask, tells subscribers of its changes, and withdraws its question when it is cancelled.',
  },
})
