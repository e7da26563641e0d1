import type { Saboteur } from '../saboteur.ts'

const ATTACKS = { tests: ['test/chat/attacks.test.ts'] } as const
const CHAT = { tests: ['test/chat/chat.test.ts'] } as const
const BOTH = { tests: ['test/studio/in-chat.test.ts'] } as const

/** What stands between a model's wish and a call in the chat. */
export const CHAT_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a turn is not taken while servers are reached',
    file: 'src/chat/room.ts',
    before: 'live.set(id, { owner, stop, done })',
    after: 'void done',
    caughtBy: ATTACKS,
  },
  {
    name: 'a person without the role goes on chatting',
    file: 'src/app/chat-routes.ts',
    before: 'return isRight && !account?.locked && !lock',
    after: 'return account !== undefined && !account.locked && !lock',
    caughtBy: ATTACKS,
  },
  {
    name: 'the next message is the request before it',
    file: 'src/chat/room.ts',
    before: 'turns: found.turns + 1',
    after: 'turns: found.turns',
    caughtBy: ATTACKS,
  },
  {
    name: 'a lost page leaves its confirmation open',
    file: 'src/chat/turn.ts',
    before: "if (also === 'confirmations' && approval.level !== 'confirm') continue",
    after: "if (also === 'confirmations') continue",
    caughtBy: CHAT,
  },
  {
    name: 'conversations are found by their id alone',
    file: 'src/chat/conversations.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source
    before: '=> `${await sha256(owner)}/${id}`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source
    after: '=> `${owner.length > 0}/${id}`',
    caughtBy: CHAT,
  },
  {
    name: 'a yes in the chat is bound to a part of what the tool says of itself',
    file: 'src/app/chat-upstreams.ts',
    before: 'defineTool(made, tool.definition)',
    after: 'void defineTool',
    caughtBy: BOTH,
  },
  {
    name: 'a policy file asks less than the author of a tool',
    file: 'src/app/studio-rules.ts',
    before: "if (said.asks === 'never') return { approval: flag }",
    after: "if (said.asks === 'never') return { approval: said }",
    caughtBy: BOTH,
  },
]
