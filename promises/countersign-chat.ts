import { from } from './promised.ts'

/** What people can rely on when they talk to a model in the inbox. */
export const COUNTERSIGN_CHAT = from('Countersign', {
  'CS-CHAT-1': {
    area: 'chat',
    says: 'A conversation is found by its own person and by no other, admins included.',
  },
  'CS-CHAT-2': {
    area: 'chat',
    says: 'The server keeps the history of a chat: results, answers and approvals that a page sends are refused, and change nothing.',
  },
  'CS-CHAT-3': {
    area: 'chat',
    says: 'What a model writes in the chat is shown as text and code: no link can be followed and nothing is loaded.',
  },
  'CS-CHAT-4': {
    area: 'chat',
    says: 'A chat call that reaches a server with a gate of its own is asked about once, by a countersignature that fits no other call.',
  },
  'CS-CONNECT-1': {
    area: 'chat',
    says: 'The page about connecting an agent makes a token on the spot, fills it into working snippets, and shows the first call of that agent.',
  },
})
