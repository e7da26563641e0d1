import type { Call } from '../../src/base/call.ts'
import { type Random, seeded } from '../lib/random.ts'
import type { Args, HandWritten, OwnerFile, Work } from './work.ts'

/*
 * Six tools, one approval each: the six kinds of condition the Agent Format page shows. About 60
 * of 100 calls are allowed; one in twenty lacks the argument the rule reads, or has it as another
 * type, which counts against the call. Amounts are whole numbers: where code is not inlined, reading
 * a fraction costs 16 bytes in any JavaScript, and that would hide what the engines cost.
 */

const OWNER: OwnerFile = {
  version: 1,
  tools: {
    transfer_money: {
      approval: { condition: { args_match: { amount: { gt: 10_000 }, currency: 'USD' } } },
    },
    pay_invoice: {
      approval: {
        condition: [
          { args_match: { amount: { gt: 5_000 } } },
          { args_match: { recipient_type: 'external' } },
        ],
      },
    },
    send_mail: {
      approval: { condition: { args_match: { to: { pattern: '.*@external\\.com$' } } } },
    },
    change_records: {
      approval: { condition: { args_match: { action: { in: ['delete', 'modify', 'purge'] } } } },
    },
    start_vm: {
      approval: {
        condition: {
          args_match: {
            region: { not_in: ['eu-west', 'eu-north'] },
            review: { ne: 'approved' },
          },
        },
      },
    },
    place_order: {
      approval: {
        condition: { args_match: { 'order.details.amount': { gte: 1_000 }, express: true } },
      },
    },
  },
}

// Without the leading `.*` of the rule: the language's engine would try it from every start.
const EXTERNAL = /@external\.com$/

// Each says 0 only where it knows that the rule does not hold; a missing or odd value asks.
const HAND = new Map<string, HandWritten>([
  [
    'transfer_money',
    ({ amount, currency }: Args) => {
      if (typeof amount === 'number' && amount <= 10_000) return 0
      if (typeof currency === 'string' && currency !== 'USD') return 0
      return 1
    },
  ],
  [
    'pay_invoice',
    ({ amount, recipient_type }: Args) => {
      if (!(typeof amount === 'number' && amount <= 5_000)) return 1
      return typeof recipient_type === 'string' && recipient_type !== 'external' ? 0 : 1
    },
  ],
  ['send_mail', ({ to }: Args) => (typeof to === 'string' && !EXTERNAL.test(to) ? 0 : 1)],
  [
    'change_records',
    ({ action }: Args) => {
      if (typeof action !== 'string') return 1
      return action === 'delete' || action === 'modify' || action === 'purge' ? 1 : 0
    },
  ],
  [
    'start_vm',
    ({ region, review }: Args) => {
      if (region === 'eu-west' || region === 'eu-north') return 0
      return review === 'approved' ? 0 : 1
    },
  ],
  [
    'place_order',
    ({ order, express }: Args) => {
      const amount = order?.details?.amount
      if (typeof amount === 'number' && amount < 1_000) return 0
      return express === false ? 0 : 1
    },
  ],
])

type MakeArgs = (random: Random) => { readonly [key: string]: unknown }

const ARGS: { readonly [tool: string]: MakeArgs } = {
  transfer_money: (random) => ({
    from: `acct-${random.below(900)}`,
    to: `acct-${random.below(900)}`,
    ...maybe(random, 0.95, { amount: random.chance(0.5) ? random.below(9_000) : 12_500 }),
    currency: random.pick(['USD', 'USD', 'USD', 'EUR', 'GBP']),
    memo: 'monthly settlement',
    ...maybe(random, 0.5, { dry_run: false }),
  }),
  pay_invoice: (random) => ({
    invoice: `INV-${random.below(90_000)}`,
    amount: random.chance(0.8) ? random.below(5_000) : 7_250,
    currency: 'EUR',
    recipient_type: random.pick(['internal', 'internal', 'internal', 'external']),
    due: '2026-03-31',
    ...maybe(random, 0.5, { notes: 'second reminder' }),
  }),
  send_mail: (random) => ({
    subject: 'Quarterly figures',
    ...maybe(random, 0.95, {
      to: `person${random.below(400)}@${random.pick(['example.com', 'example.org', 'external.com'])}`,
    }),
    body: 'Please find the figures attached.',
    cc: [],
    ...maybe(random, 0.5, { reply_to: 'office@example.com' }),
    priority: 'normal',
  }),
  change_records: (random) => ({
    table: 'customers',
    action: random.chance(0.05) ? 7 : random.pick(['read', 'list', 'append', 'modify', 'delete']),
    where: { id: random.below(5_000) },
    limit: 100,
    ...maybe(random, 0.5, { comment: 'requested by support' }),
    notify: true,
  }),
  start_vm: (random) => ({
    name: `vm-${random.below(700)}`,
    size: 'm2.large',
    ...maybe(random, 0.95, { region: random.pick(['eu-west', 'eu-north', 'us-east', 'ap-south']) }),
    review: random.pick(['approved', 'open', 'rejected']),
    disk: { gb: 200, kind: 'ssd' },
    ...maybe(random, 0.5, { tags: ['batch'] }),
  }),
  place_order: (random) => ({
    customer: `C${random.below(9_000)}`,
    order: {
      id: random.below(90_000),
      details: { sku: 'A-100', amount: random.chance(0.5) ? random.below(999) : 2_400 },
    },
    express: random.chance(0.05) ? 'yes' : random.chance(0.7),
    channel: 'web',
    ...maybe(random, 0.5, { coupon: 'SPRING' }),
    gift: false,
  }),
}

export function sixPolicies(count: number): Work {
  const random = seeded(6)
  const tools = Object.entries(ARGS)
  const calls = Array.from({ length: count }, (_, index): Call => {
    const [tool, makeArgs] = tools[index % tools.length] ?? ['', () => ({})]
    return parsed({ tool, args: makeArgs(random) })
  })
  return {
    name: 'six policies',
    owner: OWNER,
    governance: undefined,
    calls: random.shuffle(calls),
    hand: HAND,
  }
}

function maybe(random: Random, share: number, entry: { readonly [key: string]: unknown }) {
  return random.chance(share) ? entry : {}
}

/** Through text and back: arguments then have the shapes and strings that a parser makes. */
function parsed(call: { tool: string; args: unknown }): Call {
  return { tool: call.tool, args: JSON.parse(JSON.stringify(call.args)) }
}
