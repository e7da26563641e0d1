import { expect } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import type { Approval } from '../../approval/approval.ts'
import type { Risk } from '../../base/call.ts'
import { parsePolicy } from '../../policy/load/parse-policy.ts'
import type { Evidence } from './evidence.ts'
import { relaxing } from './relax.ts'

const policy = parsePolicy({
  owner: {
    file: 'countersign.yaml',
    text: `version: 1
tools:
  fetch: { risk: L2, approval: { approvers: ["*"] } }
  shut: { risk: L1, approval: { approvers: ["*"], grants: false } }
  ruled: { risk: L1, approval: { approvers: ["*"] } }
  odd: { risk: L1, approval: { condition: { args_match: { n: { gt: 1 } } } } }
  open: { approval: false }
  raised: { risk: L4, approval: { approvers: ["*"] } }
  unrated: { approval: { approvers: ["*"] } }
governance: [{ id: g, match: { tool: ruled }, approval: { approvers: ["*"] } }]
`,
  },
})

interface Answered {
  readonly tool?: string
  readonly risk?: Risk | undefined
  readonly by?: string
  readonly digest?: string
  readonly more?: Partial<Evidence>
}

function answered({ tool = 'fetch', by = 'ana', digest = 'd', more = {}, ...rest }: Answered) {
  const risk = 'risk' in rest ? rest.risk : 'L2'
  const call = { tool, args: { url: 'a' } }
  const asked = { ...call, kind: 'tool', agent: 'bot', definition: 'x', ...(risk ? { risk } : {}) }
  const approval = { id: 'a', call: asked, askedDigest: digest } as unknown as Approval
  return {
    recorded: { approval, call, masked: [] },
    answer: 'approved',
    people: [by],
    isSound: true,
    isHasty: false,
    values: new Map(),
    ...more,
  } satisfies Evidence
}

/** This many answers, by two people in turn. */
const many = (n: number, one: Answered = {}): Evidence[] =>
  Array.from({ length: n }, (_, at) => answered({ by: at % 2 === 0 ? 'ana' : 'bo', ...one }))

promise(
  ['CS-RULES-6'],
  'sixty careful answers of two people about one exact call are enough',
  () => {
    expect(relaxing(many(60), policy)).toHaveLength(1)
    expect(relaxing(many(60, { risk: 'L3' }), policy)).toHaveLength(1)
  },
)

promise.each(
  ['CS-RULES-6'],
  'asking less is not proposed',
  [
    ['59 answers', many(59)],
    ['one person', many(60, { by: 'ana' })],
    ['hasty answers', many(60, { more: { isHasty: true } })],
    ['one denial', [...many(60), answered({ more: { answer: 'denied' } })]],
    ['one edit', [...many(60), answered({ more: { answer: 'edited' } })]],
    ['one failure', [...many(60), answered({ more: { isSound: false } })]],
    ['risk L4', many(60, { risk: 'L4' })],
    ['risk L5', many(60, { risk: 'L5' })],
    ['no rating', many(60, { risk: undefined })],
    ['a tool that is rated L4 by now', many(60, { tool: 'raised' })],
    ['a tool without a rating, whatever the call claims', many(60, { tool: 'unrated' })],
    ['a rule without grants', many(60, { tool: 'shut' })],
    ['governance asks', many(60, { tool: 'ruled' })],
    ['a rule that cannot be told', many(60, { tool: 'odd' })],
    ['a call that is not asked about any more', many(60, { tool: 'open' })],
    ['different calls', Array.from({ length: 60 }, (_, n) => answered({ digest: `d${n}` }))],
  ],
  (_, all) => {
    expect(relaxing(all, policy)).toEqual([])
  },
)
