import { from } from './promised.ts'

/** What others can check without believing us. */
export const COUNTERSIGN_PROOF = from('Countersign', {
  'CS-PROOF-1': {
    area: 'proof',
    says: 'A countersignature speaks for one exact call: another server, tool, argument, acting user or audience makes it count as absent.',
  },
  'CS-PROOF-2': {
    area: 'proof',
    says: 'A countersignature counts once, whatever the process that tries it.',
    headline: true,
  },
  'CS-PROOF-3': {
    area: 'proof',
    says: 'A countersignature lives at most five minutes from the moment its call was claimed.',
  },
  'CS-PROOF-4': {
    area: 'proof',
    says: 'Only Ed25519 signatures by keys you name count, whatever algorithm or key a token asks for.',
  },
  'CS-PROOF-5': {
    area: 'proof',
    says: 'Anyone can verify a countersignature offline, in Node, browsers and Workers, with one function.',
  },
  'CS-PROOF-6': {
    area: 'proof',
    says: 'A countersignature never answers a demand that the inner policy words differently, nor one for a surer answer.',
  },
  'CS-PROOF-7': {
    area: 'proof',
    says: 'A new signing key leaves the old one good for verifying what it signed.',
  },
  'CS-PROOF-8': {
    area: 'proof',
    says: "An agent's token gets a countersignature only for a call it has claimed, for exactly what people approved, and one alone.",
  },
  'CS-AUDIT-1': {
    area: 'proof',
    says: 'An entry that is changed, removed, moved or added to the signed record is found, with its place and what to do.',
  },
  'CS-AUDIT-7': {
    area: 'proof',
    says: 'A row of an approval, vote, claim, grant, its uses, lock, stand-in, switch, token, person, passkey or kept policy that was changed, put back, removed or added is found.',
  },
  'CS-AUDIT-2': {
    area: 'proof',
    says: 'An exported record is verified without a database, by a short program that anyone can write from its description.',
  },
  'CS-AUDIT-3': {
    area: 'proof',
    says: 'Content can be erased, and the record goes on verifying.',
  },
  'CS-AUDIT-4': {
    area: 'proof',
    says: 'A record that was rewritten whole and signed anew contradicts every checkpoint that was kept elsewhere.',
  },
  'CS-AUDIT-5': {
    area: 'proof',
    says: 'Verifying and exporting change nothing in a database, not even in a copy of one.',
  },
  'CS-AUDIT-8': {
    area: 'proof',
    says: 'A second verifier, in Python and written from the description alone, agrees with ours on every tampered record and forged countersignature.',
  },
  'CS-AUDIT-9': {
    area: 'proof',
    says: 'A record that was dumped and restored into another Postgres cluster is shown whole and in order, and only what is new is told.',
  },
  'CS-AUDIT-10': {
    area: 'proof',
    says: 'From a checkpoint that was kept, everything since is verified without reading what came before; the answer says so, and a checkpoint that is not this record’s vouches for nothing.',
  },
  'CS-EVIDENCE-1': {
    area: 'proof',
    says: 'The texts of every policy that came into force are sealed in the record, and `retain` leaves them.',
  },
  'CS-EVIDENCE-2': {
    area: 'proof',
    says: 'Refused attempts to decide, to sign in and to act without the right are on record, with who tried; repeating them does not fill the disk.',
  },
  'CS-EVIDENCE-3': {
    area: 'proof',
    says: 'How often the policy let calls through and denied them is on record, by agent, tool and rule, without a write for each call.',
  },
  'CS-EVIDENCE-4': {
    area: 'proof',
    says: 'From an exported record alone, a short program ties the arguments to the digest that people decided about, and the policy’s texts to its event.',
  },
  'CS-EVIDENCE-10': {
    area: 'proof',
    says: 'A report names each call that people were asked about, who answered it how surely and why, and under which policy; it is made from a record that verifies, or not at all.',
  },
  'CS-EVIDENCE-11': {
    area: 'proof',
    says: 'An access review says from the record who had which roles and tokens at any moment, by whom, and what changed in a period.',
  },
  'CS-EVIDENCE-12': {
    area: 'proof',
    says: 'A report on separation of duties names deciders who were the acting user, had set the policy of the call or were admitted by another decider of it, and attempts that were refused.',
  },
  'CS-EVIDENCE-13': {
    area: 'proof',
    says: 'A signed report verifies byte by byte with the keys of the record, without the server.',
  },
  'CS-HOLD-1': {
    area: 'proof',
    says: 'What a legal hold names is not erased until an admin releases it, whatever `retain` says, in every process on the database and however a sweep and the hold meet.',
  },
  'CS-HOLD-2': {
    area: 'proof',
    says: 'Only admins place and release legal holds, on record and with a reason; one that cannot be read keeps everything, and a row that was changed, removed or added is found.',
  },
  'CS-ERASE-1': {
    area: 'proof',
    says: 'Erasing a person ends every login with their address, erases what they wrote, what was done for them and what holds their address, and the record goes on verifying.',
  },
  'CS-ERASE-2': {
    area: 'proof',
    says: 'No person is erased whom a legal hold names, and nothing that another hold or an open call needs.',
  },
  'CS-EVIDENCE-14': {
    area: 'proof',
    says: 'A report on legal holds names what was held when, who placed and released each hold, and why.',
  },
  'CS-KEY-1': {
    area: 'proof',
    says: 'A record verifies across the rotation of its signing keys, and what a key signs after it was revoked does not count: checkpoints, countersignatures, reports.',
  },
  'CS-KEY-2': {
    area: 'proof',
    says: 'A server whose signing key is revoked while it runs signs with another one from then on.',
  },
  'CS-KEY-3': {
    area: 'proof',
    says: 'A signing key may live elsewhere and sign by a program; what that program writes is used only if it is a signature of the named key.',
  },
  'CS-STREAM-1': {
    area: 'proof',
    says: '`countersign audit stream` passes every entry and checkpoint on at least once, to a file or a syslog collector, and goes on where it was after a kill.',
  },
  'CS-STREAM-2': {
    area: 'proof',
    says: 'An audit stream stops at an entry that was changed or removed since it was delivered, and a file it wrote is a witness that `audit verify` holds the record to.',
  },
  'CS-STREAM-3': {
    area: 'proof',
    says: 'A collector that is slow, away or not the one its certificate names gets nothing that counts as delivered, and delays no call.',
  },
  'CS-AUDIT-6': {
    area: 'proof',
    says: 'While a server checks its whole record, however long it is, decisions and calls get their turns in between.',
  },
})
