import { from } from './promised.ts'

/** What the program that asks says its call would do. */
export const COUNTERSIGN_PREVIEWS = from('Countersign', {
  'CS-PREVIEW-1': {
    area: 'questions',
    says: 'A tool can have a preview that says what a call would do; it runs in the program that asks, before the question is stored, and only for calls that people are asked about.',
  },
  'CS-PREVIEW-2': {
    area: 'questions',
    says: 'A question has one preview; the same call made again or resumed runs no other, and one that would differ by then makes no second question and voids no approval.',
  },
  'CS-PREVIEW-3': {
    area: 'questions',
    says: 'A preview that throws, takes too long, is malformed or too large stops nothing; people are asked, and the card says that there is none and why.',
  },
  'CS-PREVIEW-4': {
    area: 'proof',
    says: 'The digest of the preview is in the record of asking; one that was changed in the database is not shown, and its call cannot be approved.',
  },
  'CS-PREVIEW-5': {
    area: 'secrets',
    says: 'A preview is masked by the rules that mask arguments, also beside a label or below a column whose name says secret, and it is erased with the arguments.',
  },
  'CS-PREVIEW-6': {
    area: 'questions',
    says: 'Only the program that asks can send a preview; arguments, definitions and what AuthZEN clients send never become one.',
  },
  'CS-PREVIEW-7': {
    area: 'inbox',
    says: 'A preview is shown as the unchecked statement of the program, as plain text apart from what was computed; after an edit it is marked as that of the call before.',
  },
})
