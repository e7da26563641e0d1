import type { Saboteur } from '../saboteur.ts'

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
    name: 'workflows: gates are counted by a copy of the run',
    file: 'src/workflows/openworkflow/index.ts',
    before: 'Object.isFrozen(run)',
    after: "run.id !== ''",
    caughtBy: own,
  },
  {
    name: 'workflows: gates are counted by the step, which programs wrap',
    file: 'src/workflows/openworkflow/index.ts',
    before: 'countedPosition(run, name)',
    after: 'countedPosition(step, name)',
    caughtBy: own,
  },
  {
    name: 'workflows: a yes is read and never used',
    file: 'src/workflows/gates.ts',
    before: 'looking.n > 0 ? await runAtOnce(gate, question, looking)',
    after: "looking.n > 0 ? ({ ran: { is: 'succeeded', result: null } } as AtOnce)",
    caughtBy: { tests: ['test/workflows/openworkflow.test.ts'] },
  },
]
