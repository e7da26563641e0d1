import { from } from './promised.ts'

/** What is said about a call before it is decided. */
export const COUNTERSIGN_TALK = from('Countersign', {
  'CS-TALK-1': {
    area: 'answers',
    says: 'An approver can ask the agent a question before deciding, and give the call more time in the same act; it stays pending, and can be decided at any moment.',
  },
  'CS-TALK-2': {
    area: 'answers',
    says: 'A reply never decides: it changes neither the status of a call, nor its arguments, its digest, or who may answer.',
  },
  'CS-TALK-3': {
    area: 'answers',
    says: 'Only the agent that asked, or the person it works for, replies to a question; for the token of another agent the approval does not exist.',
  },
  'CS-TALK-4': {
    area: 'secrets',
    says: 'Secrets in questions, replies and comments, those of the call among them, are masked before they are stored; the texts are erased with the rest of its content.',
  },
  'CS-TALK-5': {
    area: 'answers',
    says: 'Questions and comments are for people who are concerned by a call and neither locked nor removed; how many there are and how long they are is bounded.',
  },
  'CS-TALK-6': {
    area: 'answers',
    says: 'An approval is assigned only to a person whose yes could count, and everyone else who may answer still may.',
  },
  'CS-TALK-8': {
    area: 'answers',
    says: 'Channels tell the person behind the agent of a question, the approvers of the reply, and the person a call is assigned to; the words themselves only where messages are shared.',
  },
  'CS-TALK-7': {
    area: 'inbox',
    says: 'The card says who else has it open, and forgets it within 15 seconds after they left; nothing of that is stored.',
  },
})
