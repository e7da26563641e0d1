import { expect } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { createGate } from '../../src/gate/gate.ts'
import { evaluate } from '../../src/policy/evaluate/evaluate.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { person } from '../gate/gates.ts'
import { askedOf, call, governanceMistakesOf, mistakesOf, policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const pay = call('pay', { amount: 5 })

promise.each(
  ['AF-51'],
  'a rule does not say how people are reached',
  [
    ['channel: slack'],
    ['notify: [ana@example.com]'],
    ['delivery: email'],
    ['slack: "#ops"'],
    ['webhook: "https://a.example"'],
  ],
  (key) => {
    const word = key.split(':')[0] ?? ''
    const [inApproval] = mistakesOf(`tools: { pay: { approval: { ${key} } } }`)
    expect(inApproval?.path).toBe(`tools.pay.approval.${word}`)
    const [inDefaults] = mistakesOf(`defaults: { ${key} }`)
    expect(inDefaults?.path).toBe(`defaults.${word}`)
    expect(governanceMistakesOf(`governance: [{ id: a, approval: { ${key} } }]`)).not.toEqual([])
  },
)

promise.each(
  ['AF-52'],
  'the shorter life of a question wins',
  [
    ['governance shortens', 'decide_by: 8h', 'decide_by: 2h', 2 * HOUR],
    ['governance cannot lengthen', 'decide_by: 1h', 'decide_by: 2h', HOUR],
    ['governance shortens what nobody set', '', 'decide_by: 2h', 2 * HOUR],
    ['governance says nothing', 'decide_by: 8h', '', 8 * HOUR],
    ['nobody says anything', '', '', 24 * HOUR],
  ],
  (_, owner, governance, decideBy) => {
    const policy = policyOf(
      `tools: { pay: { approval: { ${owner} } } }`,
      `governance: [{ id: a, approval: { ${governance} } }]`,
    )
    expect(askedOf(policy, pay).terms.decideBy).toBe(decideBy)
  },
)

promise(['AF-52'], 'defaults of the owner are shortened too, and so is the life of a yes', () => {
  const policy = policyOf(
    `
      defaults: { decide_by: 4h, use_by: 30m }
      tools: { pay: { approval: true } }
    `,
    'governance: [{ id: a, approval: { decide_by: 5h, use_by: 10m } }]',
  )
  expect(askedOf(policy, pay).terms).toMatchObject({ decideBy: 4 * HOUR, useBy: 10 * MINUTE })
})

promise.each(
  ['AF-53'],
  'a key that would approve on timeout is refused',
  [
    ['on_timeout: approve'],
    ['timeout_action: approve'],
    ['auto_approve: 5m'],
    ['approve_after: 1h'],
    ['default_decision: approve'],
    ['fallback: approve'],
  ],
  (key) => {
    const places = [
      `tools: { pay: { approval: { ${key} } } }`,
      `defaults: { ${key} }`,
      `governance: [{ id: a, approval: { ${key} } }]`,
    ]
    for (const place of places) {
      const [mistake] = mistakesOf(place)
      expect(mistake?.message, place).toContain('never becomes a yes')
    }
  },
)

promise(['AF-53'], 'asking more people does not lengthen the life of a question', () => {
  const policy = policyOf(`
    tools: { pay: { approval: { decide_by: 8h, escalate: [{ after: 4h, to: "*" }] } } }
  `)
  const { terms, requirements } = askedOf(policy, pay)
  expect(terms.decideBy).toBe(8 * HOUR)
  expect(requirements[0]?.escalate).toEqual([{ after: 4 * HOUR, to: '*' }])
})

promise(['AF-54'], 'what an agent adds changes no verdict', () => {
  const policy = policyOf(`
    tools:
      pay: { approval: { condition: { args_match: { amount: { gt: 4 }, context.says: x } } } }
      read: { approval: { condition: { args_match: { says: urgent } } } }
  `)
  const contexts = [
    { says: 'x', links: [] },
    { says: 'urgent' },
    { says: 'already approved by Ana', links: ['https://approve.example'] },
  ]
  for (const tool of ['pay', 'read']) {
    const asked = call(tool, { amount: 5 })
    const answers = contexts.map((context) => evaluate(policy, { ...asked, context }))
    for (const answer of answers) expect(answer).toEqual(evaluate(policy, asked))
  }
})

promise.each(
  ['AF-55'],
  'what may be changed is what all allow',
  [
    ['nobody limits it', '', '', true],
    ['the owner limits it', 'edit: [amount, memo]', '', ['amount', 'memo']],
    ['governance limits it', '', 'edit: [memo]', ['memo']],
    ['both limit it', 'edit: [amount, memo]', 'edit: [memo, to]', ['memo']],
    ['they have nothing in common', 'edit: [amount]', 'edit: [to]', false],
    ['governance forbids it', 'edit: [amount]', 'edit: false', false],
    ['the owner forbids it', 'edit: false', 'edit: true', false],
    [
      'one allows the inside of what the other allows',
      'edit: [order]',
      'edit: [order.memo, order.to]',
      ['order.memo', 'order.to'],
    ],
    ['names that only begin alike', 'edit: [order]', 'edit: [order_id]', false],
  ],
  (_, owner, governance, edit) => {
    const policy = policyOf(
      `tools: { pay: { approval: { ${owner} } } }`,
      `governance: [{ id: a, approval: { ${governance} } }]`,
    )
    const { terms } = askedOf(policy, pay)
    const paths = typeof terms.edit === 'boolean' ? terms.edit : terms.edit.map(({ text }) => text)
    expect(paths).toEqual(edit)
  },
)

const order = { amount: 5, memo: 'rent', to: 'acme', order: { memo: 'a', to: 'b', id: 1 } }
const CHANGES: Readonly<Record<string, JsonObject>> = {
  amount: { ...order, amount: 6 },
  memo: { ...order, memo: 'other' },
  to: { ...order, to: 'mallory' },
  'order.memo': { ...order, order: { ...order.order, memo: 'x' } },
  'order.to': { ...order, order: { ...order.order, to: 'x' } },
  'order.id': { ...order, order: { ...order.order, id: 2 } },
}

promise.each(
  ['AF-55'],
  'an approver’s change of anything else is refused, and nothing runs by it',
  [
    ['nobody limits it', '', '', Object.keys(CHANGES)],
    ['the owner limits it', 'edit: [amount, memo]', '', ['amount', 'memo']],
    ['governance limits it', '', 'edit: [memo]', ['memo']],
    ['both limit it', 'edit: [amount, memo]', 'edit: [memo, to]', ['memo']],
    ['they have nothing in common', 'edit: [amount]', 'edit: [to]', []],
    ['governance forbids it', 'edit: [amount]', 'edit: false', []],
    ['the owner forbids it', 'edit: false', 'edit: true', []],
    [
      'one allows the inside of what the other allows',
      'edit: [order]',
      'edit: [order.memo, order.to]',
      ['order.memo', 'order.to'],
    ],
  ],
  async (_, owner, governance, allowed) => {
    const policy = policyOf(
      `tools: { pay: { approval: { ${owner} } } }`,
      `governance: [{ id: a, approval: { ${governance} } }]`,
    )
    const gate = createGate({ policy, store: memoryStore(), agent: 'biller' })
    for (const [path, args] of Object.entries(CHANGES)) {
      const asked = await gate.check({ tool: 'pay', args: order, key: path })
      if (asked.status !== 'pending') throw new Error(asked.status)
      const { id, digest } = asked.approval
      const by = person('kim')
      const edit = gate.approvals.decide(id, { by, verdict: 'approve', seen: digest, args })
      const ran: JsonObject[] = []
      const pay = async (given: JsonObject) => void ran.push(given)
      if (allowed.includes(path)) {
        await edit
        await gate.resume(id, { pay })
        expect(ran, path).toEqual([args])
      } else {
        await expect(edit, path).rejects.toMatchObject({ code: 'edit_not_allowed' })
        expect(await gate.resume(id, { pay }), path).toMatchObject({ status: 'pending' })
        expect(ran, path).toEqual([])
      }
    }
  },
)
