import type { Saboteur } from './saboteur.ts'

const standIns = { tests: ['src/approval/people/stand-in.test.ts'] } as const
const lending = { tests: ['src/approval/people/quorum-seats.test.ts'] } as const
const reach = {
  tests: ['src/approval/people/satisfiable.test.ts', 'test/server/unreachable.test.ts'],
} as const

const kills = {
  faults: ['--cycles', '48', '--seed', '9', '--store', 'sqlite', '--nemesis', 'kill'],
} as const

export const PEOPLE_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'wrong links keep people from signing in with their provider',
    file: 'src/server/routes/oidc.ts',
    before: 'limits.providers.take(',
    after: 'limits.guesses.take(',
    caughtBy: { tests: ['test/server/oidc.test.ts'] },
  },
  {
    name: 'a stand-in goes on after its end',
    file: 'src/approval/people/stand-in.ts',
    before: 'return !isVoid && from <= now && now < until\n}\n\n/** Not over',
    after: 'return !isVoid && from <= now\n}\n\n/** Not over',
    caughtBy: standIns,
  },
  {
    name: 'anybody stands in for whom they like',
    file: 'src/approval/people/stand-in.ts',
    before: 'isInForce(one, now) && samePerson(one.standIn, person)',
    after: 'isInForce(one, now)',
    caughtBy: { tests: ['test/server/stand-ins.test.ts', 'src/approval/people/stand-in.test.ts'] },
  },
  {
    name: 'the command says for whom somebody stands in',
    file: 'src/approval/step.ts',
    before: 'standingNowIn(readCommand(command), standIns, now)',
    after: 'readCommand(command)',
    caughtBy: standIns,
  },
  {
    name: 'the one who is away and their stand-in fill two places',
    file: 'src/approval/people/quorum.ts',
    before:
      '.filter((lent) => !heads.some((other) => other.some((voter) => sameHuman(voter, lent))))',
    after: '',
    caughtBy: lending,
  },
  {
    name: 'two stand-ins of one person fill two places',
    file: 'src/approval/people/quorum.ts',
    before: 'usable.has(lent) &&',
    after: 'usable.size >= 0 &&',
    caughtBy: lending,
  },
  {
    name: 'a role is lent',
    file: 'src/approval/people/quorum.ts',
    before: 'const { roles: _, ...named } = away',
    after: "const named = { ...away, roles: ['approver'] as const }",
    caughtBy: standIns,
  },
  {
    name: 'the acting user lends their place',
    file: 'src/approval/people/quorum.ts',
    before: 'hasStake(person, asked.call) || hasStake(away, asked.call)',
    after: 'hasStake(person, asked.call)',
    caughtBy: standIns,
  },
  {
    name: 'what was taken back still counts',
    file: 'src/approval/people/stand-in.ts',
    before: 'one.id === standIn && one.void',
    after: 'one.id === standIn && one.void === undefined',
    caughtBy: standIns,
  },
  {
    name: 'a stand-in decides for somebody who is locked',
    file: 'src/approval/locks/locked-people.ts',
    before: '{ ...person, for: person.for.map(locked) }',
    after: '{ ...person }',
    caughtBy: standIns,
  },
  {
    name: 'nobody is told that nobody is left',
    file: 'src/approval/commands/upkeep.ts',
    before: "{ type: 'unreachable', ...by, facts: { rule } },",
    after: '',
    caughtBy: reach,
  },
  {
    name: 'it is told again and again that nobody is left',
    file: 'src/approval/commands/upkeep.ts',
    before: 'if (!isReachChanged(approval, shortage)) return UNCHANGED',
    after: 'if (!shortage && !isReachChanged(approval, shortage)) return UNCHANGED',
    caughtBy: reach,
  },
  {
    name: 'whoever was about to answer for somebody does so after the end',
    file: 'src/approval/step.ts',
    before: 'standingNowIn(readCommand(command), standIns, now)',
    after: 'readCommand(command)',
    caughtBy: kills,
  },
  {
    name: 'what was taken back in the last moment is spent',
    file: 'src/approval/people/stand-in.ts',
    before: 'one.id === standIn && one.void',
    after: 'one.id === standIn && one.void === undefined',
    caughtBy: { tests: ['test/gate/stand-ins.test.ts', 'src/approval/people/stand-in.test.ts'] },
  },
  {
    name: 'two who answer for one person are enough where two are needed',
    file: 'src/approval/people/quorum.ts',
    before: 'usable.has(lent) &&',
    after: 'usable.size >= 0 &&',
    caughtBy: { tests: ['src/approval/people/stand-in.test.ts'] },
  },
  {
    name: 'a yes comes back with whoever gave it',
    file: 'src/approval/people/removed.ts',
    before: 'if (isFromBefore(locks, by, at)) return { ...decision, void: true }',
    after: '',
    caughtBy: kills,
  },
  {
    name: 'whoever was removed is stood in for once they are back',
    file: 'src/server/identity/membership.ts',
    before: '...standIns.map(({ id }) => ({ kind: STAND_IN_RECORD, id })),',
    after: '...standIns.slice(standIns.length).map(({ id }) => ({ kind: STAND_IN_RECORD, id })),',
    caughtBy: { tests: ['test/server/stand-ins.test.ts'] },
  },
  {
    name: 'the record does not say for whom somebody answered',
    file: 'src/approval/commands/decide.ts',
    before: 'if (!absent) return {}\n  const standIns',
    after: 'if (!absent || absent.length > 0) return {}\n  const standIns',
    caughtBy: kills,
  },
  {
    name: 'whoever is to be asked later answers now',
    file: 'src/approval/people/quorum.ts',
    before: 'escalated.some((one) => one.requirement === index && one.step === step)',
    after: 'escalated.some((one) => one.requirement === index && one.step === step) || step >= 0',
    caughtBy: kills,
  },
  {
    name: 'whoever switches asking on is not heard',
    file: 'src/gate/admin/switch-record.ts',
    before: 'return !(isPlainObject(value) && value.on === false)',
    after: 'return !isPlainObject(value)',
    caughtBy: kills,
  },
  {
    name: 'Postgres does not wait for a stand-in that is being ended',
    file: 'src/store/postgres/migrations/0013-keyed-plans.ts',
    before: 'hashtextextended(of_tenant, 4748)',
    after: 'hashtextextended(of_tenant || random()::text, 4748)',
    caughtBy: { tests: ['test/stores/stand-ins.test.ts'] },
  },
  {
    name: 'SQLite knows who stands in from its first look',
    file: 'src/store/sqlite/write.ts',
    before: 'const rows = sql.held.all(tenant)',
    after:
      'const once = globalThis as { held?: ReturnType<typeof sql.held.all> }\n  once.held ??= sql.held.all(tenant)\n  const rows = once.held',
    caughtBy: { tests: ['test/stores/stand-ins.test.ts'] },
  },
  {
    name: 'How others answer is shown to everyone',
    file: 'src/server/routes/insights.ts',
    before: "const isAdmin = person.roles.includes('admin')",
    after: 'const isAdmin = person.roles.length > 0',
    caughtBy: { tests: ['test/server/insights.test.ts'] },
  },
  {
    name: 'a passkey that signs changes its own record',
    file: 'src/server/identity/passkeys.ts',
    before:
      'records.put(PASSKEY_USE_RECORD, found.id, use as unknown as Json, {\n        expect: used?.revision',
    after:
      'records.put(PASSKEY_RECORD, found.id, use as unknown as Json, {\n        expect: found.revision',
    caughtBy: { tests: ['test/server/passkeys.test.ts'] },
  },
  {
    name: 'a locked person changes things over HTTP',
    file: 'src/server/http/route.ts',
    before: 'held.length === 0 ? undefined : lockOnPerson',
    after: 'held.length >= 0 ? undefined : lockOnPerson',
    caughtBy: { tests: ['test/server/locks.test.ts'] },
  },
  {
    name: 'a locked person decides',
    file: 'src/approval/commands/decide.ts',
    before: 'locks.length === 0 ? undefined : lockOnPerson',
    after: 'locks.length >= 0 ? undefined : lockOnPerson',
    caughtBy: { tests: ['src/approval/locks/lock.test.ts'] },
  },
  {
    name: 'a yes counts as given for everyone whom the sender claims to stand in for',
    file: 'src/approval/commands/decide.ts',
    before: 'person.for ? standingFor(person, neededFor(question, person)) : person',
    after: 'person',
    caughtBy: { tests: ['src/approval/people/stand-in.test.ts'] },
  },
  {
    name: 'a stand-in is not let in',
    file: 'src/gate/admin/approvals.ts',
    before: 'core.locks.standIns.length === 0 && by.for === undefined',
    after: 'by.for === undefined',
    caughtBy: { tests: ['test/gate/stand-ins.test.ts'] },
  },
  {
    name: 'people are in no group when they sign in',
    file: 'src/server/identity/people.ts',
    before: 'rules.groups.size === 0 ? []',
    after: 'rules.groups.size >= 0 ? []',
    caughtBy: { tests: ['test/server/people.test.ts'] },
  },
  {
    name: 'a yes from before its person left the group completes a quorum',
    file: 'src/gate/admin/approvals.ts',
    before: 'approval.decisions.length > 0 ? { voters',
    after: 'approval.decisions.length < 0 ? { voters',
    caughtBy: { tests: ['src/gate/people.test.ts'] },
  },
  {
    name: 'what operators switched is not in the policy that people are shown',
    file: 'src/server/policy/active-policy.ts',
    before: 'switchedPolicy(unswitched(), locks.switches)',
    after: 'unswitched()',
    caughtBy: { tests: ['test/server/switches.test.ts'] },
  },
]
