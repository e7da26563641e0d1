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
    name: 'a lifted denial lifts every later one too',
    file: 'src/gate/memory.ts',
    before: 'if (!approval || approval.lifted !== undefined) return undefined',
    after: 'if (!approval || approval.askedAt > 0) return undefined',
    caughtBy: { tests: ['test/gate/denial-memory.test.ts'] },
  },
  {
    name: 'a default use_by cuts short what was asked for longer',
    file: 'src/gate/policy-answer.ts',
    before: 'Math.max(kept.useBy, verdict.terms.useBy)',
    after: 'verdict.terms.useBy',
    caughtBy: { tests: ['test/gate/suspended-use.test.ts'] },
  },
  {
    name: 'a use_by that is written down does not hold for a suspended run',
    file: 'src/gate/policy-answer.ts',
    before: 'suspends && leavesUseBy',
    after: 'suspends',
    caughtBy: { tests: ['test/gate/suspended-use.test.ts'] },
  },
  {
    name: 'two long keys are one',
    file: 'src/gate/bounded-key.ts',
    before: "return digestOf('key', key)",
    after: "return digestOf('key', key.slice(0, MAX_TEXT))",
    caughtBy: { tests: ['test/gate/identity.test.ts'] },
  },
  {
    name: 'a no is forgotten within its run',
    file: 'src/gate/memory.ts',
    before: "if (run === undefined || rememberNo === 'call') return undefined",
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
  {
    name: 'a gate asks again whatever countersignature it gets',
    file: 'src/gate/countersigned.ts',
    before: 'else if (await spendCountersignature(store, checked.claims)) return true',
    after: 'else if (!(await spendCountersignature(store, checked.claims))) return true',
    caughtBy: { tests: ['test/gate/countersigned.test.ts'] },
  },
  {
    name: 'outcomes of a batch stand in another order',
    file: 'src/gate/batch.ts',
    before: 'named.map(({ call, key, declared, tool }) =>',
    after: 'named.toReversed().map(({ call, key, declared, tool }) =>',
    caughtBy: { tests: ['test/gate/batch.test.ts'] },
  },
  {
    name: 'a gate over a server ignores a mode',
    file: 'src/client/remote-gate.ts',
    before: 'if ((options as { mode?: unknown }).mode === undefined) return',
    after: 'if ((options as { mode?: unknown }).mode !== null) return',
    caughtBy: { tests: ['test/gate/polluted.test.ts'] },
  },
  {
    name: 'options are read from Object.prototype',
    file: 'src/base/options.ts',
    before: 'at !== null && !isRoot(at)',
    after: 'at !== null',
    caughtBy: { tests: ['test/gate/polluted.test.ts'] },
  },
]
