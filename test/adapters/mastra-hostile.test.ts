import { RequestContext } from '@mastra/core/request-context'
import { InMemoryStore } from '@mastra/core/storage'
import { expect, test, vi } from 'vitest'
import { guardDelegation } from '../../src/adapters/mastra/guard-delegation.ts'
import { guardTools } from '../../src/adapters/mastra/guard-tools.ts'
import { resumeRun } from '../../src/adapters/mastra/resume-run.ts'
import type { ModelCall, ModelTurn } from '../../src/testing/adapter-harness.ts'
import { promise } from '../support/promise.ts'
import { scriptedModel, toldBy } from './ai-sdk-harness.ts'
import { decide, open, pay, payTool, pending, started, told } from './mastra-gate.ts'
import { agentOf, hosted } from './mastra-harness.ts'

/** An outer agent that hands work over, by whatever its model says. */
function supervising(gate: ReturnType<typeof open>['gate'], turns: readonly ModelTurn[], says = 1) {
  const inner = scriptedModel(Array.from({ length: says }, () => ({ says: 'worked' })))
  const sub = agentOf('sub', inner, {})
  const model = scriptedModel(turns)
  const defaultOptions = { delegation: guardDelegation(gate), maxSteps: 10 }
  const agent = hosted(
    agentOf('top', model, { agents: { sub }, defaultOptions }),
    new InMemoryStore(),
  )
  return { agent, model, inner }
}

const handOver = (id: string, args: object): ModelCall => ({
  id,
  tool: 'agent-sub',
  args: args as never,
})

promise(
  ['CS-HANDOVER-1'],
  'Mastra: one yes hands work over once, also under a repeated id',
  async () => {
    const { gate } = open()
    const again = handOver('p1', { prompt: 'work' })
    const { agent, model, inner } = supervising(
      gate,
      [{ calls: [again] }, { calls: [again] }, { says: 'done' }],
      2,
    )
    const going = agent.generate('go')
    await decide(gate, 'approve')
    await going
    expect(inner.doGenerateCalls).toHaveLength(1)
    expect(
      toldBy(model)
        .filter(({ id }) => id === 'p1')
        .at(-1)?.text,
    ).toMatch(/already|not run again/)
  },
)

promise(
  ['CS-HANDOVER-1'],
  'Mastra: of two hand-overs under one id in one turn at most one works',
  async () => {
    const { gate } = open()
    const again = handOver('p1', { prompt: 'work' })
    const { agent, inner } = supervising(gate, [{ calls: [again, again] }, { says: 'done' }], 2)
    const going = agent.generate('go').catch(() => undefined)
    await decide(gate, 'approve')
    await going
    expect(inner.doGenerateCalls.length).toBeLessThanOrEqual(1)
  },
)

promise.each(
  ['CS-HANDOVER-1'],
  'Mastra: a hand-over works with the words as approved',
  [
    ['changed', { prompt: 'nicely', instructions: 'be kind' }, /nicely/, /be kind/, /be evil/],
    ['taken out', { prompt: 'nicely' }, /nicely/, /nicely/, /be evil/],
  ] as [string, object, RegExp, RegExp, RegExp][],
  async (_how, args, prompt, instructions, never) => {
    const { gate } = open()
    const { agent, inner } = supervising(gate, [
      { calls: [handOver('p1', { prompt: 'work', instructions: 'be evil' })] },
      { says: 'done' },
    ])
    const going = agent.generate('go')
    await decide(gate, 'approve', { args: args as never })
    await going
    const said = JSON.stringify(inner.doGenerateCalls)
    expect(said).toMatch(prompt)
    expect(said).toMatch(instructions)
    expect(said).not.toMatch(never)
  },
)

test.each([
  ['no words', { prompt: 5 }],
  ['nothing to do', {}],
  ['something nobody hands over', { prompt: 'work', budget: 1 }],
])('an edit that leaves %s hands nothing over', async (_what, args) => {
  const { gate } = open()
  const { agent, model, inner } = supervising(gate, [
    { calls: [handOver('p1', { prompt: 'work' })] },
    { says: 'done' },
  ])
  const going = agent.generate('go')
  await decide(gate, 'approve', { args: args as never })
  await going
  expect(inner.doGenerateCalls).toHaveLength(0)
  expect(told(model, 'p1')).toMatch(/could not be started and did not run/)
})

promise(
  ['CS-SDK-14'],
  'Mastra: tools of a server that are guarded again are still judged by its rules',
  async () => {
    const { gate } = open()
    const ran: number[] = []
    const own = { delete_file: payTool(ran, { id: 'delete_file' }) }
    const first = guardTools(gate, own, { run: 'a', server: 'files' })
    const call = { id: 'c1', tool: 'delete_file', args: { amount: 1 } }
    const { agent } = started(gate, { ...first, pay: payTool(ran) }, { run: 'b' }, call)
    await agent.generate('go')
    expect(ran).toEqual([])
    const [asked] = await pending(gate)
    expect(asked?.call).toMatchObject({ server: 'files', tool: 'delete_file', run: 'b' })
  },
)

promise(
  ['CS-SDK-14'],
  'Mastra: tools that are guarded again belong to the new run, and ask there',
  async () => {
    const { gate } = open()
    const ran: number[] = []
    const first = guardTools(gate, { pay: payTool(ran) }, { run: 'a' })
    for (const run of ['a', 'b']) {
      const tools = run === 'a' ? first : guardTools(gate, first, { run })
      const model = scriptedModel([{ calls: [pay('c1', 100)] }, { says: 'done' }])
      const agent = hosted(agentOf('x', model, { tools }), new InMemoryStore())
      const { runId = '' } = await agent.generate('go')
      expect((await pending(gate)).map(({ call }) => call.run)).toEqual([run])
      await decide(gate, 'approve')
      await resumeRun(agent, runId)
    }
    expect(ran).toEqual([100, 100])
    const seen = await gate.approvals.list({})
    expect(seen.approvals.map(({ call }) => call.run).sort()).toEqual(['a', 'b'])
    await vi.waitFor(async () => expect(await pending(gate)).toEqual([]))
  },
)

promise(
  ['CS-HANDOVER-1', 'CS-MASTRA-1'],
  'Mastra: a pause two agents deep goes on through both hand-overs, of one name, each asked once',
  async () => {
    const { gate } = open()
    const ran: number[] = []
    const delegation = { defaultOptions: { delegation: guardDelegation(gate) } }
    const leaf = agentOf('sub', scriptedModel([{ calls: [pay('s2', 70)] }, { says: 'paid' }]), {
      tools: guardTools(gate, { pay: payTool(ran) }),
    })
    const middleModel = scriptedModel([
      { calls: [handOver('s1', { prompt: 'deeper' })] },
      // It repeats the id of what it was resumed for.
      { calls: [handOver('s1', { prompt: 'deeper' })] },
      { says: 'done' },
    ])
    const middle = agentOf('sub', middleModel, { agents: { sub: leaf }, ...delegation })
    const model = scriptedModel([
      { calls: [handOver('p1', { prompt: 'work' })] },
      { calls: [handOver('p1', { prompt: 'work' })] },
      { says: 'done' },
    ])
    const agent = hosted(
      agentOf('top', model, { agents: { sub: middle }, ...delegation }),
      new InMemoryStore(),
    )
    const going = agent.generate('go', { maxSteps: 10 })
    await decide(gate, 'approve', { key: 'p1' })
    await decide(gate, 'approve', { key: 's1' })
    const { runId = '' } = await going
    await decide(gate, 'approve', { key: 's2' })
    expect(ran).toEqual([])
    expect((await resumeRun(agent, runId)).waiting).toEqual([])
    expect(ran).toEqual([70])
    expect(middleModel.doGenerateCalls).toHaveLength(3)
    expect(await pending(gate)).toEqual([])
  },
)

type Ctx = { readonly requestContext?: { readonly user?: string } }

const UNLESS_ADMIN = (_args: unknown, ctx?: Ctx) => ctx?.requestContext?.user !== 'admin'

promise.each(
  ['CS-SDK-5', 'CS-SDK-6'],
  'Mastra: requireApproval gets the context of the request, as Mastra gives it',
  [
    ['a guest', { user: 'guest' }, UNLESS_ADMIN, 1],
    ['an admin', { user: 'admin' }, UNLESS_ADMIN, 0],
    ['nobody', {}, UNLESS_ADMIN, 1],
    [
      'a function that throws',
      { user: 'admin' },
      () => {
        throw new Error('x')
      },
      1,
    ],
    ['a function that never answers', { user: 'admin' }, () => new Promise(() => {}), 1],
  ] as [string, { user?: string }, unknown, number][],
  async (_who, { user }, requireApproval, asked) => {
    const { gate } = open()
    const ran: number[] = []
    // Another chat's tool of the same name says nothing.
    guardTools(gate, { note: payTool(ran, { id: 'note', requireApproval: false }) })
    const note = payTool(ran, { id: 'note', requireApproval })
    const call = { id: 'c1', tool: 'note', args: { amount: 5 } }
    const { agent } = started(gate, { note }, {}, call)
    const requestContext = new RequestContext(user === undefined ? [] : [['user', user]])
    const { runId = '' } = await agent.generate('go', { requestContext } as never)
    expect(await pending(gate)).toHaveLength(asked)
    expect(ran).toHaveLength(1 - asked)
    if (asked === 0) return
    // Resumed as an admin: the question stays.
    const admin = { requestContext: new RequestContext([['user', 'admin']]) }
    expect((await resumeRun(agent, runId, { generate: admin })).waiting).toHaveLength(1)
    expect(ran).toEqual([])
    await decide(gate, 'approve')
    await resumeRun(agent, runId)
    expect(ran).toEqual([5])
  },
)

test('requireApproval that wants more than the arguments asks where there is no context', async () => {
  const { gate } = open()
  const ran: number[] = []
  const tools = {
    note: payTool(ran, { id: 'note', requireApproval: UNLESS_ADMIN }),
    free: payTool(ran, {
      id: 'free',
      requireApproval: ({ amount }: { amount: number }) => amount > 9,
    }),
  }
  const { note, free } = guardTools(gate, tools)
  await free.execute?.({ amount: 1 }, {} as never)
  expect(ran).toEqual([1])
  const noting = note.execute?.({ amount: 2 }, {} as never)
  await decide(gate, 'deny')
  await noting
  expect(ran).toEqual([1])
})

promise.each(
  ['AF-49'],
  'Mastra: rules about a hand-over read what the application says the agent was given',
  [
    ['nothing said, so it asks', undefined, true],
    ['what the application says', { risk_level: 'high' }, true],
    ['and that alone', { risk_level: 'low' }, false],
    [
      'by the hand-over',
      ({ runId }: { runId: string }) => ({ risk_level: runId ? 'low' : 'high' }),
      false,
    ],
    [
      'a function that fails',
      () => {
        throw new Error('x')
      },
      true,
    ],
  ] as [string, never, boolean][],
  async (_what, parent, asks) => {
    const { gate } = open()
    const inner = scriptedModel([{ says: 'worked' }])
    const sub = agentOf('risky', inner, {})
    const model = scriptedModel([
      { calls: [{ id: 'p1', tool: 'agent-risky', args: { prompt: 'risk_level: low' } }] },
      { says: 'done' },
    ])
    const delegation = guardDelegation(gate, parent === undefined ? {} : { parent })
    const agent = hosted(
      agentOf('top', model, { agents: { risky: sub }, defaultOptions: { delegation } }),
      new InMemoryStore(),
    )
    const going = agent.generate('go')
    if (asks) await decide(gate, 'deny')
    await going
    expect(inner.doGenerateCalls).toHaveLength(asks ? 0 : 1)
  },
)
