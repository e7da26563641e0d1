import { from } from './promised.ts'

/** Who belongs here, and what becomes of their answers. */
export const COUNTERSIGN_PEOPLE = from('Countersign', {
  'CS-PEOPLE-1': {
    area: 'locks',
    says: 'Removing a person ends their sessions and voids their earlier approvals at once, under every login with their address.',
  },
  'CS-PEOPLE-2': {
    area: 'locks',
    says: 'A removal is looked at again inside the transaction that spends a yes: either the claim came first, or nothing runs.',
  },
  'CS-PEOPLE-3': {
    area: 'locks',
    says: 'A question without enough eligible approvers says so, and a new one of that kind is refused instead of asked.',
  },
  'CS-PEOPLE-4': {
    area: 'locks',
    says: 'Only admins add, change and remove people, never themselves, and the audit says who did what.',
  },
  'CS-PEOPLE-5': {
    area: 'locks',
    says: 'The audit says who signed in and out, made and revoked tokens, and applied a policy; each is written with the change itself, or neither is.',
  },
  'CS-PEOPLE-6': {
    area: 'locks',
    says: 'A person who was removed and is added again starts anew: no earlier approval, lent place or grant counts until they give it again.',
  },
  'CS-PEOPLE-7': {
    area: 'locks',
    says: 'An invitation signs one person in, once, within its time, and makes an account that is a viewer under an address no rule goes by; used, revoked, forged and old ones say so.',
  },
  'CS-PEOPLE-8': {
    area: 'locks',
    says: 'An admin who made an invitation gives its account no role, vouches for no address of it and makes it no stand-in for others, so that no admin becomes two people.',
  },
  'CS-STANDIN-1': {
    area: 'locks',
    says: 'While a person is away, their stand-in may fill the places that name them by address or group; a place given by a role is not lent, and a stand-in lends nothing on.',
  },
  'CS-STANDIN-2': {
    area: 'locks',
    says: 'No person fills two places: a stand-in with a place of their own counts once; an absent person and their stand-ins, one or several, fill one place between them.',
  },
  'CS-STANDIN-3': {
    area: 'locks',
    says: 'A person with a stake in the call can neither answer it as a stand-in nor be stood in for.',
  },
  'CS-STANDIN-4': {
    area: 'locks',
    says: 'A stand-in is checked in the transaction that records the answer: the answer came before the stand-in ended, or it is refused.',
  },
  'CS-STANDIN-5': {
    area: 'locks',
    says: 'A yes given as a stand-in stays when the stand-in ends; it stops counting when either is removed or locked, the absent loses the place, or an admin takes the stand-in back.',
  },
  'CS-STANDIN-6': {
    area: 'locks',
    says: 'An absent person, or an admin who is not the stand-in, sets a stand-in for at most 90 days; either of the two and admins can end it, and the audit says who did what.',
  },
  'CS-STANDIN-7': {
    area: 'locks',
    says: 'An answer given as a stand-in names the absent person wherever it is shown and in the audit.',
  },
  'CS-STANDIN-8': {
    area: 'locks',
    says: 'A grant made as a stand-in covers calls only while its maker still stands in for the absent person.',
  },
  'CS-STANDIN-9': {
    area: 'locks',
    says: 'Channels also notify the current stand-ins of the people asked, and the notice says for whom.',
  },
  'CS-UNREACH-1': {
    area: 'locks',
    says: 'When a removal, a lock or an edit leaves a question without enough eligible approvers, that is recorded once and the card says what is missing; the question itself stays.',
  },
  'CS-UNREACH-2': {
    area: 'locks',
    says: 'Channels tell admins once each time a question becomes unanswerable, whatever the number of servers.',
  },
})
