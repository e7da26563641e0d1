import type { Approval } from '../../src/approval/approval.ts'
import type { Command } from '../../src/approval/command.ts'
import type { Person } from '../../src/approval/people/person.ts'
import { step } from '../../src/approval/step.ts'
import { isCountersignError } from '../../src/base/errors.ts'
import { canonicalJson, freshParse } from '../../src/base/json/canonical.ts'
import { callDigest, digestOf, sha256 } from '../../src/base/json/digest.ts'
import { deepFreeze, type JsonObject } from '../../src/base/json/json.ts'
import { parseStrict } from '../../src/base/json/strict-json.ts'
import { evaluate } from '../../src/policy/evaluate/evaluate.ts'
import { combinePolicy } from '../../src/policy/load/combine.ts'
import { loadOwner } from '../../src/policy/load/load.ts'

/** Everything this core answers to a fixed list of questions. Must be the same on every runtime. */
export async function answers(): Promise<unknown> {
  return {
    bytes: SOURCES.map((source) => [source, strictly(source)]),
    invalid: attempt(() => parseStrict(Uint8Array.of(0x22, 0xff, 0x22))),
    frozen: Object.isFrozen(deepFreeze(freshParse('{"a":[1]}'))),
    digests: [
      await sha256('abc'),
      await digestOf('definition', { name: 'pay' }),
      await callDigest(BOUND),
    ],
    policy: CALLS.map((args) => judged(args)),
    history: await history(),
  }
}

const SOURCES = [
  '{"b":[1,-0,1e3,"\\u00e9\\ud83d\\ude00"],"a":{"__proto__":null}}',
  '{"a":1,"a":2}',
  '"\\ud800"',
  '9007199254740993',
  '1e-400',
  '['.repeat(65) + ']'.repeat(65),
  '{"a":1}x',
]

function strictly(source: string): unknown {
  return attempt(() => canonicalJson(parseStrict(source)))
}

function attempt(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return isCountersignError(error) ? `${error.code}: ${error.message}` : `thrown: ${error}`
  }
}

const BOUND = {
  tenant: 'main',
  door: 'worker',
  kind: 'tool',
  tool: 'pay',
  definition: '0'.repeat(64),
  agent: 'bot',
  principal: { issuer: 'https://id.example.com', subject: 'uma' },
  arguments: '{"amount":20000}',
} as const

const POLICY = `
version: 1
people:
  groups: { finance: [ana@example.com, bo@example.com] }
tools:
  pay:
    approval:
      message_template: "Pay {{tool_args.amount}}?"
      condition:
        args_match: { amount: { gt: 10000 } }
      quorum: [{ group: finance, n: 2 }]
      edit: [amount]
`

const CALLS: readonly JsonObject[] = [{ amount: 5 }, { amount: 20_000 }, { amount: '20000' }, {}]

function judged(args: JsonObject) {
  const loaded = loadOwner({ file: 'countersign.yaml', text: POLICY })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.mistakes))
  return evaluate(combinePolicy({ owner: loaded.document }), { tool: 'pay', args })
}

// Distributes over the union, which Omit alone would melt into one.
type Unsent = Command extends infer C ? (C extends Command ? Omit<C, 'commandId'> : never) : never

/** From the policy's verdict to a finished call, by two people. */
async function history(): Promise<unknown> {
  const verdict = judged({ amount: 20_000 })
  if (verdict.verdict !== 'review') throw new Error(verdict.verdict)
  const { requirements, terms, message, missing } = verdict
  const digest = await callDigest(BOUND)
  const [ana, bo] = [financier('ana'), financier('bo')]
  const answer = { verdict: 'review', requirements, terms, policy: 'p' } as const
  const { tenant, arguments: args, ...call } = BOUND
  const commands: readonly Unsent[] = [
    {
      type: 'request',
      id: 'apr-1',
      tenant,
      call,
      digest,
      requirements,
      terms,
      policy: 'p',
      directory: {
        groups: { finance: { emails: ['ana@example.com', 'bo@example.com'] } },
        approvers: 'open',
      },
      content: { arguments: args, message, missing },
    },
    { type: 'decide', by: ana, verdict: 'approve', seen: digest },
    { type: 'decide', by: ana, verdict: 'approve', seen: digest },
    { type: 'decide', by: bo, verdict: 'approve', seen: digest, payload: { note: 'é' } },
    {
      type: 'claim',
      agent: 'bot',
      digest,
      holder: { claim: 'claim-1', lease: 60_000 },
      definition: BOUND.definition,
      answer,
      voters: [ana, bo],
    },
    { type: 'decide', by: ana, verdict: 'deny', seen: digest },
    { type: 'finish', claim: 'claim-1', outcome: 'succeeded', result: { ok: true } },
  ]
  let approval: Approval | undefined
  return commands.map((command, index) => {
    const transition = step(
      approval,
      { ...command, commandId: `cmd-${index}` },
      1_800_000_000_000 + index * 1_000,
    )
    approval = transition.approval ?? approval
    return transition
  })
}

function financier(subject: string): Person {
  return {
    issuer: 'https://id.example.com',
    subject,
    email: `${subject}@example.com`,
    emailVerified: true,
    groups: ['finance'],
    roles: ['viewer'],
    assurance: 'signed-in',
  }
}
