import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import { createGate } from '../../src/gate/gate.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { program } from '../support/make.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { kim, nextPending } from './gates.ts'

const policy = policyOf('tools: { pay: { approval: true } }')
const pay = (key: string) => ({ tool: 'pay', key, args: { amount: 40 } })

/** A grant of two uses, a process that is killed while it takes one, and the one that comes after. */
async function killedAt(point: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-granted-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [database, witness] = [path.join(folder, 'a.db'), path.join(folder, 'ran')]
  const before = await sqliteStore(database)
  const first = createGate({ policy, store: before, agent: 'biller', run: 'chat-1' })
  const running = first.run(pay('k1'), async () => 'first')
  const { id, digest } = await nextPending(first)
  await first.approvals.decide(id, {
    by: kim,
    verdict: 'approve',
    seen: digest,
    grant: { uses: 2 },
  })
  await running
  await first.close()
  await before.close()
  const script = await program(path.join(import.meta.dirname, 'granted/killed-runner.ts'))
  const { signal, stderr } = spawnSync(process.execPath, [script, database, witness, point])
  expect([signal, String(stderr)]).toEqual(['SIGKILL', ''])
  // Later: before that nobody knows whether the one who had it is only slow.
  const store = await sqliteStore(database, { clock: () => Date.now() + 120_000 })
  onTestFinished(() => store.close())
  const sweeper = startSweeper({ store, every: 1_000_000 })
  await sweeper.sweep()
  await sweeper.stop()
  const gate = createGate({ policy, store, agent: 'biller', run: 'chat-1' })
  const [grant] = (await gate.admin.grants.list()).grants
  const found = (await store.list({})).approvals.find((one) => one.id !== id)
  return { gate, grant, found, hasRun: existsSync(witness) }
}

promise.each(
  ['CS-GRANT-6'],
  'killed after a grant let the call through: its outcome is unknown, and the use is spent',
  [
    ['committed, nobody told', 'committed', false],
    ['before the tool starts', 'claim.committed', false],
    ['inside the tool', 'in the tool', true],
    ['before the end is recorded', 'tool.returned', true],
  ],
  async (_, point, ran) => {
    const { gate, grant, found, hasRun } = await killedAt(point)
    expect(hasRun).toBe(ran)
    expect(found).toMatchObject({ grant: grant?.id, execution: { state: 'unknown' } })
    expect(grant).toMatchObject({ uses: 1, state: 'live' })
    expect((await gate.admin.grants.uses(grant?.id ?? '')).uses).toMatchObject([
      { n: 1, approval: found?.id },
    ])
    // The same call again is not run a second time, and takes no second use.
    const again = await gate.run(pay('k2'), async () => expect.unreachable('it ran twice'))
    expect(again.status).toBe('unknown')
    expect((await gate.admin.grants.get(grant?.id ?? ''))?.uses).toBe(1)
  },
)

promise.each(
  ['CS-GRANT-6'],
  'killed inside the transaction: neither let through nor counted',
  [
    ['the rows are locked', 'locked'],
    ['the call is written', 'changed'],
    ['all is written, nothing committed', 'recorded'],
  ],
  async (_, point) => {
    const { gate, grant, found, hasRun } = await killedAt(point)
    expect(hasRun).toBe(false)
    expect(found).toBeUndefined()
    expect(grant).toMatchObject({ uses: 0, state: 'live' })
    expect((await gate.run(pay('k2'), async () => 'ran')).status).toBe('succeeded')
    expect((await gate.admin.grants.get(grant?.id ?? ''))?.uses).toBe(1)
  },
)
