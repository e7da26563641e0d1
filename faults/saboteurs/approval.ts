import type { Saboteur } from './saboteur.ts'

const claims = { tests: ['src/approval/commands/claim.test.ts'] } as const
const decisions = {
  tests: ['src/approval/commands/decide.test.ts', 'src/approval/commands/decide-edit.test.ts'],
} as const
const steps = {
  tests: ['src/approval/step.test.ts', 'src/approval/commands/decide.test.ts'],
} as const
const executions = { tests: ['src/approval/commands/execution.test.ts'] } as const

export const APPROVAL_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a claim does not look at the locks once more',
    file: 'src/approval/commands/execution.ts',
    before: "if (lock) return refuse('locked', lockedBecause(lock))",
    after: "if (lock && now < 0) return refuse('locked', lockedBecause(lock))",
    caughtBy: {
      faults: ['--cycles', '24', '--seed', '5', '--store', 'sqlite', '--nemesis', 'kill'],
    },
  },
  {
    name: 'the yes of somebody who was locked since still lets a call start',
    file: 'src/approval/locks/locked-people.ts',
    before: 'return { ...command, voters: command.voters.map(mark) }',
    after: 'return command',
    // A random run meets it now and then; this test meets it each time.
    caughtBy: { tests: ['src/approval/locks/lock.test.ts'] },
  },
  {
    name: 'an approval can be claimed again',
    file: 'src/approval/commands/execution.ts',
    before: "if (approval.status !== 'approved' || approval.execution) {",
    after: "if (approval.status !== 'approved') {",
    caughtBy: claims,
  },
  {
    name: 'the claim may present another call',
    file: 'src/approval/commands/execution.ts',
    before: 'if (command.digest !== approval.askedDigest) {',
    after: 'if (command.digest === undefined) {',
    caughtBy: claims,
  },
  {
    name: 'a changed tool runs on an old yes',
    file: 'src/approval/commands/execution.ts',
    before: 'if (command.definition !== call.definition)',
    after: 'if (command.definition === undefined)',
    caughtBy: claims,
  },
  {
    name: 'a lock is not looked at when claiming',
    file: 'src/approval/commands/execution.ts',
    before: "if (lock) return refuse('locked', lockedBecause(lock))",
    after: '',
    caughtBy: { tests: ['src/approval/locks/lock.test.ts'] },
  },
  {
    name: 'a locked person still counts',
    file: 'src/approval/locks/locked-people.ts',
    before: 'lockOnPerson(locks, person, now) ? { ...person, locked: true } : person',
    after: 'lockOnPerson([], person, now) ? { ...person, locked: true } : person',
    caughtBy: { tests: ['src/approval/locks/lock.test.ts'] },
  },
  {
    name: 'another agent claims',
    file: 'src/approval/commands/execution.ts',
    before: 'if (command.agent !== call.agent) {',
    after: 'if (command.agent === undefined) {',
    caughtBy: claims,
  },
  {
    name: 'somebody who left still counts',
    file: 'src/approval/commands/execution.ts',
    before: "if (!allMet(approval, voters)) return invalid(approval, 'voter')",
    after: '',
    caughtBy: claims,
  },
  {
    name: 'a tightened policy is not looked at when claiming',
    file: 'src/approval/commands/execution.ts',
    before: "if (!policyHolds(approval, command, voters)) return invalid(approval, 'policy')",
    after: '',
    caughtBy: claims,
  },
  {
    name: 'a question lives a moment longer than it should',
    file: 'src/approval/clock.ts',
    before: "if (status === 'pending' && now >= decideBy)",
    after: "if (status === 'pending' && now > decideBy)",
    caughtBy: {
      tests: [
        'src/approval/step.test.ts',
        'src/approval/commands/upkeep.test.ts',
        'src/approval/commands/decide.test.ts',
        'test/approval/invariants.test.ts',
      ],
    },
  },
  {
    name: 'late answers count until a sweeper comes',
    file: 'src/approval/clock.ts',
    before: "if (status === 'pending' && now >= decideBy)",
    after: "if (status === 'pending' && now >= decideBy + 1e12)",
    caughtBy: {
      tests: [
        'src/approval/step.test.ts',
        'src/approval/commands/upkeep.test.ts',
        'src/approval/commands/decide.test.ts',
      ],
    },
  },
  {
    name: 'answers count after the end',
    file: 'src/approval/commands/decide.ts',
    before: "if (approval.status !== 'pending' && !revoking) return",
    after: "if (approval.status === 'withdrawn') return",
    caughtBy: decisions,
  },
  {
    name: 'a click on an old card decides the new call',
    file: 'src/approval/commands/decide.ts',
    before: 'if (seen !== approval.digest) {',
    after: 'if (seen === undefined) {',
    caughtBy: decisions,
  },
  {
    name: 'votes for the call before an edit count for the call after it',
    file: 'src/approval/commands/decide.ts',
    before: '? { decisions: approval.decisions.map(voided), voided: 0 }',
    after: '? { decisions: approval.decisions, voided: 0 }',
    caughtBy: decisions,
  },
  {
    name: 'the acting user approves their own call',
    file: 'src/approval/people/quorum.ts',
    before: "if (requirement.level === 'review' && hasStake(person, call)) return false",
    after: '',
    caughtBy: {
      tests: ['src/approval/people/quorum.test.ts', 'src/approval/commands/decide.test.ts'],
    },
  },
  {
    name: 'anybody finishes what somebody else claimed',
    file: 'src/approval/commands/execution.ts',
    before:
      "if (!execution) return refuse('not_running', 'nothing was claimed')\n  if (execution.claim !== claim)",
    after:
      "if (!execution) return refuse('not_running', 'nothing was claimed')\n  if (claim === undefined)",
    caughtBy: executions,
  },
  {
    name: 'a process that lives is given up',
    file: 'src/approval/commands/execution.ts',
    before: 'now - seen > SILENCE',
    after: 'now >= seen',
    caughtBy: executions,
  },
  {
    name: 'a running call is resolved over the head of its process',
    file: 'src/approval/commands/execution.ts',
    before: "if (execution?.state !== 'unknown') {",
    after: "if (execution === undefined || execution.state === 'succeeded') {",
    caughtBy: executions,
  },
  {
    name: 'one key names two calls',
    file: 'src/approval/commands/request.ts',
    before: 'if (sameCaller && key !== undefined) {',
    after: "if (sameCaller && key === '') {",
    caughtBy: { tests: ['src/approval/commands/request.test.ts'] },
  },
  {
    name: 'a finished call is joined instead of asked again',
    file: 'src/approval/commands/request.ts',
    before: "const alive = isOpen(approval) || approval.execution?.state === 'running'",
    after: 'const alive = isOpen(approval) || approval.execution !== undefined',
    caughtBy: { tests: ['src/approval/commands/request.test.ts', 'src/approval/step.test.ts'] },
  },
  {
    name: 'a decision is made by a clock that has fallen behind',
    file: 'src/approval/step.ts',
    before: 'if (deciding && now < approval.changedAt - MAX_CLOCK_LAG) {',
    after: 'if (deciding && now < 0) {',
    caughtBy: steps,
  },
  {
    name: 'an approver changes whatever they like where some of it may be changed',
    file: 'src/approval/people/requirement.ts',
    before: 'if (rule === true) return undefined',
    after: 'if (rule !== false) return undefined',
    caughtBy: { tests: ['test/promises/agent-format-terms.test.ts'] },
  },
]
