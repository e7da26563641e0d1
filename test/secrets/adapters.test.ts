import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { inspect } from 'node:util'
import { trace } from '@opentelemetry/api'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { createGate, type Gate } from '../../src/gate/gate.ts'
import { internals } from '../../src/gate/internals.ts'
import type { Notice } from '../../src/gate/notify/channel.ts'
import { jsonSchema } from '../../src/gate/schema/json-schema.ts'
import { openTelemetry } from '../../src/gate/telemetry/opentelemetry.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import type { AdapterHarness, CaseTool } from '../../src/testing/adapter-harness.ts'
import { HARNESSES } from '../adapters/harnesses.ts'
import { person } from '../gate/gates.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { canaries, databaseText, sinks } from './canaries.ts'

/*
 * The same canaries as everywhere, through each agent SDK: what the model is told, what is thrown,
 * traced, printed, sent and kept must hold none of them.
 */

vi.setConfig({ testTimeout: 60_000 })

const POLICY = `
tools:
  vault:
    secrets: [hidden.deep]
    approval:
      message_template: "Use {{tool_args}} and {{tool_args.hidden.deep}} and {{tool_args.command}}?"
      approvers: ["*"]
`
const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    hidden: { type: 'object', properties: { deep: { type: 'string' } }, required: ['deep'] },
    marked: { type: 'object', writeOnly: true },
    password: { type: 'string' },
    command: { type: 'string' },
    list: { type: 'array' },
    ends: { type: 'string', enum: ['well', 'badly'] },
  },
  required: ['password', 'ends'],
}

const exporter = new InMemorySpanExporter()

beforeAll(() => {
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter } as never)] }),
  )
})
afterAll(() => trace.disable())

const ana = person('ana')
const root = person('root', { roles: ['admin'] })

/** Everything that is printed from now on, in whatever way. */
function printed(): () => string {
  const texts: unknown[] = []
  const keep = (...parts: unknown[]) => {
    texts.push(parts)
    return true
  }
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, name).mockImplementation((...parts) => void keep(...parts))
  }
  vi.spyOn(process.stderr, 'write').mockImplementation(keep)
  onTestFinished(() => void vi.restoreAllMocks())
  return () => inspect(texts, { depth: 9 })
}

/** Fails everything once it is told to, and quotes what it was given as careless drivers do. */
function breakable(store: Store) {
  let isBroken = false
  const breaking: Store = {
    ...store,
    apply: async (id, command) => {
      if (isBroken) throw new Error(`could not write ${JSON.stringify(command)}`)
      return store.apply(id, command)
    },
    ...(store.ask && {
      ask: async (...asked: Parameters<NonNullable<Store['ask']>>) => {
        if (isBroken) throw new Error(`could not write ${JSON.stringify(asked)}`)
        return (store.ask as NonNullable<Store['ask']>)(...asked)
      },
    }),
  }
  return {
    store: breaking,
    breakDown() {
      isBroken = true
    },
  }
}

async function nextQuestion(gate: Gate, answer: 'approve' | 'deny' | 'look') {
  const look = async () => {
    const { approvals } = await gate.approvals.list({ status: ['pending'] })
    return approvals.length > 0 && approvals
  }
  // The first run of an SDK takes its time on a busy machine.
  const [approval] = await vi.waitUntil(look, { timeout: 20_000 })
  if (!approval) throw new Error('nobody asks')
  const shown = await gate.approvals.get(approval.id)
  if (answer !== 'look') {
    const { id, digest: seen } = approval
    await gate.approvals.decide(id, { by: ana, verdict: answer, seen, reason: 'because' })
  }
  return shown
}

/** SDKs that trace by themselves, with all arguments: their guides say so, and only our spans are looked at. */
const TRACES_ITSELF = /^(?:Genkit|Strands|VoltAgent)/
/** It hands what a tool threw to the program that asked for the turn, in an error of its own. */
const THROWS_ON = /^Genkit/

/** They check arguments before any tool does, and tell the model what the model itself sent. Their guides say so. */
const QUOTES_INVALID = /^(?:WorkflowAgent|VoltAgent)/

const STORIES = ['well', 'badly', 'denied', 'invalid', 'locked', 'store down'] as const

const MODES = HARNESSES.flatMap((harness): [string, AdapterHarness, 'suspend' | 'block'][] => [
  ...(harness.supports.suspend
    ? [[`${harness.name}, pausing`, harness, 'suspend'] as [string, AdapterHarness, 'suspend']]
    : []),
  [`${harness.name}, waiting`, harness, 'block'],
])

promise.each(
  ['CS-SEC-8', 'CS-SEC-9'],
  'no secret that an agent SDK carried is told, thrown, traced, printed or kept',
  MODES,
  async (_, harness, mode) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-canary-'))
    const file = path.join(folder, 'approvals.db')
    const { store, breakDown } = breakable(await openSqlite(file))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    exporter.reset()
    const found = sinks()
    const output = printed()
    const sent: Notice[] = []
    const gate = createGate({
      policy: policyOf(POLICY),
      store,
      agent: 'biller',
      validate: jsonSchema(),
      telemetry: await openTelemetry(),
      channels: [{ name: 'kept', send: async (notice) => void sent.push(notice) }],
    })
    const got: unknown[] = []
    let thrown: Error | undefined
    const vault: CaseTool = {
      description: 'opens the vault',
      schema: SCHEMA,
      run(given) {
        got.push(given)
        if (given.ends === 'well') return { opened: true }
        thrown = new Error(`login with ${String(given.password)} failed`)
        throw thrown
      },
    }
    for (const story of STORIES) {
      const { isOwnProgram } = harness
      // Schemas that the gate is not told of refuse nothing, and mark nothing.
      if (isOwnProgram && story === 'invalid') continue
      const { marked, ...others } = canaries(story.replace(' ', '-'))
      const given: JsonObject = { ...others, ...(isOwnProgram ? {} : { marked: marked ?? {} }) }
      const args: JsonObject = {
        ...given,
        ends: story === 'badly' ? 'badly' : 'well',
        // What the schema refuses, it refuses without quoting it.
        ...(story === 'invalid' ? { password: [given.password ?? ''] } : {}),
      }
      const lock =
        story === 'locked'
          ? await gate.admin.locks.set(root, { target: { tool: 'vault' }, reason: 'stock-taking' })
          : undefined
      if (story === 'store down') breakDown()
      const agent = harness.agent({
        gate,
        run: `chat-${story}`,
        mode,
        tools: { vault },
        turns: [{ calls: [{ id: `c-${story.length}`, tool: 'vault', args }] }, { says: 'done' }],
      })
      const asks = ['well', 'badly', 'denied'].includes(story)
      try {
        const going = agent.start()
        going.catch(() => {})
        if (asks)
          found.add('shown', await nextQuestion(gate, story === 'denied' ? 'deny' : 'approve'))
        const turned = await going
        const end = turned.status === 'paused' ? await agent.resume() : turned
        expect(end.status, story).toBe('done')
        // Its own program tells the model what its tool says.
        if (isOwnProgram && story === 'badly') continue
        if (QUOTES_INVALID.test(harness.name) && story === 'invalid') continue
        for (const { text } of end.told) found.add(`told when ${story}`, text)
      } catch (error) {
        // Code that calls its own function gets that function's own error.
        if (error === thrown) continue
        const text = inspect(error, { depth: 9 })
        const isThrownOn = thrown !== undefined && text.includes(thrown.message)
        if (THROWS_ON.test(harness.name) && isThrownOn) continue
        found.add(`thrown when ${story}`, inspect(error, { depth: 9, showHidden: true }))
      }
      if (lock) await gate.admin.locks.lift(root, lock.id)
    }
    // The tool itself gets what it needs.
    expect(got.length).toBe(2)
    expect(JSON.stringify(got)).toContain('CANARY')
    await gate[internals].idle()
    expect(sent.length).toBeGreaterThan(2)
    found.add('notices', sent)
    const spans = exporter
      .getFinishedSpans()
      .filter(
        ({ instrumentationScope: { name } }) =>
          name === 'countersign' || !TRACES_ITSELF.test(harness.name),
      )
    expect(spans.length).toBeGreaterThan(3)
    found.add('spans', inspect(spans, { depth: 9 }))
    for (const { id } of (await store.list({})).approvals) {
      found.add('events', await store.events(id))
    }
    found.add('output', output())
    await gate.close()
    await store.close()
    found.add('database', databaseText(file))
    expect(found.find()).toEqual([])
  },
)
