import { expect, vi } from 'vitest'
import { isCallBlocked } from '../../src/gate/call-blocked.ts'
import {
  annotated,
  type CustomAnswer,
  custom,
  denyAll,
  observe,
} from '../../src/policy/evaluate/mode.ts'
import { autoApprove, autoDeny } from '../../src/testing/strategies.ts'
import { type AnyGate, BOTH_BACKENDS, openBackend } from '../client/backends.ts'
import { approve, deny, ending, nextPending, recordingTool } from '../gate/gates.ts'
import { promise } from '../support/promise.ts'

/* What is promised of modes and calls, kept by a gate in the process and by one over a server. */

const WORDS = 'This permanently deletes customer records.'
const POLICY = `
  people: { groups: { finance: [ana@example.com, bo@example.com] } }
  tools:
    delete_all: { approval: { message_template: "${WORDS}" } }
    get_weather: { description: Weather for a city }
    pay: { approval: { condition: { args_match: { amount: { gt: 100 } } } } }
    wire: { approval: { quorum: [{ group: finance, n: 2 }] } }
  governance:
    - { id: no-nukes, match: { tool: nuke }, deny: Not by agents }
`
const CANCELLED = '{"status":"cancelled","message":"Tool execution denied by policy"}'

async function statusOf(gate: AnyGate, tool: string, args = {}): Promise<string> {
  const now = await gate.check({ tool, args })
  return 'code' in now ? now.code : now.status
}

promise.each(['AT-3'], 'the policy is asked anew for every call', BOTH_BACKENDS, async (name) => {
  const { gate } = await openBackend(name, { policy: POLICY })
  const statuses: string[] = []
  for (const amount of [1, 101, 100, 5_000]) {
    statuses.push(await statusOf(gate, 'pay', { amount }))
  }
  expect(statuses).toEqual(['allowed', 'pending', 'allowed', 'pending'])
  expect(await statusOf(gate, 'nuke')).toBe('denied_by_policy')
})

promise.each(
  ['AT-4', 'AT-5', 'AT-20'],
  'without a mode what declares approval is asked about, and nothing else',
  BOTH_BACKENDS,
  async (name) => {
    const own = await openBackend(name, { policy: POLICY })
    const plain = own.gate.with({ mode: annotated() })
    for (const gate of [own.gate, plain]) {
      expect(await statusOf(gate, 'delete_all')).toBe('pending')
      const tool = recordingTool(() => 'done')
      for (const free of ['get_weather', 'nowhere_declared']) {
        expect(await statusOf(gate, free)).toBe('allowed')
        expect(await gate.run({ tool: free, args: {} }, tool)).toEqual({
          status: 'succeeded',
          ran: true,
          result: 'done',
        })
      }
    }
    const { approvals } = await own.store.list({})
    expect(approvals.map(({ call }) => call.tool)).toEqual(['delete_all', 'delete_all'])
  },
)

promise.each(
  ['AT-5', 'AT-6'],
  'a declaration in a file or in code is asked about, in its own words',
  BOTH_BACKENDS,
  async (name) => {
    const own = await openBackend(name, { policy: POLICY })
    const inFile = await own.gate.run({ tool: 'delete_all', args: {} }, () => 0, { wait: false })
    const words = 'Send this letter?'
    const send = own.gate.guard(() => 'sent', {
      name: 'send_letter',
      approval: { message_template: words },
    })
    const inCode: unknown = await send({}, { wait: false }).catch((error: unknown) => error)
    if (!isCallBlocked(inCode, 'pending')) throw new Error('not asked')
    for (const [id, says] of [
      [inFile.approvalId, WORDS],
      [inCode.approvalId, words],
    ] as const) {
      const asked = await own.people.approvals.get(id ?? '')
      expect(asked?.question?.message).toContain(says)
    }
  },
)

promise.each(
  ['AT-7', 'AT-29', 'AT-30'],
  'in tests a strategy answers in place of people, by the same rules',
  BOTH_BACKENDS,
  async (name) => {
    const yes = await openBackend(name, { policy: POLICY, strategy: autoApprove() })
    const tool = recordingTool(() => 'done')
    for (const asked of ['delete_all', 'wire']) {
      const outcome = await yes.gate.run({ tool: asked, args: {} }, tool)
      expect(outcome).toMatchObject({ status: 'succeeded', result: 'done' })
    }
    const [wire] = (await yes.store.list({ tool: 'wire' })).approvals
    expect(wire?.decisions).toHaveLength(2)
    const no = await openBackend(name, { policy: POLICY, strategy: autoDeny('not in tests') })
    expect(await no.gate.run({ tool: 'wire', args: {} }, tool)).toMatchObject({
      status: 'blocked',
      code: 'denied',
      reason: 'not in tests',
    })
    expect(tool.starts).toHaveLength(2)
  },
)

promise.each(
  ['AT-7', 'AT-21'],
  'no strategy is reached by what the policy or the mode denies',
  BOTH_BACKENDS,
  async (name) => {
    const answers = vi.fn(() => [])
    const own = await openBackend(name, { policy: POLICY, strategy: { name: 'spy', answers } })
    const tool = recordingTool()
    expect(ending(await own.gate.run({ tool: 'nuke', args: {} }, tool))).toBe('denied_by_policy')
    const preview = own.gate.with({ mode: denyAll() })
    expect(ending(await preview.run({ tool: 'wire', args: {} }, tool))).toBe('denied_by_mode')
    expect(answers).not.toHaveBeenCalled()
    expect((await own.store.list({})).approvals).toEqual([])
    expect(tool.starts).toEqual([])
  },
)

promise.each(
  ['AT-1', 'AT-10', 'AT-11', 'AT-12', 'AT-13', 'AT-14', 'AT-19'],
  'under denyAll everything is denied in the same words, beside a gate that goes on asking',
  BOTH_BACKENDS,
  async (name) => {
    const own = await openBackend(name, { policy: POLICY })
    const denying = own.gate.with({ mode: denyAll() })
    const tool = recordingTool(() => 'done')
    const denied = {
      status: 'blocked',
      ran: false,
      code: 'denied_by_mode',
      modelMessage: CANCELLED,
    }
    for (const one of ['delete_all', 'get_weather', 'nuke']) {
      expect(await denying.run({ tool: one, args: {} }, tool)).toEqual(denied)
      expect(await denying.check({ tool: one, args: {} })).toMatchObject({ code: denied.code })
    }
    const batch = await denying.batch([{ call: { tool: 'get_weather', args: {} }, tool }])
    expect(batch).toEqual([denied])
    const handOver = denying.delegate('helper', tool)
    expect(isCallBlocked(await handOver({}).catch((error) => error), 'denied_by_mode')).toBe(true)
    expect(await denying.with({ mode: observe() }).run({ tool: 'pay', args: {} }, tool)).toEqual(
      denied,
    )
    expect((await own.store.list({})).approvals).toEqual([])
    expect(await own.gate.run({ tool: 'get_weather', args: {} }, tool)).toMatchObject({
      status: 'succeeded',
    })
    expect(tool.starts).toHaveLength(1)
  },
)

promise.each(
  ['AT-15', 'AT-18'],
  'under custom a function is asked about every call and tightens what the policy says',
  BOTH_BACKENDS,
  async (name) => {
    const seen: unknown[] = []
    let answer: CustomAnswer = true
    const own = await openBackend(name, { policy: POLICY })
    const gate = own.gate.with({
      mode: custom(({ tool, args, declared }) => {
        seen.push([tool, args, declared])
        return answer
      }),
    })
    const statuses: string[] = []
    for (answer of [true, 'confirm', 'review', 'deny', 'allow', false] as const) {
      statuses.push(await statusOf(gate, 'get_weather', { city: 'Bern' }))
    }
    expect(statuses).toEqual([
      ...['pending', 'pending', 'pending'],
      ...['denied_by_policy', 'allowed', 'allowed'],
    ])
    expect(seen).toEqual(Array(6).fill(['get_weather', { city: 'Bern' }, 'allow']))
  },
)

promise.each(['AT-16'], 'custom needs a function, at once', BOTH_BACKENDS, async (name) => {
  const { gate } = await openBackend(name, { policy: POLICY })
  for (const wrong of [undefined, null, true, 'deny', {}]) {
    const make = () => gate.with({ mode: custom(wrong as unknown as () => boolean) })
    expect(make).toThrow(expect.objectContaining({ code: 'mode_refused' }))
  }
})

promise.each(
  ['AT-22', 'AT-23', 'AT-24', 'AT-31'],
  'a call is parked until a person answers; a yes runs it, a no does not',
  BOTH_BACKENDS,
  async (name) => {
    const own = await openBackend(name, { policy: POLICY })
    const tool = recordingTool(() => 'gone')
    const running = own.gate.run({ tool: 'delete_all', args: {} }, tool)
    const asked = await nextPending(own.people)
    expect(tool.starts).toEqual([])
    await approve(own.people, asked)
    expect(await running).toMatchObject({ status: 'succeeded', result: 'gone' })
    const refused = own.gate.run({ tool: 'delete_all', args: {} }, tool)
    await deny(own.people, await nextPending(own.people))
    expect(await refused).toMatchObject({ status: 'blocked', ran: false, code: 'denied' })
    expect(tool.starts).toHaveLength(1)
  },
)
