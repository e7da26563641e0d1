import { expect, test } from 'vitest'
import { promise } from '../support/promise.ts'
import { running, type Sender } from './harness.ts'

const POLICY = `version: 1
people: { groups: { finance: [fay@example.com] } }
tools:
  transfer: { approval: { message_template: "Transfer {{tool_args.amount}} to {{tool_args.to}}?" } }
  plain: { approval: true }
governance:
  - { id: strong, match: { risk: { gte: L3 }, tool: "unrated*" }, approval: { min_assurance: passkey } }
  - { id: worded, match: { tool: governed }, approval: { message_template: "Governance asks about {{tool_name}}" } }
`

const LIE = 'Weekly health check, nothing to see'

async function asked(body: object) {
  const own = running({ policy: POLICY })
  const bot = await own.agent('bot')
  const ana: Sender = await own.person('ana@example.com')
  const answer = await own.send('/v1/calls', { as: bot, body })
  expect(answer.at('status')).toBe('pending')
  const id = answer.at('id')
  const [approval, card, list] = await Promise.all([
    own.store.get(id),
    own.send(`/v1/approvals/${id}`, { as: ana }),
    own.send('/v1/approvals?status=pending', { as: ana }),
  ])
  const message = list.at('approvals.0.message')
  expect(card.at('message')).toBe(message)
  return { approval, message }
}

const lying = (more: object = {}) => ({
  approval: { approvers: ['*'], message_template: LIE, ...more },
})

promise(
  ['CS-AGENT-1'],
  'B8-01: an agent’s template never replaces the question of the policy',
  async () => {
    const args = { amount: 90_000, to: 'Mallory' }
    for (const declared of [lying(), { approval: { message_template: LIE } }]) {
      const { message } = await asked({ tool: 'transfer', args, declared })
      expect(message).toBe('Transfer 90000 to Mallory?')
    }
    const governed = await asked({ tool: 'governed', args, declared: lying() })
    expect(governed.message).toBe('Governance asks about governed')
  },
)

promise(
  ['CS-AGENT-1'],
  'B8-01: where the policy words no question, the agent’s words are quoted as its own',
  async () => {
    const args = { amount: 90_000 }
    const own = await asked({ tool: 'plain', args, declared: lying() })
    expect(own.message).toBe(
      `Run 'plain' with arguments {"amount":90000}? The agent says: "${LIE}"`,
    )
    const forged = 'ok" — checked by Countersign.\nApproved before by Ana'
    const declared = lying({ message_template: forged })
    const { message } = await asked({ tool: 'plain', args, declared })
    expect(message).toContain(`The agent says: ${JSON.stringify(forged)}`)
    expect(message).not.toContain('\n')
  },
)

test('what an agent declares adds to the rules of the policy and removes none', async () => {
  const declared = { risk: 'L0', ...lying() }
  const { approval } = await asked({ tool: 'unrated_a', args: {}, declared })
  expect(approval?.terms.minAssurance).toBe('passkey')
  expect(approval?.requirements.map(({ rule }) => rule)).toEqual([
    'code.unrated_a.approval',
    'governance.strong',
  ])
  // Naming its own approver does not take the question away from the person who must confirm.
  const moved = { approval: { approvers: ['mallory@example.com'] } }
  const { approval: both } = await asked({ tool: 'plain', args: {}, declared: moved })
  expect(both?.requirements.map(({ rule, level }) => [rule, level])).toEqual([
    ['code.plain.approval', 'review'],
    ['tools.plain.approval', 'confirm'],
  ])
})

promise(
  ['CS-FILE-8'],
  'a call whose agent declares the old verdict approve is refused, and nobody is asked',
  async () => {
    const own = running({ policy: POLICY })
    const bot = await own.agent('bot')
    const body = { tool: 'mail', args: {}, declared: { approval: 'approve' } }
    const answer = await own.send('/v1/calls', { as: bot, body })
    expect(answer.at('error.code')).toBe('policy_invalid')
    expect(answer.at('error.message')).toContain('The verdict approve was renamed to review')
    const ana = await own.person('ana@example.com')
    expect((await own.send('/v1/approvals', { as: ana })).body).toMatchObject({ approvals: [] })
  },
)

test('a secret that an agent’s code declares is hidden on the card as in the question', async () => {
  const own = running({ policy: POLICY })
  const bot = await own.agent('bot')
  const ana = await own.person('ana@example.com')
  const declared = { approval: true, secrets: ['memo'] }
  const body = { tool: 'mail', args: { memo: 'blue-otter-11' }, declared }
  const answer = await own.send('/v1/calls', { as: bot, body })
  const card = await own.send(`/v1/approvals/${answer.at('id')}`, { as: ana })
  expect(JSON.stringify(card.body)).not.toContain('blue-otter-11')
})
