import { from } from './promised.ts'

/** What holds in every durable engine, however it waits. */
export const COUNTERSIGN_WORKFLOWS = from('Countersign', {
  'CS-FLOW-1': {
    area: 'workflows',
    headline: true,
    says: 'A durable workflow waits for people as long as it takes; killed workers and restarts change neither the question, which is asked once, nor the answer.',
  },
  'CS-FLOW-2': {
    area: 'workflows',
    says: 'A wake-up carries no answer: forged, early, repeated, late or lost, a workflow goes on with what people answered, and with nothing else.',
  },
  'CS-FLOW-3': {
    area: 'workflows',
    says: 'Two gates of one workflow, the rounds of a loop and parallel branches never share an answer.',
  },
  'CS-FLOW-4': {
    area: 'workflows',
    says: 'A guarded step of a workflow runs at most once, whatever retries it; where its process died while it ran, the workflow reads that the outcome is unknown.',
  },
  'CS-FLOW-5': {
    area: 'workflows',
    says: 'A workflow that is cancelled withdraws its question.',
  },
  'CS-FLOW-6': {
    area: 'workflows',
    says: 'An answer that a user gives twice through an agent of Cloudflare never answers the next question of the workflow; a workflow that is restarted asks again.',
  },
  'CS-FLOW-7': {
    area: 'workflows',
    says: 'A Worker wakes its workflow only by a notice that its Countersign server signed within the last minutes; unsigned, altered, stale and foreign requests wake none.',
  },
  'CS-FLOW-8': {
    area: 'workflows',
    says: 'A workflow that waits is rows in two databases: it holds no timer, handle or connection of a process, and no statement is made for it until its next look.',
  },
  'CS-FLOW-9': {
    area: 'workflows',
    says: 'Tidying up withdraws a question only where the engine says that its workflow is over; where the engine does not know the workflow, the question stays and is reported.',
  },
  'CS-FLOW-10': {
    area: 'workflows',
    says: 'What a workflow reports is on the page of its run as plain text, secrets hidden, beside all that it asked; only the agent that asked reports there, and no report decides.',
  },
})
