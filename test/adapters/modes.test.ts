import { expect, onTestFinished } from 'vitest'
import type { RemoteGate } from '../../src/client/remote-gate.ts'
import type { Gate } from '../../src/gate/gate.ts'
import {
  allowAll,
  annotated,
  custom,
  denyAll,
  type Mode,
  observe,
} from '../../src/policy/evaluate/mode.ts'
import type { AdapterHarness } from '../../src/testing/adapter-harness.ts'
import { call, play, say, textOf, through, turn } from '../../src/testing/adapter-play.ts'
import { promise } from '../support/promise.ts'
import { HARNESSES } from './harnesses.ts'
import { inProcess, type OpenWorld, overHttp } from './worlds.ts'

const CANCELLED = '{"status":"cancelled","message":"Tool execution denied by policy"}'

interface ModeCase {
  readonly mode: Mode
  /** Of `pay`, which the file asks about, and `read`, which it does not: what people are asked. */
  readonly asked: readonly ('pay' | 'read')[]
  /** The same behind a server, whose policy a function in the client cannot loosen. */
  readonly askedOverHttp?: readonly ('pay' | 'read')[]
  readonly runs: boolean
}

const MODES: Readonly<Record<string, ModeCase>> = {
  annotated: { mode: annotated(), asked: ['pay'], runs: true },
  allowAll: { mode: allowAll(), asked: [], runs: true },
  denyAll: { mode: denyAll(), asked: [], runs: false },
  observe: { mode: observe(), asked: [], runs: true },
  'custom, always': { mode: custom(() => true), asked: ['pay', 'read'], runs: true },
  'custom, never': {
    mode: custom(() => false),
    asked: [],
    askedOverHttp: ['pay'],
    runs: true,
  },
  'custom, broken': {
    mode: custom(() => {
      throw new Error('oops')
    }),
    asked: ['pay', 'read'],
    runs: true,
  },
  'custom, by tool': {
    mode: custom(({ tool }) => tool === 'read'),
    asked: ['read'],
    askedOverHttp: ['pay', 'read'],
    runs: true,
  },
}

for (const harness of HARNESSES) {
  promise.each(
    ['AT-26', 'AT-35'],
    `${harness.name} follows the mode of its gate`,
    Object.entries(MODES),
    (_, one) => inMode(harness, one, inProcess),
  )
  promise.each(
    ['AT-26', 'AT-35'],
    `${harness.name} follows the mode of its gate over HTTP`,
    Object.entries(MODES),
    (_, one) => inMode(harness, { ...one, asked: one.askedOverHttp ?? one.asked }, overHttp),
  )
}

async function inMode(
  harness: AdapterHarness,
  { mode, asked, runs }: ModeCase,
  open: () => Promise<OpenWorld>,
): Promise<void> {
  const world = await open()
  onTestFinished(() => world.close())
  const own = { ...world, gate: (world.gate as Gate | RemoteGate).with({ mode }) }
  const played = play(harness, own, turn(call('c1', 'pay', 1), call('c2', 'read', 2)))
  const ended =
    asked.length === 0
      ? await played.agent.start()
      : await through(harness, own, played, asked.length, async (waiting) => {
          expect(waiting.map(({ call: { tool } }) => tool).toSorted()).toEqual(asked)
          for (const one of waiting) await say(own, one, 'approve')
        })
  expect(played.ran.map(({ tool }) => tool).toSorted()).toEqual(runs ? ['pay', 'read'] : [])
  const { approvals } = await world.approvals.list({})
  expect(approvals).toHaveLength(asked.length)
  if (runs) return
  for (const id of ['c1', 'c2']) expect(sentenceIn(textOf(ended, id))).toBe(CANCELLED)
}

/** VoltAgent puts what a tool threw into an object of its own. */
function sentenceIn(text: string | undefined): unknown {
  const told = JSON.parse(text ?? '') as { readonly error?: unknown; readonly message?: unknown }
  return told.error === true ? told.message : text
}
