import type { Saboteur } from '../saboteur.ts'

const reported = { tests: ['test/server/runs.test.ts'] } as const
const own = { tests: ['test/workflows/openworkflow-own.test.ts'] } as const

/** Durable workflows that wait for people. */
export const WORKFLOW_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'workflows: a run that the engine does not know counts as over',
    file: 'src/workflows/ended-runs.ts',
    before: 'if (ended === undefined) unknown.push(approval.id)\n      else if (ended &&',
    after: 'if (ended === false) unknown.push(approval.id)\n      else if (',
    caughtBy: own,
  },
  {
    name: 'workflows: gates are counted by a deep copy of the run',
    file: 'src/workflows/openworkflow/index.ts',
    before: 'Object.isFrozen(run) && createdAt',
    after: 'createdAt',
    caughtBy: own,
  },
  {
    name: 'workflows: gates are counted by a frozen copy of the run',
    file: 'src/workflows/openworkflow/index.ts',
    before: 'createdAt instanceof Date ? createdAt : undefined',
    after: 'createdAt instanceof Date ? run : undefined',
    caughtBy: own,
  },
  {
    name: 'workflows: two questions of one name at one place share an answer',
    file: 'src/workflows/openworkflow/index.ts',
    before: 'names.has(name) ? SHARED : work()',
    after: 'work()',
    caughtBy: own,
  },
  {
    name: 'workflows: gates are counted by the step, which programs wrap',
    file: 'src/workflows/openworkflow/index.ts',
    before: 'countedPosition(replay, name)',
    after: 'countedPosition(step, name)',
    caughtBy: own,
  },
  {
    name: 'workflows: a guarded step that was claimed and never started counts as approved',
    file: 'src/workflows/step-result.ts',
    before: "case 'blocked':\n      throw",
    after: "case 'blocked':\n      if (ran.code === 'not_started') return null as R\n      throw",
    caughtBy: { tests: ['test/workflows/steps.test.ts'] },
  },
  {
    name: 'workflows: a yes is read and never used',
    file: 'src/workflows/gates.ts',
    before: 'looking.n > 0 ? await runAtOnce(gate, question, looking)',
    after: "looking.n > 0 ? ({ ran: { is: 'succeeded', result: null } } as AtOnce)",
    caughtBy: { tests: ['test/workflows/openworkflow.test.ts'] },
  },
  {
    name: 'runs: any agent reports on a run over HTTP',
    file: 'src/server/runs/routes.ts',
    before: 'const { id } = await knownApproval(store, params.id, caller)\n      reports',
    after: 'const { id } = params\n      reports',
    caughtBy: reported,
  },
  {
    name: 'runs: the gate of another agent reports on a run',
    file: 'src/gate/admin/run-reports.ts',
    before: '!approval || !isOwn || ',
    after: '!approval || ',
    caughtBy: reported,
  },
  {
    name: 'runs: the gate of another user reports on a run',
    file: 'src/gate/admin/run-reports.ts',
    before: '!isOwn || isForAnother(approval, caller)',
    after: '!isOwn',
    caughtBy: reported,
  },
  {
    name: 'runs: two users with one id of a run share its page',
    file: 'src/gate/admin/run-reports.ts',
    before: 'principal?.email ?? principal?.subject ?? null, engine',
    after: 'null, engine',
    caughtBy: reported,
  },
  {
    name: 'runs: two doors with one id of a run share its page',
    file: 'src/gate/admin/run-reports.ts',
    before: 'return [agent, door, principal',
    after: 'return [agent, null, principal',
    caughtBy: reported,
  },
  {
    name: 'runs: a report keeps the secrets of its call',
    file: 'src/gate/admin/run-reports.ts',
    before: 'mask(saidIn(report), { known: await hiddenIn(core, approval) }).value',
    after: 'mask(saidIn(report)).value',
    caughtBy: reported,
  },
  {
    name: 'workflows: an answer that was claimed late is on record as failed',
    file: 'src/gate/pipeline/run.ts',
    before: "return isUsedByClaim(start) && claim.mayStart('any time') ? undefined : 'not_started'",
    after: "return 'not_started'",
    caughtBy: { tests: ['test/workflows/steps.test.ts'] },
  },
  {
    name: 'workflows: a guarded step that was claimed late starts all the same',
    file: 'src/gate/pipeline/run.ts',
    before: "isUsedByClaim(start) && claim.mayStart('any time')",
    after: "claim.mayStart('any time')",
    caughtBy: { tests: ['test/workflows/steps.test.ts'] },
  },
  {
    name: 'runs: a report is taken where the secrets of its call are no longer known',
    file: 'src/gate/admin/run-reports.ts',
    before: 'if (length === 0) {',
    after: 'if (length < 0) {',
    caughtBy: reported,
  },
  {
    name: 'runs: reports outlast what the policy keeps',
    file: 'src/gate/admin/run-reports.ts',
    before: 'Math.min(retain, KEPT_MS)',
    after: 'KEPT_MS',
    caughtBy: reported,
  },
]
