import { from } from './promised.ts'

/** People are asked on their device by the provider that they sign in with (CIBA). */
export const COUNTERSIGN_CIBA = from('Countersign', {
  'CS-CIBA-1': {
    area: 'answers',
    says: 'The OpenID provider that people sign in with asks an approver on their device; a yes approves the digest that was asked about, a no denies it, and a question that ran out leaves the call pending.',
  },
  'CS-CIBA-2': {
    area: 'questions',
    says: 'The provider is told the name of the tool and eight digits of the digest, never an argument; calls above a risk that the operator sets, and calls that need more than a yes or no, are left to the inbox.',
  },
  'CS-CIBA-3': {
    area: 'server',
    says: 'A yes through the provider counts by a signed ID token for this server, about this request and the account that was asked; its assurance is what the operator says of its `acr`, and `signed-in` otherwise.',
  },
  'CS-CIBA-4': {
    area: 'answers',
    says: 'A yes that is late, about another digest, or of a person who lost their place counts for nothing; a question that is decided elsewhere is polled no more.',
  },
  'CS-CIBA-5': {
    area: 'locks',
    says: 'Quorum, self-approval, locks, removal, stand-ins and `min_assurance` hold for answers through the provider, with roles and groups as the provider tells them with the yes.',
  },
  'CS-CIBA-6': {
    area: 'answers',
    says: 'Each question is put once and polled by one process at a time, at the provider’s pace; after a crash it is polled on, or put once more, and no answer counts twice.',
  },
})
