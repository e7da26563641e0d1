import type { Saboteur } from './saboteur.ts'

export const GATE_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'the tool runs before its claim is stored',
    file: 'src/gate/claim.ts',
    before: 'const applied = await core.store.apply(approval.id, command)',
    after:
      'const applied = { approval: { ...approval, execution: { claim: holder.claim } as never } }; setTimeout(() => core.store.apply(approval.id, command).catch(() => {}), 5)',
    caughtBy: { faults: ['--store', 'sqlite', '--nemesis', 'kill', '--cycles', '36'] },
  },
  {
    name: 'a claimer that slept too long starts all the same',
    file: 'src/gate/execute.ts',
    before: "return mayStart() ? undefined : 'not_started'",
    after: 'return mayStart === undefined ? undefined : undefined',
    caughtBy: {
      faults: ['--store', 'sqlite', '--nemesis', 'stopped past the time to start', '--cycles', '1'],
    },
  },
  {
    name: 'a call that was aborted starts all the same',
    file: 'src/gate/execute.ts',
    before: "if (signal?.aborted) return 'withdrawn'",
    after: '',
    caughtBy: { tests: ['test/gate/waiting.test.ts', 'test/gate/claims.test.ts'] },
  },
  {
    name: 'a no is forgotten within its run',
    file: 'src/gate/memory.ts',
    before: 'if (run === undefined) return undefined',
    after: "if (run !== '') return undefined",
    caughtBy: {
      tests: [
        'test/gate/identity.test.ts',
        'test/gate/museum.test.ts',
        'test/gate/outcomes.test.ts',
      ],
    },
  },
  {
    name: 'the sweeper forgets the dead',
    file: 'src/gate/sweep.ts',
    before: 'if (execution) {\n    return [{',
    after: 'if (execution) {\n    if (status) return []\n    return [{',
    caughtBy: { faults: ['--store', 'sqlite', '--nemesis', 'kill', '--cycles', '36'] },
  },
  {
    name: 'the arguments are not part of what is approved',
    file: 'src/gate/digests.ts',
    before: 'tenant, arguments: args }',
    after: "tenant, arguments: args === '' ? args : '{}' }",
    caughtBy: {
      tests: ['test/gate/bytes.test.ts', 'test/gate/identity.test.ts', 'test/gate/edits.test.ts'],
    },
  },
  {
    name: 'a tool that threw is written down as succeeded',
    file: 'src/gate/execute.ts',
    before: "return finishing(claim, 'failed', { result })",
    after: "return finishing(claim, 'succeeded', { result })",
    caughtBy: { tests: ['test/gate/claims.test.ts'] },
  },
]
