import { from } from './promised.ts'

/** What the program that asks says its call would do. */
export const COUNTERSIGN_PREVIEWS = from('Countersign', {
  'CS-PREVIEW-1': {
    area: 'questions',
    says: 'A tool can have a `preview` that says what the call would do. It runs in the program that asks, only for a call that a person is about to be asked about, and before the question is stored.',
  },
  'CS-PREVIEW-2': {
    area: 'questions',
    says: 'A question has one preview: the same call asked again, retried or resumed runs no other, and a preview that would say something else by then makes no second question and voids no approval.',
  },
  'CS-PREVIEW-3': {
    area: 'questions',
    says: 'A preview that throws, takes too long, is malformed or too large stops nothing: people are asked, and the card says that there is none and why.',
  },
  'CS-PREVIEW-4': {
    area: 'proof',
    says: 'The digest of what was shown is in the record of asking. A preview that was changed in the database since is not shown, and the card offers no approval.',
  },
  'CS-PREVIEW-5': {
    area: 'secrets',
    says: 'A preview is masked by the rules that mask arguments, also beside a label or below a column whose name says secret, and it is erased with the arguments.',
  },
  'CS-PREVIEW-6': {
    area: 'questions',
    says: 'Only the program that asks can send a preview: arguments, definitions and what MCP and AuthZEN clients send never become one.',
  },
  'CS-PREVIEW-7': {
    area: 'inbox',
    says: 'A preview is shown as the statement of the program, not checked by Countersign: apart from what was computed, as plain text that cannot draw; after an edit it is marked as that of the call before it.',
  },
})
