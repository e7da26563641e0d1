import { expect, vi } from 'vitest'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import { internals } from '../../src/gate/internals.ts'
import type { Notice } from '../../src/gate/notify/channel.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { ana, approve, BOTH, bo, kim, nextPending, person, setUp } from './gates.ts'

const HOUR = 3_600_000
const eve = person('eve', { roles: ['viewer'] })
const wire = { tool: 'wire', args: { amount: 5 } }

const REMINDING = policyOf(`
  people: { groups: { finance: [ana@example.com, bo@example.com] } }
  tools:
    wire: { approval: { quorum: [{ group: finance, n: 2 }], remind_after: 1h, decide_by: 8h } }
`)

promise.each(
  ['CS-STANDIN-1', 'CS-STANDIN-7'],
  'a stand-in answers at a gate without a server',
  BOTH,
  async (name) => {
    const { gate, store, tool } = await setUp(name)
    const until = (await store.now()) + HOUR
    await gate.admin.standIns.set(ana, { absent: ana, standIn: eve, until })
    const running = gate.run(wire, tool)
    const asked = await nextPending(gate)
    await expect(approve(gate, asked, kim)).rejects.toMatchObject({ code: 'not_an_approver' })
    const half = await approve(gate, asked, eve)
    expect(half.decisions[0]?.by.for?.map(({ subject }) => subject)).toEqual(['ana'])
    await approve(gate, asked, bo)
    expect((await running).status).toBe('succeeded')
    expect(tool.starts).toHaveLength(1)
  },
)

promise.each(
  ['CS-STANDIN-9'],
  'whoever stands in is told with the others, while they do',
  BOTH,
  async (name) => {
    const heard: Notice[] = []
    const channel = { name: 'ears', send: async (notice: Notice) => void heard.push(notice) }
    const { gate, store, clock } = await setUp(name, { policy: REMINDING, channels: [channel] })
    const now = await store.now()
    const set = (absent: typeof ana, standIn: typeof ana) =>
      gate.admin.standIns.set(absent, { absent, standIn, until: now + 90 * 60_000 })
    await set(ana, eve)
    await set(kim, eve)
    await set(ana, bo)
    await gate.check(wire)
    await gate[internals].idle()
    await vi.waitFor(() => expect(heard).toHaveLength(1))
    // Kim is not asked, and Bo has a place of his own.
    expect(heard[0]).toMatchObject({
      kind: 'asked',
      to: [{ group: 'finance' }, { email: 'eve@example.com' }],
      standIns: [{ to: { email: 'eve@example.com' }, for: { email: 'ana@example.com' } }],
    })
    const sweeper = startSweeper({ store, every: 1_000_000 })
    clock.advance(2 * HOUR)
    await sweeper.sweep()
    await gate[internals].idle()
    await vi.waitFor(() => expect(heard).toHaveLength(2))
    expect(heard[1]).toMatchObject({ kind: 'reminded', to: [{ group: 'finance' }] })
    expect(heard[1]).not.toHaveProperty('standIns')
    await sweeper.stop()
    await gate.close()
  },
)
