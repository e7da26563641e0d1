import { expect, onTestFinished, test, vi } from 'vitest'
import type { SessionAsking } from '../../src/adapters/claude-agent-sdk/guard-hooks.ts'
import { guardOptions } from '../../src/adapters/claude-agent-sdk/guard-options.ts'
import { guardQuery } from '../../src/adapters/claude-agent-sdk/guard-query.ts'
import { waitingIn } from '../../src/adapters/claude-agent-sdk/waiting.ts'
import { createGate } from '../../src/gate/gate.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { kim } from '../../src/testing/adapter-play.ts'
import { promise } from '../support/promise.ts'
import { session } from './claude-agent-sdk-harness.ts'
import { RECORDED } from './claude-hook-inputs.ts'

const POLICY = `version: 1
tools:
  Bash: { approval: { edit: true } }
local_agents:
  - { alias: payer, approval: { edit: true } }
  - { alias: risky, approval: { condition: { args_match: { parent.input.risk_level: { in: [high, critical] } } } } }
mcp_servers:
  - { alias: bank, command: bank, allowed_tools: [{ name: pay, approval: true }] }
`

function open() {
  const store = memoryStore()
  onTestFinished(() => store.close())
  const policy = parsePolicy({ owner: { file: 'countersign.yaml', text: POLICY } })
  return createGate({ policy, store, agent: 'biller' })
}

type Gate = ReturnType<typeof open>

async function asked(gate: Gate, key: string = RECORDED.before.tool_use_id) {
  return vi.waitFor(async () => {
    const { approvals } = await gate.approvals.list({})
    const found = approvals.find(({ call }) => call.key === key)
    if (!found) throw new Error('nobody was asked')
    return found
  })
}

async function decide(gate: Gate, verdict: 'approve' | 'deny', more: object = {}, key?: string) {
  const { id, digest } = await asked(gate, key)
  await gate.approvals.decide(id, { by: kim, verdict, seen: digest, ...more })
}

/** A call that was approved, and that Claude Code now runs. */
async function running(asking: SessionAsking = {}, options: object = {}) {
  const gate = open()
  const one = session(gate, asking, options)
  const answer = one.tell(RECORDED.before)
  await decide(gate, 'approve')
  expect(await answer).toMatchObject({ permissionDecision: 'allow' })
  return { gate, ...one }
}

async function execution(gate: Gate): Promise<string | undefined> {
  return (await asked(gate)).execution?.state
}

promise(
  ['CS-CLAUDE-1'],
  'every tool goes through the hook, and a hook that fails blocks',
  async () => {
    const { PreToolUse = [] } = session(open()).hooks
    expect(PreToolUse).toMatchObject([{ onFailure: 'block', timeout: 604_800 }])
    expect(PreToolUse[0]).not.toHaveProperty('matcher')
  },
)

promise(
  ['CS-CLAUDE-1'],
  'what policy allows is left to Claude Code’s own rules; the rest is decided here',
  async () => {
    const gate = open()
    const { tell } = session(gate)
    expect(await tell({ ...RECORDED.before, tool_name: 'Read' })).toEqual({})
    const answer = tell(RECORDED.before)
    await decide(gate, 'approve')
    expect(await answer).toEqual({
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      permissionDecisionReason: 'Approved by a person.',
      updatedInput: { command: 'echo hi' },
    })
    expect(await execution(gate)).toBe('running')
    expect(await tell(RECORDED.after)).toEqual({})
    expect(await execution(gate)).toBe('succeeded')
  },
)

promise(['CS-CLAUDE-1'], 'sub-agents are asked about, and what they call as well', async () => {
  const gate = open()
  const { tell } = session(gate)
  void tell(RECORDED.delegating)
  const delegated = await asked(gate, 'a1')
  expect(delegated.call).toMatchObject({ kind: 'agent', tool: 'payer' })
  void tell(RECORDED.beforeInSubAgent)
  const inside = await asked(gate, 's1')
  expect(inside.call).toMatchObject({
    server: 'bank',
    tool: 'pay',
    run: RECORDED.before.session_id,
  })
  const shown = await gate.approvals.get(inside.id)
  expect(shown?.question?.context?.says).toBe('The sub-agent payer makes this call.')
})

promise.each(
  ['CS-CLAUDE-1'],
  'what is not understood does not run, and nothing is thrown',
  [
    ['nothing', undefined],
    ['no tool', { ...RECORDED.before, tool_name: undefined }],
    ['no id', { ...RECORDED.before, tool_use_id: '' }],
    ['arguments that are a list', { ...RECORDED.before, tool_input: [] }],
    ['another event', { ...RECORDED.before, hook_event_name: 'Notification' }],
    [
      'a sub-agent that is a number',
      { ...RECORDED.delegating, tool_input: { subagent_type: 7, prompt: 'x' } },
    ],
    [
      'an argument that is no JSON',
      { ...RECORDED.before, tool_input: { amount: Number.POSITIVE_INFINITY } },
    ],
  ] as const,
  async (_, input) => {
    const { hooks } = session(open())
    const [hook] = hooks.PreToolUse?.[0]?.hooks ?? []
    const { signal } = new AbortController()
    expect(await hook?.(input as never, 'b1', { signal })).toMatchObject({
      hookSpecificOutput: {
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(/did not run|ran nothing/),
      },
    })
  },
)

promise(
  ['CS-CLAUDE-3'],
  'a single call is deferred until it is decided, and then runs once',
  async () => {
    const gate = open()
    const { tell } = session(gate, { mode: 'suspend' })
    expect(await tell(RECORDED.before)).toEqual({
      hookEventName: 'PreToolUse',
      permissionDecision: 'defer',
    })
    // Resumed too early, by another process.
    const other = session(gate, { mode: 'suspend' })
    expect(await other.tell(RECORDED.before)).toMatchObject({ permissionDecision: 'defer' })
    await decide(gate, 'approve', { args: { command: 'echo ho' } })
    const approved = await other.tell(RECORDED.before)
    const changed = { command: 'echo ho' }
    expect(approved).toMatchObject({ permissionDecision: 'allow', updatedInput: changed })
    const told = await other.tell({ ...RECORDED.after, tool_input: changed })
    expect(told.additionalContext).toMatch(/A person changed the call to Bash.*command is now/)
    const again = await tell(RECORDED.before)
    expect(again.permissionDecision).toBe('deny')
    expect(again.permissionDecisionReason).toMatch(
      /A person changed .* Its result: .*"stdout":"hi"/,
    )
  },
)

promise(
  ['CS-CLAUDE-3'],
  'of the calls of one turn one is deferred and the others wait, as those of sub-agents do',
  async () => {
    const gate = open()
    const { tell } = session(gate, { mode: 'suspend' })
    const [first, second, inside] = [
      tell(RECORDED.before),
      tell({ ...RECORDED.before, tool_use_id: 'b2' }),
      tell(RECORDED.beforeInSubAgent),
    ]
    const deferred = await Promise.race([first, second])
    expect(deferred).toMatchObject({ permissionDecision: 'defer' })
    await decide(gate, 'approve', {}, 'b1')
    await decide(gate, 'deny', { reason: 'No' }, 'b2')
    await decide(gate, 'deny', { reason: 'No' }, 's1')
    const decisions = await Promise.all([first, second])
    const others = decisions.filter((one) => one.permissionDecision !== 'defer')
    expect(others).toHaveLength(1)
    expect((await inside).permissionDecisionReason).toMatch(/pay was denied by a person/)
  },
)

promise.each(
  ['CS-CLAUDE-2'],
  'a call without an end is written down as unknown, and is not run again',
  [
    ['the turn went on', RECORDED.batch],
    ['the agent stopped', RECORDED.stop],
    ['it was interrupted', { ...RECORDED.failed, is_interrupt: true }],
    ['it ran with other arguments', { ...RECORDED.after, tool_input: { command: 'rm -rf .' } }],
  ] as const,
  async (_, input) => {
    const { gate, tell } = await running()
    await tell(input)
    await vi.waitFor(async () => expect(await execution(gate)).toBe('unknown'))
    const again = await tell(RECORDED.before)
    expect(again.permissionDecision).toBe('deny')
    expect(again.permissionDecisionReason).toMatch(/nobody knows whether it took effect/)
  },
)

promise(['CS-CLAUDE-2'], 'a tool that fails is on record as failed', async () => {
  const { gate, tell } = await running()
  await tell(RECORDED.failed)
  expect(await execution(gate)).toBe('failed')
  const again = await tell(RECORDED.before)
  expect(again.permissionDecisionReason).toMatch(/Bash ran and failed\. Reason: Exit code 3/)
})

test('the end of a sub-agent says nothing of what the main agent runs', async () => {
  const { gate, tell } = await running()
  await tell({ ...RECORDED.batch, agent_id: 'a5516d34f7226a781', agent_type: 'payer' })
  await tell({ ...RECORDED.stop, session_id: 'another' })
  expect(await execution(gate)).toBe('running')
  await tell(RECORDED.after)
  expect(await execution(gate)).toBe('succeeded')
})

promise.each(
  ['CS-CLAUDE-2'],
  'when Claude Code goes away in the middle of a call, its outcome is unknown',
  [['it was killed'], ['nobody listens any more'], ['it was disposed of'], ['it ended']] as const,
  async (how) => {
    const gate = open()
    async function* query({ options }: { prompt: string; options: object }) {
      const { hooks } = options as ReturnType<typeof session>
      const [hook] = hooks.PreToolUse?.[0]?.hooks ?? []
      yield hook?.(RECORDED.before as never, 'b1', { signal: new AbortController().signal })
      if (how === 'it was killed') throw new Error('terminated by signal SIGKILL')
    }
    const messages = guardQuery(gate, query)({ prompt: 'go', options: {} })
    const said = messages.next()
    await decide(gate, 'approve')
    expect((await said).value).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'allow' },
    })
    if (how === 'it was killed') await expect(messages.next()).rejects.toThrow(/SIGKILL/)
    else if (how === 'nobody listens any more') await messages.return(undefined)
    else if (how === 'it was disposed of') await messages[Symbol.asyncDispose]()
    else for await (const more of messages) expect(more).toBeUndefined()
    await vi.waitFor(async () => expect(await execution(gate)).toBe('unknown'))
  },
)

promise(['CS-CLAUDE-3'], 'a resumed session is listened to until its last result', async () => {
  async function* query({ prompt }: { prompt: unknown; options: object }) {
    const sent = (prompt as AsyncIterable<unknown>)[Symbol.asyncIterator]()
    const first = await sent.next()
    expect(first.value).toMatchObject({ type: 'user', message: { content: 'Go on.' } })
    let isOpen = true
    const closing = sent.next().then(() => {
      isOpen = false
    })
    yield { type: 'result', stop_reason: 'tool_deferred_unavailable' }
    expect(isOpen).toBe(true)
    yield { type: 'result', stop_reason: 'end_turn' }
    await closing
  }
  const messages = guardQuery(open(), query)({ prompt: 'Go on.', options: { resume: 's' } })
  let results = 0
  for await (const { type } of messages) results += type === 'result' ? 1 : 0
  expect(results).toBe(2)
})

promise(
  ['CS-CLAUDE-4'],
  'another hook that changes arguments is refused; everything else of it counts',
  async () => {
    const gate = open()
    const output = { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { a: 1 } } }
    const matchers = (hook: () => Promise<object>) => ({
      hooks: { PreToolUse: [{ matcher: 'Read', hooks: [hook] }], Notification: [] },
    })
    const read = { ...RECORDED.before, tool_name: 'Read' }
    const rewriting = session(
      gate,
      {},
      matchers(async () => output),
    )
    expect(await rewriting.tell(read)).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringMatching(
        /Read was refused and did not run\. Reason: Another PreToolUse hook changes/,
      ),
    })
    expect(rewriting.hooks).toMatchObject({
      Notification: [],
      PreToolUse: [{ matcher: 'Read' }, {}],
    })
    const no = { hookEventName: 'PreToolUse', permissionDecision: 'deny' }
    const denying = session(
      gate,
      {},
      matchers(async () => ({ hookSpecificOutput: no })),
    )
    expect(await denying.tell(read)).toEqual(no)
    const silent = session(
      gate,
      {},
      matchers(async () => ({})),
    )
    expect(await silent.tell(read)).toEqual({})
  },
)

test('what Claude Code gives up takes its question back', async () => {
  const gate = open()
  const { tell } = session(gate)
  const leaving = new AbortController()
  const answer = tell(RECORDED.before, leaving.signal)
  await asked(gate)
  leaving.abort()
  expect((await answer).permissionDecisionReason).toMatch(/withdrawn before anything happened/)
  expect((await asked(gate)).status).toBe('withdrawn')
})

test('a run that ended with a call that waits says so, and a resumed one that repeats it does not', () => {
  const call = { id: 't1', name: 'mcp__bank__pay', input: { amount: 1 } }
  const result = { type: 'result', session_id: 's', deferred_tool_use: call }
  expect(waitingIn({ ...result, stop_reason: 'tool_deferred' })).toEqual({
    session: 's',
    callId: 't1',
    name: 'mcp__bank__pay',
    args: { amount: 1 },
  })
  expect(waitingIn({ ...result, stop_reason: 'tool_deferred_unavailable' })).toBeUndefined()
  expect(waitingIn({ type: 'assistant' })).toBeUndefined()
  expect(waitingIn(undefined)).toBeUndefined()
})

test('mistakes in what is asked for are told before anything runs', () => {
  const gate = open()
  expect(() => session(undefined as never)).toThrow(/without a gate/)
  expect(() => session(gate, { mode: 'defer' as never })).toThrow(/no way to wait/)
  expect(() => guardQuery(gate, async function* () {}, { waitFor: 'soon' })).toThrow(/waitFor/)
})

promise(
  ['CS-HANDOVER-1'],
  'Claude: changed arguments never hand the work to another agent than people were asked about',
  async () => {
    const gate = open()
    const { tell } = session(gate)
    const tool_input = { ...RECORDED.delegating.tool_input, subagent_type: 'payer' }
    const telling = tell({ ...RECORDED.delegating, tool_input })
    const edit = { args: { ...tool_input, subagent_type: 'reader' } }
    await decide(gate, 'approve', edit, RECORDED.delegating.tool_use_id)
    const said = await telling
    expect(said.permissionDecision).toBe('deny')
    expect(said.updatedInput).toBeUndefined()
    expect(said.permissionDecisionReason).toMatch(/could not be started and did not run/)
  },
)

promise.each(
  ['AF-49'],
  'Claude: rules about a sub-agent read what the application says the agent was given',
  [
    ['nothing said, so it asks', undefined, true],
    ['what the application says', { risk_level: 'high' }, true],
    ['and that alone', { risk_level: 'low' }, false],
    [
      'by the session',
      ({ session: id }: { session: string }) => ({ risk_level: id ? 'low' : '' }),
      false,
    ],
  ] as [string, never, boolean][],
  async (_what, parent, asks) => {
    const gate = open()
    const { tell } = session(gate, { waitFor: 50, ...(parent === undefined ? {} : { parent }) })
    const { tool_input: before } = RECORDED.delegating
    const tool_input = { ...before, subagent_type: 'risky', risk_level: 'low' }
    const said = await tell({ ...RECORDED.delegating, tool_input })
    expect(said.permissionDecision).toBe(asks ? 'deny' : undefined)
  },
)

promise(
  ['CS-SDK-14'],
  'Claude: options that are guarded again ask once, in the new run',
  async () => {
    const gate = open()
    const first = guardOptions(gate, {}, { run: 'a' })
    const again = session(gate, { run: 'b' }, first)
    const telling = again.tell(RECORDED.before)
    await decide(gate, 'approve')
    expect(await telling).toMatchObject({ permissionDecision: 'allow' })
    const { approvals } = await gate.approvals.list({})
    expect(approvals.map(({ call }) => call.run)).toEqual(['b'])
  },
)
