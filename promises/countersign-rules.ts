import { from } from './promised.ts'

/** What people can rely on when they read, make and change rules. */
export const COUNTERSIGN_RULES = from('Countersign', {
  'CS-RULES-1': {
    area: 'files',
    says: 'Everything a policy file can say has a sentence for people, the same on pages, cards and in the terminal; no sentence holds a value from a call.',
  },
  'CS-RULES-2': {
    area: 'files',
    says: 'An admin makes a rule from a recorded call as a form or as text, comments kept; it is tried on recorded calls, saved as a draft, and in force only when it is applied.',
  },
  'CS-RULES-3': {
    area: 'secrets',
    says: 'Trying rules on recorded calls tells nothing about hidden values: rules see them masked, whatever the draft hides.',
  },
  'CS-RULES-4': {
    area: 'files',
    says: 'Every policy that was in force is listed with who applied it; its text is compared with the signed record, and goes back into the file as a draft.',
  },
  'CS-RULES-5': {
    area: 'files',
    says: 'Proposals rest on people’s own answers, as to deny what two people refused ten times and never let run as asked; none is applied by itself, and a dismissed one stays so.',
  },
  'CS-RULES-6': {
    area: 'grants',
    says: 'Asking less is proposed only as a grant for one exact call that two people approved 60 times without haste or failure; never for risky or unrated tools or against a rule.',
  },
})
