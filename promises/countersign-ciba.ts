import { from } from './promised.ts'

/** People are asked on their device by the provider that they sign in with (CIBA). */
export const COUNTERSIGN_CIBA = from('Countersign', {
  'CS-CIBA-1': {
    area: 'answers',
    says: 'The OpenID provider that people sign in with asks an approver on their device; a yes approves the digest that was asked about, a no denies, and no answer leaves the call pending.',
  },
  'CS-CIBA-2': {
    area: 'questions',
    says: 'The provider is told the tool’s name and eight digits of the digest, never an argument; calls above the operator’s risk limit or needing more than yes or no stay in the inbox.',
  },
  'CS-CIBA-3': {
    area: 'server',
    says: 'A yes by the provider counts by a signed ID token for this server, this request and the account that was asked; its assurance is `signed-in` unless the operator maps the `acr`.',
  },
  'CS-CIBA-4': {
    area: 'answers',
    says: 'A yes that is late, about another digest, or of a person who lost their place counts for nothing; a question that is decided elsewhere is polled no more.',
  },
  'CS-CIBA-5': {
    area: 'locks',
    says: 'Quorum, self-approval, locks, removal, stand-ins and `min_assurance` hold for answers through the provider; roles and groups are those that come with the yes.',
  },
  'CS-CIBA-6': {
    area: 'answers',
    says: 'Each question is put once and polled by one process at a time, at the provider’s pace; after a crash it is polled on or put once more, and no answer counts twice.',
  },
})
