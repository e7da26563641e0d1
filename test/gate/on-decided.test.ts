import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import type { Approval } from '../../src/approval/approval.ts'
import { createGate, type Gate } from '../../src/gate/gate.ts'
import { onDecided } from '../../src/gate/notify/on-decided.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { approve, deny, POLICY } from './gates.ts'

const policy = policyOf(POLICY)

/** Two connections on one file, as two processes have them. */
async function two(): Promise<{ asks: Gate; resumes: Gate }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'decided-'))
  const file = path.join(folder, 'countersign.db')
  const stores = [await openSqlite(file), await openSqlite(file)]
  onTestFinished(async () => {
    for (const store of stores) await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const [asks, resumes] = stores.map((store) => createGate({ policy, store, agent: 'bot' }))
  if (!asks || !resumes) throw new Error('two gates')
  return { asks, resumes }
}

async function question(gate: Gate, run: string, key = 'k'): Promise<Approval> {
  const asked = await gate.check({ tool: 'pay', args: { amount: 5 }, run, key })
  if (asked.status !== 'pending') throw new Error(`it is ${asked.status}`)
  return asked.approval
}

function listen(gate: Gate, options: Parameters<typeof onDecided>[2] = {}): string[] {
  const heard: string[] = []
  const stop = onDecided(gate, ({ call, status }) => heard.push(`${call.run} ${status}`), options)
  onTestFinished(stop)
  return heard
}

promise(
  ['CS-WAIT-3'],
  'a yes and a no given by another process wake the one that resumes',
  async () => {
    const { asks, resumes } = await two()
    const heard = listen(resumes)
    await approve(asks, await question(asks, 'chat-1'))
    await vi.waitFor(() => expect(heard).toEqual(['chat-1 approved']))
    await deny(asks, await question(asks, 'chat-2'))
    await vi.waitFor(() => expect(heard).toEqual(['chat-1 approved', 'chat-2 denied']))
  },
)

promise(
  ['CS-WAIT-3'],
  'an unused yes from before it started is told, a used one is not',
  async () => {
    const { asks, resumes } = await two()
    await approve(asks, await question(asks, 'unused'))
    const used = await question(asks, 'used')
    await approve(asks, used)
    await asks.resume(used.id, { pay: () => 'paid' })
    const heard = listen(resumes)
    await vi.waitFor(() => expect(heard).toEqual(['unused approved']))
  },
)

promise(
  ['CS-WAIT-3'],
  'it hears of its own agent, of the run it names, and nothing after its end',
  async () => {
    const { asks, resumes } = await two()
    const one = listen(resumes, { run: 'mine' })
    const all = listen(resumes)
    const stopped: string[] = []
    onDecided(resumes, ({ id }) => stopped.push(id))()
    await approve(asks, await question(asks.with({ agent: 'other' }), 'mine'))
    const uma = listen(resumes.with({ principal: 'uma@example.com' }))
    await approve(asks, await question(asks.with({ principal: 'uma@example.com' }), 'for uma'))
    await approve(asks, await question(asks, 'theirs'))
    await approve(asks, await question(asks, 'mine'))
    await vi.waitFor(() =>
      expect(all).toEqual(['for uma approved', 'theirs approved', 'mine approved']),
    )
    await vi.waitFor(() => expect(uma).toEqual(['for uma approved']))
    expect(one).toEqual(['mine approved'])
    expect(stopped).toEqual([])
  },
)

promise(
  ['CS-WAIT-3'],
  'a handler that throws is its own problem: the next one is told',
  async () => {
    const { asks, resumes } = await two()
    const heard: string[] = []
    const stop = onDecided(resumes, ({ call }) => {
      heard.push(String(call.run))
      throw new Error('broken handler')
    })
    onTestFinished(stop)
    await approve(asks, await question(asks, 'r1'))
    await approve(asks, await question(asks, 'r2'))
    await vi.waitFor(() => expect(heard).toEqual(['r1', 'r2']))
  },
)
