import { expect, vi } from 'vitest'
import type { RemoteGate } from '../../src/client/remote-gate.ts'
import { denyAll } from '../../src/policy/evaluate/mode.ts'
import { approve, ending, kim, nextPending, person, recordingTool } from '../gate/gates.ts'
import { promise } from '../support/promise.ts'
import { BOTH_BACKENDS, type Opened, openBackend } from './backends.ts'

/* What a gate offers besides asking, against both backends: batches, resuming, joining, edits. */

const pay = { tool: 'pay', run: 'r', key: 'k', args: { amount: 5 } }

async function pendings({ people }: Opened, count: number) {
  return vi.waitFor(async () => {
    const { approvals } = await people.approvals.list({ status: ['pending'] }, { limit: 100 })
    expect(approvals).toHaveLength(count)
    return approvals
  })
}

async function deny({ people }: Opened, { id, digest }: { id: string; digest: string }) {
  await people.approvals.decide(id, { by: kim, verdict: 'deny', seen: digest, reason: 'No.' })
}

promise.each(
  ['CS-GATE-26', 'SP-37', 'SP-39'],
  'each call of a batch has its own answer, in the order of the calls',
  BOTH_BACKENDS,
  async (name) => {
    const own = await openBackend(name)
    const tool = recordingTool((args) => args.n)
    const names = ['pay', 'read', 'pay', 'nuke', 'pay']
    const running = own.gate.batch(
      names.map((each, n) => ({ call: { tool: each, run: 'r', args: { n } }, tool })),
    )
    const asked = await pendings(own, 3)
    expect(tool.starts.map(({ args }) => args.n)).toEqual([1])
    const [batch, ...others] = new Set(asked.map(({ call }) => call.batch))
    expect(batch).toBeTypeOf('string')
    expect(others).toEqual([])
    for (const approval of asked) {
      const { args } = (await own.people.approvals.get(approval.id)) ?? {}
      await (args?.n === 2 ? deny(own, approval) : approve(own.people, approval))
    }
    expect((await running).map(ending)).toEqual([
      'succeeded',
      'succeeded',
      'denied',
      'denied_by_policy',
      'succeeded',
    ])
    expect(tool.starts).toHaveLength(3)
  },
)

promise.each(
  ['CS-GATE-26', 'SP-37'],
  'one call is no batch, and two batches never share a name',
  BOTH_BACKENDS,
  async (name) => {
    const own = await openBackend(name)
    const item = { call: { tool: 'pay', args: {} }, tool: () => 'paid' }
    const options = { wait: false } as const
    expect(await own.gate.batch([])).toEqual([])
    await own.gate.batch([item], options)
    await own.gate.batch([item, item], options)
    await own.gate.batch([item, item], options)
    const batches = (await pendings(own, 5)).map(({ call }) => call.batch)
    expect(batches.filter((one) => one === undefined)).toHaveLength(1)
    expect(new Set(batches).size).toBe(3)
  },
)

promise.each(
  ['CS-GATE-26', 'CS-GATE-1'],
  'what was approved is resumed by its id, in any process, once',
  BOTH_BACKENDS,
  async (name) => {
    const own = await openBackend(name)
    const tool = recordingTool(() => 'paid')
    const asked = await own.gate.run(pay, tool, { wait: false })
    expect(asked).toMatchObject({ status: 'pending', approvalId: expect.any(String) })
    const { approvalId: id = '' } = asked
    const later = own.again()
    expect(await later.resume(id, { pay: tool })).toMatchObject({ status: 'pending' })
    await approve(own.people, await nextPending(own.people))
    const [one, two] = await Promise.all([
      own.again().resume(id, { pay: tool }),
      own.again().resume(id, [{ name: 'pay', run: tool }]),
    ])
    expect([one, two].map(({ status }) => status)).toEqual(['succeeded', 'succeeded'])
    expect([one, two].filter((outcome) => 'replayed' in outcome)).toHaveLength(1)
    expect(await later.resume(id, { pay: tool })).toMatchObject({ result: 'paid', replayed: true })
    expect(tool.starts.map(({ args }) => args)).toEqual([{ amount: 5 }])
  },
)

promise.each(
  ['CS-GATE-26', 'CS-GATE-14'],
  'nothing is resumed for another agent, without its tool, by another digest or under denyAll',
  BOTH_BACKENDS,
  async (name) => {
    const own = await openBackend(name)
    const tool = recordingTool(() => 'paid')
    const { approvalId: id = '' } = await own.gate.run(pay, tool, { wait: false })
    await approve(own.people, await nextPending(own.people))
    const eve = await own.other('eve')
    const stolen = await eve.resume(id, { pay: tool }).catch((error: unknown) => error)
    expect(['not_the_asker', 'approval_not_found']).toContain((stolen as { code: string }).code)
    await expect(own.gate.resume(id, { read: tool })).rejects.toMatchObject({
      code: 'tool_unknown',
    })
    await expect(own.gate.resume('nonsense', { pay: tool })).rejects.toMatchObject({
      code: 'approval_not_found',
    })
    const digest = 'a'.repeat(64)
    expect(await own.gate.resume(id, { pay: tool }, { digest })).toMatchObject({
      status: 'blocked',
      code: 'call_changed',
    })
    const preview = own.gate.with({ mode: denyAll() })
    expect(await preview.resume(id, { pay: tool })).toMatchObject({
      status: 'blocked',
      code: 'denied_by_mode',
    })
    const gone = AbortSignal.abort()
    expect(tool.starts).toEqual([])
    expect(await own.again().resume(id, { pay: tool }, { signal: gone })).toMatchObject({
      ran: false,
    })
    expect(tool.starts).toEqual([])
  },
)

promise.each(
  ['CS-GATE-26'],
  'a gate that speaks for one user resumes nothing of another',
  BOTH_BACKENDS,
  async (name) => {
    const own = await openBackend(name, {
      token: { vouches: true },
      identity: { principal: 'uma@example.com' },
    })
    const tool = recordingTool(() => 'paid')
    const { approvalId: id = '' } = await own.gate.run(pay, tool, { wait: false })
    await approve(own.people, await nextPending(own.people))
    const forEve = own.again({ principal: 'eve@example.com' })
    await expect(forEve.resume(id, { pay: tool })).rejects.toMatchObject({
      code: 'approval_not_found',
    })
    expect(tool.starts).toEqual([])
    expect(await own.gate.resume(id, { pay: tool })).toMatchObject({ result: 'paid' })
  },
)

promise.each(
  ['CS-GATE-26', 'CS-GATE-14'],
  'a tool that says something else of itself than people saw is not resumed',
  BOTH_BACKENDS,
  async (name) => {
    for (const [asked, now] of [
      [{ description: 'Pays.' }, undefined],
      [undefined, { description: 'Pays twice.' }],
      [{ description: 'Pays.' }, { description: 'Pays twice.' }],
    ]) {
      const own = await openBackend(name)
      const run = recordingTool(() => 'paid')
      const tool = { name: 'pay', run, ...(asked ? { definition: asked } : {}) }
      const { approvalId: id = '' } = await own.gate.run(pay, tool, { wait: false })
      await approve(own.people, await nextPending(own.people))
      const changed = { name: 'pay', run, ...(now ? { definition: now } : {}) }
      expect(await own.again().resume(id, [changed])).toMatchObject({
        status: 'blocked',
        code: 'invalidated',
      })
      expect(run.starts).toEqual([])
    }
  },
)

promise.each(
  ['CS-GATE-26', 'CS-GATE-14'],
  'the tool that people saw is found among several of one name, and a guarded one by its name',
  BOTH_BACKENDS,
  async (name) => {
    const own = await openBackend(name)
    const definition = { description: 'Pays.' }
    const right = recordingTool(() => 'right')
    const wrong = recordingTool(() => 'wrong')
    const tools = [
      { name: 'pay', run: wrong, definition: { description: 'Pays twice.' } },
      { name: 'pay', run: right, definition },
    ]
    const asked = await own.gate.run(pay, tools[1] ?? right, { wait: false })
    await approve(own.people, await nextPending(own.people))
    const { approvalId: first = '' } = asked
    expect(await own.again().resume(first, tools)).toMatchObject({ result: 'right' })
    own.gate.guard(right, { name: 'pay', ...definition })
    const again = { ...pay, key: 'k2' }
    const { approvalId: second = '' } = await own.gate.run(again, right, { wait: false })
    await approve(own.people, await nextPending(own.people))
    expect(await own.gate.resume(second, { pay: right })).toMatchObject({ result: 'right' })
    expect(wrong.starts).toEqual([])
  },
)

promise.each(
  ['CS-GATE-26'],
  'what code says is not to be kept is not kept of a resumed call either',
  BOTH_BACKENDS,
  async (name) => {
    const own = await openBackend(name)
    own.gate.guard(() => 'canary', { name: 'pay', result: 'drop' })
    const { approvalId: id = '' } = await own.gate.run(pay, () => 'canary', { wait: false })
    await approve(own.people, await nextPending(own.people))
    expect(await own.gate.resume(id, { pay: () => 'canary' })).toMatchObject({ result: 'canary' })
    expect(await own.gate.resume(id, { pay: () => 'canary' })).toMatchObject({
      replayed: true,
      noResult: 'dropped',
    })
    expect(JSON.stringify(await own.store.content(id))).not.toContain('canary')
  },
)

promise.each(
  ['CS-GATE-26', 'CS-GATE-8'],
  'equal calls without keys are two questions, and one where the caller joins them',
  BOTH_BACKENDS,
  async (name) => {
    const own = await openBackend(name)
    const tool = recordingTool(() => 'paid')
    const keyless = { tool: 'pay', run: 'r', args: { amount: 7 } }
    const apart = [1, 2].map(() => own.gate.run(keyless, tool, { wait: false }))
    expect(await Promise.all(apart)).toMatchObject([{ status: 'pending' }, { status: 'pending' }])
    await pendings(own, 2)
    const joined = { ...keyless, run: 'r2' }
    const first = own.gate.run(joined, tool, { join: 'digest' })
    await pendings(own, 3)
    const second = own.again().run(joined, tool, { join: 'digest' })
    const asked = (await pendings(own, 3)).find(({ call }) => call.run === 'r2')
    if (!asked) throw new Error('not asked')
    await approve(own.people, asked)
    expect((await Promise.all([first, second])).map(ending)).toEqual(['succeeded', 'succeeded'])
    expect(tool.starts).toHaveLength(1)
  },
)

promise.each(
  ['CS-GATE-26', 'CS-GATE-16'],
  'an outcome tells what a person changed, also when it is told again',
  BOTH_BACKENDS,
  async (name) => {
    const own = await openBackend(name, {
      policy: 'tools: { pay: { secrets: [pin], approval: { edit: [amount, memo] } } }',
    })
    const tool = recordingTool(() => 'paid')
    const args = { amount: 50, memo: 'rent', pin: '9999' }
    const running = own.gate.run({ ...pay, args }, tool)
    const { id, digest } = await nextPending(own.people)
    const edit = { ...args, amount: 40, pin: '[secret]' }
    const by = person('kim')
    await own.people.approvals.decide(id, { by, verdict: 'approve', seen: digest, args: edit })
    const modelMessage = 'A person changed the call to pay before approving it: amount is now 40.'
    const edited = {
      paths: ['amount'],
      args: { amount: 40, memo: 'rent', pin: '[secret]' },
      modelMessage,
    }
    expect(await running).toMatchObject({ status: 'succeeded', edited, modelMessage })
    expect(await own.again().run({ ...pay, args }, tool)).toMatchObject({
      replayed: true,
      edited,
      modelMessage,
    })
    expect(tool.starts).toMatchObject([
      { args: { amount: 40, memo: 'rent', pin: '9999' }, context: { edited: true } },
    ])
  },
)

promise.each(
  ['CS-GATE-26', 'AT-24'],
  'a denial carries the words of the person, also when it is told again',
  BOTH_BACKENDS,
  async (name) => {
    const own = await openBackend(name)
    const tool = recordingTool()
    const running = own.gate.run(pay, tool)
    await deny(own, await nextPending(own.people))
    const told = { status: 'blocked', ran: false, code: 'denied', reason: 'No.' }
    expect(await running).toMatchObject(told)
    expect(await own.gate.run(pay, tool)).toMatchObject(told)
    expect(await own.gate.check(pay)).toMatchObject({ code: 'denied', reason: 'No.' })
    expect(tool.starts).toEqual([])
  },
)

promise.each(
  ['CS-GATE-26', 'AT-34'],
  'listeners hear how every call ended, and closing waits for what is being recorded',
  BOTH_BACKENDS,
  async (name) => {
    const own = await openBackend(name)
    const ended: string[] = []
    const listening: Pick<RemoteGate, 'on'> = own.gate
    const stop = listening.on('finished', ({ call, outcome }) => {
      ended.push(`${call.tool} ${ending(outcome)}`)
      throw new Error('a listener that fails')
    })
    const guarded = own.gate.guard(() => 'read', { name: 'read' })
    expect(await guarded({})).toBe('read')
    expect(await own.gate.run({ tool: 'nuke', args: {} }, () => 0)).toMatchObject({ ran: false })
    const running = own.gate.run(pay, () => 'paid')
    await approve(own.people, await nextPending(own.people))
    expect(await running).toMatchObject({ status: 'succeeded' })
    // What still waits has not ended, however often it is looked at.
    const later = { ...pay, key: 'later' }
    const waiting = await own.gate.run(later, () => 'paid', { wait: false })
    expect(waiting).toMatchObject({ status: 'pending' })
    await own.gate.close()
    expect(ended).toEqual(['read succeeded', 'nuke denied_by_policy', 'pay succeeded'])
    stop()
    await own.gate.run({ tool: 'read', args: {} }, () => 0)
    expect(ended).toHaveLength(3)
  },
)

promise.each(
  ['CS-GATE-26', 'CS-GATE-27'],
  'a yes is not spent once the code of the caller asks for more than people were asked for',
  BOTH_BACKENDS,
  async (name) => {
    const own = await openBackend(name)
    const tool = recordingTool(() => 'paid')
    const call = { ...pay, tool: 'read' }
    const asked = { approval: true }
    const more = { approval: { quorum: [{ group: 'finance', n: 2 }] } }
    const first = await own.gate.check(call, { declared: asked })
    expect(first.status).toBe('pending')
    await approve(own.people, await nextPending(own.people))
    const outcome = await own.gate.run(call, tool, { declared: more, wait: false })
    expect(ending(outcome)).toBe('invalidated')
    expect(tool.starts).toEqual([])
    const other = { ...call, key: 'other' }
    await own.gate.check(other, { declared: asked })
    await approve(own.people, await nextPending(own.people))
    expect(ending(await own.gate.run(other, tool, { declared: asked }))).toBe('succeeded')
  },
)
