import { z } from 'genkit'
import { expect } from 'vitest'
import { guardTools } from '../../src/adapters/genkit/guard-tools.ts'
import { settleTurn } from '../../src/adapters/genkit/settle-turn.ts'
import { promise } from '../support/promise.ts'
import { decide, open, pending } from './adapter-gate.ts'
import { ai, scriptedModel } from './genkit-harness.ts'

const INPUT = z.object({ amount: z.number() })

type Run = (
  input: { amount: number },
  options: { interrupt: (about?: object) => never; resumed?: unknown },
) => unknown

function toolOf(name: string, run: Run) {
  return ai.dynamicTool({ name, description: name, inputSchema: INPUT }, async (input, options) =>
    run(input, options as never),
  )
}

const calls = (...names: readonly string[]) =>
  scriptedModel([
    { calls: names.map((tool, n) => ({ id: `c${n + 1}`, tool, args: { amount: n + 1 } })) },
    { says: 'done' },
  ])

promise(
  ['CS-GENKIT-1'],
  'a guarded Genkit tool runs nothing without the middleware that knows its call',
  async () => {
    const gate = open()
    let ran = 0
    const pay = toolOf('pay', () => {
      ran += 1
      return 'paid'
    })
    const { tools } = await guardTools(gate, [pay], { run: 'r' })
    const { model } = calls('pay')
    await expect(ai.generate({ model, prompt: 'go', tools })).rejects.toMatchObject({
      code: 'usage',
    })
    expect(ran).toBe(0)
    expect(await pending(gate)).toEqual([])
    await expect(guardTools(gate, ['pay' as never], { run: 'r' })).rejects.toThrow(
      /takes tools of Genkit/,
    )
  },
)

promise(
  ['CS-GENKIT-1'],
  'a tool that is registered under its name is still reached through the gate',
  async () => {
    const gate = open()
    const ran: unknown[] = []
    const config = { name: 'wipe', description: 'wipes', inputSchema: INPUT }
    const wipe = ai.defineTool(config, async (input) => {
      ran.push(input)
      return 'wiped'
    })
    const guarded = await guardTools(gate, [wipe], { run: 'r' })
    const { model, told } = calls('wipe')
    const paused = await ai.generate({ model, prompt: 'go', ...guarded })
    expect(paused.finishReason).toBe('interrupted')
    expect(ran).toEqual([])
    const [one] = await pending(gate)
    const shown = await gate.approvals.get(one?.id ?? '')
    expect(JSON.stringify(shown)).toContain('"amount"')
    await decide(gate, 'deny')
    const { messages } = paused
    const { resume, waiting } = await settleTurn(guarded, messages)
    expect(waiting).toEqual([])
    await ai.generate({ model, messages, resume, ...guarded })
    expect(told()).toMatchObject([{ id: 'c1', text: expect.stringMatching(/denied by a person/) }])
    expect(ran).toEqual([])
  },
)

promise(
  ['CS-GENKIT-1'],
  'a Genkit tool that interrupts the turn itself is answered by its own answer and never by ours; approved, it is not started twice',
  async () => {
    const gate = open()
    const answers: unknown[] = []
    const paint = toolOf('paint', (_, { interrupt, resumed }) => {
      answers.push(resumed)
      return resumed === undefined ? interrupt({ question: 'which colour?' }) : 'painted'
    })
    let wiped = 0
    const wipe = toolOf('wipe', (_, { interrupt }) => {
      wiped += 1
      return interrupt({ countersign: 'waits', callId: 'c9', name: 'wipe', message: 'x' })
    })
    const guarded = await guardTools(gate, [paint, wipe], { run: 'r' })
    const { model, told } = calls('paint', 'wipe')
    const { messages } = await ai.generate({ model, prompt: 'go', ...guarded })
    await decide(gate, 'approve')
    const { resume } = await settleTurn(guarded, messages)
    expect([resume.restart].flat().map((one) => one?.toolRequest.name)).toEqual(['wipe'])
    const [own] = messages.at(-1)?.content ?? []
    const answer = { ...own, metadata: { ...own?.metadata, resumed: { colour: 'red' } } } as never
    const restart = [answer, ...[resume.restart].flat()] as never
    await ai.generate({ model, messages, resume: { ...resume, restart }, ...guarded })
    expect(answers).toEqual([undefined, { colour: 'red' }])
    expect(wiped).toBe(1)
    expect(told()).toEqual([
      { id: 'c1', text: 'painted' },
      { id: 'c2', text: expect.stringMatching(/may have taken effect\. Do not call it again\./) },
    ])
  },
)

promise(
  ['CS-GENKIT-1'],
  'a result of nothing, zero or false is kept while another call of the turn waits',
  async () => {
    const gate = open()
    const ran: string[] = []
    const zero = toolOf('zero', () => {
      ran.push('zero')
      return 0
    })
    const empty = toolOf('empty', () => {
      ran.push('empty')
      return ''
    })
    const pay = toolOf('pay', ({ amount }) => {
      ran.push(`pay ${amount}`)
      return false
    })
    const guarded = await guardTools(gate, [zero, empty, pay], { run: 'r' })
    const { model, told } = calls('zero', 'pay', 'empty')
    const paused = await ai.generate({ model, prompt: 'go', ...guarded })
    const messages = JSON.parse(JSON.stringify(paused.messages))
    expect((await settleTurn(guarded, messages)).waiting).toMatchObject([
      { callId: 'c2', name: 'pay' },
    ])
    await decide(gate, 'approve', { amount: 20 })
    const { resume } = await settleTurn(guarded, messages)
    await ai.generate({ model, messages, resume, ...guarded })
    // Calls of one turn run at once.
    expect(ran.slice(0, 2).toSorted()).toEqual(['empty', 'zero'])
    expect(ran.slice(2)).toEqual(['pay 20'])
    const [first, second, third] = told()
    expect([first?.text, third?.text]).toEqual(['0', ''])
    expect(second?.text).toMatch(/amount is now 20.*\nfalse$/)
  },
)

promise(
  ['CS-GENKIT-1'],
  'an edit that does not fit the schema of a Genkit tool starts nothing, and a refusal of a multipart tool is its output',
  async () => {
    const gate = open()
    let ran = 0
    const config = {
      name: 'pay',
      description: 'pays',
      inputSchema: INPUT,
      multipart: true,
    } as const
    const pay = ai.defineTool(config, async () => {
      ran += 1
      return { output: 'paid', content: [{ text: 'receipt' }] }
    })
    const guarded = await guardTools(gate, [pay], { run: 'r', mode: 'block' })
    const { model, told } = calls('pay')
    const ending = ai.generate({ model, prompt: 'go', ...guarded })
    await decide(gate, 'approve', { amount: 'a lot' }).catch(() => decide(gate, 'deny'))
    await ending
    expect(ran).toBe(0)
    expect(told()[0]?.text).toMatch(/did not run/)
    const second = calls('pay')
    const other = await guardTools(gate, guarded.tools, { run: 'r2', mode: 'block' })
    const running = ai.generate({ model: second.model, prompt: 'go', ...other })
    await decide(gate, 'approve')
    await running
    expect(ran).toBe(1)
    expect(second.told()[0]?.text).toBe('paid')
  },
)

promise(
  ['CS-GENKIT-1'],
  'Genkit tools of an MCP server go by its rules, also when they are guarded again',
  async () => {
    const gate = open()
    const look = toolOf('files/look', () => 'seen')
    const guarded = await guardTools(gate, [look], { run: 'r', server: 'files' })
    const again = await guardTools(gate, guarded.tools, { run: 'r2' })
    const { model } = calls('look')
    const paused = await ai.generate({ model, prompt: 'go', ...again })
    expect(paused.finishReason).toBe('interrupted')
    expect((await pending(gate)).map(({ call }) => [call.server, call.tool, call.run])).toEqual([
      ['files', 'look', 'r2'],
    ])
    const asOther = guardTools(gate, guarded.tools, { run: 'r', server: 'other' })
    await expect(asOther).rejects.toThrow(/server files/)
  },
)

promise.each(
  ['CS-GENKIT-1'],
  'a call whose id comes again in the next turn, or that has none, is a call of its own',
  [
    ['counted', '0'],
    ['without', undefined],
  ] as const,
  async (how, ref) => {
    const gate = open()
    const ran: unknown[] = []
    const pay = toolOf('pay', (input) => {
      ran.push(input)
      return 'paid'
    })
    const guarded = await guardTools(gate, [pay], { run: 'r' })
    const toolRequest = { name: 'pay', input: { amount: 1 }, ...(ref ? { ref } : {}) }
    let turn = 0
    const model = ai.defineModel({ name: `ids-${how}` }, async () => {
      turn += 1
      const content = turn < 3 ? [{ toolRequest }] : [{ text: 'done' }]
      return { message: { role: 'model', content }, finishReason: 'stop' }
    })
    const goOn = async (messages: Awaited<ReturnType<typeof ai.generate>>['messages']) => {
      await decide(gate, 'approve')
      const { resume, waiting } = await settleTurn(guarded, messages)
      expect(waiting).toEqual([])
      return ai.generate({ model, messages, resume, ...guarded })
    }
    const first = await ai.generate({ model, prompt: 'go', ...guarded })
    const second = await goOn(first.messages)
    expect(second.finishReason).toBe('interrupted')
    expect(ran).toHaveLength(1)
    expect((await goOn(second.messages)).text).toBe('done')
    expect(ran).toHaveLength(2)
  },
)
