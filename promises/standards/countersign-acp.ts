import { from } from '../promised.ts'

/** What our own design adds between editors and agents that speak ACP. */
export const COUNTERSIGN_ACP = from('Countersign', {
  'CS-ACP-1': {
    area: 'hooks',
    says: 'A permission that an ACP agent asks its editor for is judged by the policy, asked with every argument, and on record with its end; a yes for ever never reaches the agent.',
  },
  'CS-ACP-2': {
    area: 'hooks',
    says: 'A file that an ACP agent has its editor write, or a terminal that it opens there, waits for a person in the editor or the inbox, and happens as approved.',
  },
  'CS-ACP-3': {
    area: 'hooks',
    says: 'What the policy denies, the editor cannot decide, or its turn no longer waits for, and every unknown request, gets a no from `countersign acp`.',
  },
})
