import { from } from './promised.ts'

/** What our own design says of standing permissions. */
export const COUNTERSIGN_GRANTS = from('Countersign', {
  'CS-GRANT-1': {
    area: 'grants',
    says: 'A grant lets a call run only if the person who made it could have approved exactly this call alone, then and now.',
    headline: true,
  },
  'CS-GRANT-2': {
    area: 'grants',
    says: 'Two calls that race for the last use, or the rest of a budget, in however many processes: one gets it, the other is asked about.',
  },
  'CS-GRANT-3': {
    area: 'grants',
    says: 'A grant always has an end, and covers nothing from that moment on, nor after it was revoked.',
  },
  'CS-GRANT-4': {
    area: 'grants',
    says: 'An argument that cannot be tested, or is no amount of zero or more, is not covered.',
  },
  'CS-GRANT-5': {
    area: 'grants',
    says: 'A grant never loosens anything else: what policy or governance denies, locks, two people, `grants: false` and risk L5 stay as they are.',
  },
  'CS-GRANT-6': {
    area: 'grants',
    says: 'A use is counted in the same transaction as the call is let through; a crash after that leaves the outcome `unknown` and the use spent.',
  },
  'CS-GRANT-7': {
    area: 'grants',
    says: 'Unless its maker widens it, a grant made from an approval covers the same call with all arguments exactly equal, in the same run.',
  },
  'CS-GRANT-8': {
    area: 'grants',
    says: 'Making, using, revoking and expiring of a grant are in the audit chain; every use names its call.',
  },
  'CS-GRANT-9': {
    area: 'grants',
    says: 'Agents can neither make nor see grants, and people make them only for calls they may decide.',
  },
  'CS-GRANT-10': {
    area: 'grants',
    says: 'Before a grant is made, it is tried on recorded calls of the same agent and tool: how many it would have let through, and how many of those people denied or edited. Hidden values take no part in it.',
  },
})
