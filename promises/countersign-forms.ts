import { from } from './promised.ts'

/** What approvers fill in, and what they see of the workflow that asks. */
export const COUNTERSIGN_FORMS = from('Countersign', {
  'CS-FORM-1': {
    area: 'answers',
    says: 'A call can carry a form, a JSON Schema of what its approver fills in; a yes without answers that fit is refused, and the tool and the asker get exactly the answers.',
  },
  'CS-FORM-2': {
    area: 'answers',
    says: 'The form is part of the digest, so that a person answers the form that was shown; the same key with another form is another call.',
  },
  'CS-FORM-3': {
    area: 'answers',
    says: 'A form never makes a call ask less: no grant and no countersignature answers it, and after a denial the same call under another form is denied as well.',
  },
  'CS-FORM-4': {
    area: 'answers',
    says: 'Answers that do not fit are refused with the path of every mistake, and nothing is decided; a denial needs no answers.',
  },
  'CS-FORM-5': {
    area: 'answers',
    says: 'Several approvers approve one set of answers: other answers make the earlier approvals void, and those who gave them are asked again.',
  },
  'CS-FORM-6': {
    area: 'answers',
    says: 'A form that is too large, refers outside of itself, takes too long to check or holds a secret of the call is refused before a person is asked.',
  },
  'CS-FORM-7': {
    area: 'inbox',
    says: 'The inbox shows a form as fields, its labels as words of the asker; mistakes stand beside their fields, and no button moves under the pointer.',
  },
  'CS-FORM-8': {
    area: 'inbox',
    says: 'A call with a form is not approved together with others: its form is filled in on its own card.',
  },
  'CS-FORM-9': {
    area: 'inbox',
    says: 'In a terminal the form is asked field by field, or filled in by --set and --payload; its labels cannot draw on the screen.',
  },
  'CS-FORM-10': {
    area: 'questions',
    says: 'A workflow can say its name and its steps done, waiting and following; people read that as claimed by the asker, beside its run.',
  },
  'CS-FORM-11': {
    area: 'secrets',
    says: 'What each approver answered is shown afterwards with their name; fields that the form marks as secret are masked there.',
  },
})
