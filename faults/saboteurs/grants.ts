import type { Saboteur } from './saboteur.ts'

const conformance = { tests: ['test/stores.test.ts'] } as const
const gate = { tests: ['src/approval/grants/grant.test.ts', 'test/gate/grants.test.ts'] } as const

export const GRANT_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a use of a grant is not counted',
    file: 'src/approval/grants/grant-step.ts',
    before: 'const uses = grant.uses + 1',
    after: 'const uses = grant.uses',
    caughtBy: conformance,
  },
  {
    name: 'a budget is compared with what was spent before this call',
    file: 'src/approval/grants/grant.ts',
    before: 'isAtMost(addDecimal(spent, use.amount), limits.budget.most)',
    after: 'isAtMost(spent, limits.budget.most)',
    caughtBy: conformance,
  },
  {
    name: 'a grant goes on after its end',
    file: 'src/approval/grants/grant.ts',
    before: "return state !== 'live' || now >= endsAt",
    after: "return state !== 'live'",
    caughtBy: conformance,
  },
  {
    name: 'Postgres takes no lock on a grant',
    file: 'src/store/postgres/migrations/0013-keyed-plans.ts',
    before: 'order by g.id for update;',
    after: 'order by g.id;',
    caughtBy: { tests: ['test/stores/postgres.test.ts'] },
  },
  {
    name: 'a grant counts whoever its maker is by now',
    file: 'src/approval/commands/request.ts',
    before: '{ voted: by, today: use.minter, lent: stillLent(by, use.minter) }',
    after: '{ voted: by }',
    caughtBy: gate,
  },
  {
    name: 'a grant covers what it cannot test',
    file: 'src/gate/pipeline/use-grant.ts',
    before: "return judgeCondition(read, call).answer === 'yes'",
    after: "return judgeCondition(read, call).answer !== 'no'",
    caughtBy: gate,
  },
  {
    name: 'a yes by a grant outlives its revocation',
    file: 'src/approval/commands/execution.ts',
    before: "grant.state !== 'revoked' && now < grant.endsAt",
    after: 'now < grant.endsAt',
    caughtBy: conformance,
  },
  {
    name: 'a call that a grant lets through is not claimed with its use',
    file: 'src/gate/pipeline/use-grant.ts',
    before: '...(claims ? { holder } : {}),',
    after: '...(claims ? {} : {}),',
    caughtBy: { tests: ['test/gate/granted-crash.test.ts'] },
  },
  {
    name: 'Recorded calls are tried on a grant with what is hidden in them',
    file: 'src/gate/admin/recorded-calls.ts',
    before: 'call: { ...made, args: value }',
    after: 'call: made',
    caughtBy: { tests: ['test/server/grant-replay.test.ts', 'test/server/rules.test.ts'] },
  },
  {
    name: 'Recorded calls are tried on a grant with what a delegating agent hides',
    file: 'src/gate/admin/recorded-calls.ts',
    before: 'question?.parentInput && mask(question.parentInput).value',
    after: 'question && mask(question).value && question.parentInput',
    caughtBy: { tests: ['test/server/grant-replay.test.ts'] },
  },
]
