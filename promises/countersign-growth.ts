import { from } from './promised.ts'

/** What stays as it is however long the history gets. */
export const COUNTERSIGN_GROWTH = from('Countersign', {
  'CS-GROWTH-1': {
    area: 'server',
    says: 'Questions that end together are ended by one look, in as few transactions as hold them.',
  },
  'CS-GROWTH-2': {
    area: 'server',
    says: 'Open inboxes hear of a change at once, while another transaction of the same Postgres cluster goes on; what they heard is not told again.',
  },
  'CS-GROWTH-3': {
    area: 'server',
    says: 'A change of people or sessions asks for all open streams at once; changes that come together share the question.',
  },
  'CS-GROWTH-4': {
    area: 'server',
    says: 'Entries of a span of time are found wherever they are in the record, without looking through what came before or after.',
  },
})
