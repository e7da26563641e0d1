import type { Saboteur } from '../saboteur.ts'

const watching = { tests: ['src/store/sqlite/watch.test.ts'] } as const

/** What waiters, listeners and decision points are told, and under which policy. */
export const WAITING_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a change that could not be read at once is never told',
    file: 'src/store/sqlite/watch.ts',
    before: 'const row = changes.isWaitedForBy(id) ?',
    after: 'const row = untold.delete(id) && changes.isWaitedForBy(id) ?',
    caughtBy: watching,
  },
  {
    name: 'who waits is not told that the file became another one',
    file: 'src/store/sqlite/open-store.ts',
    before: "('abort', () => changes.lose(losing.signal.reason), { once: true })",
    after: "('abort', () => changes.isWatched, { once: true })",
    caughtBy: watching,
  },
  {
    name: 'rules of one policy are judged beside the decision points of another',
    file: 'src/gate/pipeline/judge.ts',
    before: 'policy = read.policy\n',
    after: 'void read.policy\n',
    caughtBy: { tests: ['test/gate/pdp.test.ts'] },
  },
  {
    name: 'at the claim a decision point reads what an agent declares secret',
    file: 'src/gate/pipeline/claim.ts',
    before: '[...hiddenWhole(shown), ...(agents?.secrets ?? [])]',
    after: '[...(agents?.secrets ?? [])]',
    caughtBy: { tests: ['test/gate/pdp.test.ts'] },
  },
  {
    name: 'a look at the policy that failed is not made again',
    file: 'src/server/policy/policy-in-force.ts',
    before: 'if (!isOver) again =',
    after: 'if (isOver) again =',
    caughtBy: { tests: ['test/server/kept-policy.test.ts'] },
  },
]
