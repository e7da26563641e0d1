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
  'CS-PEOPLE-6': {
    area: 'locks',
    says: 'Whoever was removed and is added again starts anew: no yes, no lent place and no grant from before counts again, until they say it again.',
  },
  'CS-STANDIN-1': {
    area: 'locks',
    says: 'While somebody is away their stand-in may fill the places that name them, by address or group; a place that a role gives is not lent, and nothing is lent on by a stand-in.',
  },
  'CS-STANDIN-2': {
    area: 'locks',
    says: 'Nobody fills two places: a stand-in with a place of their own is one yes, whoever is away and their stand-in fill one place between them, and so do several stand-ins of one person.',
  },
  'CS-STANDIN-3': {
    area: 'locks',
    says: 'A stand-in lets nobody in who has a stake in the call, and nobody for somebody who has one.',
  },
  'CS-STANDIN-4': {
    area: 'locks',
    says: 'Whether somebody stands in is looked at inside the transaction that takes their answer: either it came before the end, or it is refused.',
  },
  'CS-STANDIN-5': {
    area: 'locks',
    says: 'A yes given for somebody stays when the stand-in ends; it stops counting when either is removed or locked, the absent loses the place, or an admin takes the stand-in back.',
  },
  'CS-STANDIN-6': {
    area: 'locks',
    says: 'Whoever is away names their stand-in, or an admin who is not to be the one; it has an end of at most 90 days, either of the two and admins end it, and the audit says who did what.',
  },
  'CS-STANDIN-7': {
    area: 'locks',
    says: 'An answer given for somebody says so wherever it is shown and in the audit.',
  },
  'CS-STANDIN-8': {
    area: 'locks',
    says: 'A grant made in somebody’s place covers calls only while its maker still stands in for them.',
  },
  'CS-STANDIN-9': {
    area: 'locks',
    says: 'Whoever stands in for somebody who is asked is told by channels as well, while they do, and the notice says for whom.',
  },
  'CS-UNREACH-1': {
    area: 'locks',
    says: 'When a removal, a lock or an edit leaves nobody who could approve a question, it is recorded once and the card says what is missing; the question itself stays as it is.',
  },
  'CS-UNREACH-2': {
    area: 'locks',
    says: 'Channels tell admins once each time a question becomes unanswerable, whatever the number of servers.',
  },
})
