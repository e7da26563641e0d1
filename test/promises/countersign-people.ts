import { from } from './promised.ts'

/** Who belongs here, and what becomes of their answers. */
export const COUNTERSIGN_PEOPLE = from('Countersign', {
  'CS-PEOPLE-1': {
    area: 'locks',
    says: 'When somebody is removed their sessions end and their earlier yeses stop counting at once, under every login with their address.',
  },
  'CS-PEOPLE-2': {
    area: 'locks',
    says: 'A removal is looked at again inside the transaction that spends a yes: either the claim came first, or nothing runs.',
  },
  'CS-PEOPLE-3': {
    area: 'locks',
    says: 'A question that nobody is left to approve says so, and a new one of that kind is refused instead of asked.',
  },
  'CS-PEOPLE-4': {
    area: 'locks',
    says: 'Only admins add, change and remove people, nobody does it to themselves, and the audit says who did what.',
  },
  'CS-PEOPLE-5': {
    area: 'locks',
    says: 'The audit says who signed in and out, made and revoked tokens, and applied a policy; each is written with the change itself, or neither is.',
  },
})
