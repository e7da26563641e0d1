import { from } from './promised.ts'

/** Locks, which no call passes, and people: who may answer. */
export const COUNTERSIGN_LOCKS = from('Countersign', {
  'CS-LOCK-1': {
    area: 'locks',
    says: 'A lock on an agent, a tool, a server, a tool of a server, or everything holds at once and in every process: no call asks, nothing starts, and the model is told.',
  },
  'CS-LOCK-2': {
    area: 'locks',
    says: 'A lock is looked at again inside the transaction that spends a yes: either the claim came first, or nothing runs.',
  },
  'CS-LOCK-3': {
    area: 'locks',
    says: 'Calls that the policy allows without asking are refused while they are locked, too.',
  },
  'CS-LOCK-4': {
    area: 'locks',
    says: 'A gate that cannot confirm what is locked for a minute runs nothing until it can.',
  },
  'CS-LOCK-5': {
    area: 'locks',
    says: 'A locked person decides nothing and is told why, and their earlier approvals stop counting.',
  },
  'CS-LOCK-6': {
    area: 'locks',
    says: 'Approvers and admins lock, only admins lift or lock a person; the audit says who did what.',
  },
  'CS-LOCK-7': {
    area: 'locks',
    says: 'An approval under a lock stays as it is while its clock goes on, and its card says so.',
  },
})
