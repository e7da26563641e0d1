import type { Saboteur } from '../saboteur.ts'

const caughtBy = { tests: ['test/acp/acp.test.ts'] } as const

export const ACP_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'an ACP agent is told yes although nothing was claimed',
    file: 'src/gateway/acp/door.ts',
    before: 'const refuse = () => answered.resolve(selected(no))',
    after: 'const refuse = () => answered.resolve(selected(yes))',
    caughtBy,
  },
  {
    name: 'an editor that answers an ACP question by itself counts as a person',
    file: 'src/gateway/acp/door.ts',
    before: 'const SOONEST_ANSWER = 700',
    after: 'const SOONEST_ANSWER = 0',
    caughtBy,
  },
  {
    name: 'unknown requests of an ACP agent reach the editor',
    file: 'src/gateway/acp/door.ts',
    before: 'if (PASSED.has(method)) return undefined',
    after: 'if (PASSED.has(method) || method) return undefined',
    caughtBy,
  },
  {
    name: 'a yes for ever reaches the ACP agent',
    file: 'src/gateway/acp/permission.ts',
    before: "const isOnce = kind === 'allow_once' ||",
    after: "const isOnce = kind === 'allow_always' || kind === 'allow_once' ||",
    caughtBy,
  },
  {
    name: 'rules that allow answer for the person whom the ACP agent asks',
    file: 'src/gateway/acp/door.ts',
    before: 'approval ? picked : await asEver(',
    after: 'approval || picked ? picked : await asEver(',
    caughtBy,
  },
  {
    name: 'a question of an ACP agent outlives its turn',
    file: 'src/gateway/acp/door.ts',
    before: "if (message.method === 'session/cancel') endTurn(session)",
    after: "if (message.method === 'session/cancelled') endTurn(session)",
    caughtBy,
  },
  {
    name: 'an ACP agent tells the editor what it may not ask for',
    file: 'src/gateway/acp/door.ts',
    before: 'mayTell: (method) => TOLD.has(method),',
    after: "mayTell: (method) => TOLD.has(method) || method !== '',",
    caughtBy: { tests: ['test/acp/hostile.test.ts'] },
  },
  {
    name: 'an editor gets with a file what was not judged',
    file: 'src/gateway/acp/door.ts',
    before: 'const { sessionId = null, ...args } = params',
    after: 'const { sessionId = null, _meta: _, ...args } = params',
    caughtBy: { tests: ['test/acp/hostile.test.ts'] },
  },
]
