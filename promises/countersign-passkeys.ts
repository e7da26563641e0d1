import { from } from './promised.ts'

/** Keys that sign single decisions. */
export const COUNTERSIGN_PASSKEYS = from('Countersign', {
  'CS-PASSKEY-1': {
    area: 'server',
    says: 'Where the policy wants a passkey, a yes counts only with a signature over this approval, what was shown of it, and what an edit makes of it.',
  },
  'CS-PASSKEY-2': {
    area: 'server',
    says: 'What a passkey signed decides nothing a second time, after two minutes, for another call, on another page, for another person, or without knowing the person.',
  },
  'CS-PASSKEY-3': {
    area: 'server',
    says: 'A passkey is added by its owner within fifteen minutes of signing in, and only when the authenticator knows the person.',
  },
  'CS-PASSKEY-4': {
    area: 'server',
    says: 'People remove their own passkeys, removing a person removes theirs, and both adding and removing are in the audit.',
  },
})
