import type { Saboteur } from '../saboteur.ts'

const caughtBy = { tests: ['test/adapters/a2a.test.ts'] } as const

export const A2A_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a later A2A message runs in place of the one that was approved',
    file: 'src/adapters/a2a/guard-executor.ts',
    before: 'executor.execute(withMessage(request, message), bus)',
    after: 'executor.execute(request, bus)',
    caughtBy,
  },
  {
    name: 'an approval of an A2A message is good for every task',
    file: 'src/adapters/a2a/guard-executor.ts',
    before: 'key: JSON.stringify([taskId, message.messageId])',
    after: 'key: JSON.stringify([message.messageId])',
    caughtBy,
  },
  {
    name: 'a later A2A message is a call of its own',
    file: 'src/adapters/a2a/guard-executor.ts',
    before: 'const message = asked ?? userMessage',
    after: 'const message = userMessage',
    caughtBy,
  },
]
