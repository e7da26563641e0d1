import { expect } from 'vitest'
import { createGate } from '../../src/gate/gate.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { promise } from '../support/promise.ts'

const NO_DELETES = {
  file: 'governance.yaml',
  text: 'version: 1\ngovernance: [{ id: no-deletes, match: { tool: "delete_*" }, deny: Not here }]',
}

promise(
  ['AF-42', 'AF-45'],
  'a gate takes governance of its own, whatever its policy says',
  async () => {
    const text = 'version: 1\ntools: { delete_all: { approval: false } }'
    const policy = parsePolicy({ owner: { file: 'countersign.yaml', text } })
    const store = memoryStore()
    const call = { tool: 'delete_all', args: {} }

    const free = createGate({ policy, store })
    expect(await free.run(call, () => 'ran')).toMatchObject({ status: 'succeeded', result: 'ran' })

    const governed = createGate({ policy, store, governance: [NO_DELETES] })
    expect(await governed.run(call, () => 'ran')).toMatchObject({
      status: 'blocked',
      code: 'denied_by_policy',
      ran: false,
    })

    const changing = createGate({ policy: () => parsePolicy({}), store, governance: [NO_DELETES] })
    expect(await changing.run(call, () => 'ran')).toMatchObject({
      status: 'blocked',
      code: 'denied_by_policy',
      ran: false,
    })
  },
)

promise(['AF-9'], 'a gate under governance with mistakes is not made', () => {
  const broken = { file: 'governance.yaml', text: 'version: 1\ngovernance: [{ id: a, denny: no }]' }
  const make = () =>
    createGate({ policy: parsePolicy({}), store: memoryStore(), governance: [broken] })
  expect(make).toThrow(expect.objectContaining({ code: 'policy_invalid' }))
})

promise(
  ['CS-POLICY-14'],
  'what code declares never asks less than governance with the defaults of the owner',
  async () => {
    const owner = `version: 1
defaults: { min_assurance: passkey, reason: required, decide_by: 1h, use_by: 1m, edit: false }`
    const text = `version: 1
governance: [{ id: wires, match: { tool: wire }, approval: { approvers: ["*"] } }]`
    const policy = parsePolicy({ owner: { file: 'countersign.yaml', text: owner } })
    const make = () =>
      createGate({ policy, store: memoryStore(), governance: [{ file: 'company.yaml', text }] })
    const lax = {
      approval: {
        approvers: ['*'],
        min_assurance: 'elicitation',
        reason: 'optional',
        decide_by: '30d',
        use_by: '10d',
        edit: true,
      },
    } as const
    const call = { tool: 'wire', args: {} }
    const termsAt = async (checked: ReturnType<ReturnType<typeof make>['check']>) => {
      const answer = await checked
      if (answer.status !== 'pending') throw new Error(answer.status)
      return answer.approval.terms
    }
    const demanded = await termsAt(make().check(call))
    expect(demanded).toMatchObject({ minAssurance: 'passkey', reason: 'required', edit: false })
    const declaring = make()
    declaring.declare('wire', lax)
    expect(await termsAt(declaring.check(call))).toEqual(demanded)
    expect(await termsAt(make().check(call, { declared: lax }))).toEqual(demanded)
    for (const approval of [false, () => false] as const) {
      const silent = make()
      silent.declare('wire', { approval })
      expect(await termsAt(silent.check(call))).toEqual(demanded)
    }
  },
)
