import type { Random } from '../lib/random.ts'
import type { Args, Group, HandWritten } from './work.ts'

/** Tools that share a verb share the form of their rule; each has its own limit. */
export interface Family {
  readonly verb: string
  readonly groups: (limit: number) => readonly Group[]
  readonly hand: (limit: number) => HandWritten
  readonly args: (random: Random) => { readonly [key: string]: unknown }
}

const match = (args_match: Group['args_match']): Group => ({ args_match })

/** Known not to be above the limit. */
const within = (value: unknown, limit: number): boolean =>
  typeof value === 'number' && value <= limit

/** Known to be another text. */
const other = (value: unknown, text: string): boolean => typeof value === 'string' && value !== text

const OUTSIDE = /@(external|partner)\.com$/
const WEB = /^https?:\/\//

export const FAMILIES: readonly Family[] = [
  {
    verb: 'pay',
    groups: (limit) => [
      match({ amount: { gt: limit } }),
      match({ recipient_type: 'external' }),
      match({ currency: { not_in: ['EUR', 'USD'] }, amount: { gt: limit / 10 } }),
    ],
    hand: (limit) => (a: Args) => {
      if (!within(a.amount, limit) || !other(a.recipient_type, 'external')) return 1
      const known = a.currency === 'EUR' || a.currency === 'USD'
      return known || within(a.amount, limit / 10) ? 0 : 1
    },
    args: (random) => ({
      recipient_type: random.pick(['internal', 'internal', 'internal', 'external']),
      currency: random.pick(['EUR', 'USD', 'USD', 'GBP']),
      recipient: `acct-${random.below(500)}`,
    }),
  },
  {
    verb: 'delete',
    groups: (limit) => [
      match({ environment: 'production' }),
      match({ count: { gt: limit } }),
      match({ force: true }),
    ],
    hand: (limit) => (a: Args) => {
      if (!other(a.environment, 'production') || !within(a.count, limit)) return 1
      return a.force === false ? 0 : 1
    },
    args: (random) => ({
      count: random.below(1_000),
      force: random.chance(0.1),
      path: `/data/${random.below(50)}`,
    }),
  },
  {
    verb: 'send',
    groups: (limit) => [
      match({ to: { pattern: '@(external|partner)\\.com$' } }),
      match({ recipients: { gt: limit } }),
      match({ priority: 'urgent', draft: false }),
    ],
    hand: (limit) => (a: Args) => {
      if (!(typeof a.to === 'string' && !OUTSIDE.test(a.to))) return 1
      if (!within(a.recipients, limit)) return 1
      return other(a.priority, 'urgent') || a.draft === true ? 0 : 1
    },
    args: (random) => ({
      to: `p${random.below(300)}@${random.pick(['example.com', 'example.org', 'partner.com'])}`,
      recipients: random.below(40),
      priority: random.pick(['normal', 'low', 'urgent']),
      draft: random.chance(0.5),
      subject: 'Figures',
    }),
  },
  {
    verb: 'update',
    groups: (limit) => [
      match({ fields: { in: ['salary', 'iban', 'role'] } }),
      match({ rows: { gte: limit } }),
      match({ 'target.owner': { ne: 'self' }, 'target.locked': true }),
    ],
    hand: (limit) => (a: Args) => {
      const { fields, rows, target } = a
      if (typeof fields !== 'string') return 1
      if (fields === 'salary' || fields === 'iban' || fields === 'role') return 1
      if (!(typeof rows === 'number' && rows < limit)) return 1
      return target?.owner === 'self' || target?.locked === false ? 0 : 1
    },
    args: (random) => ({
      fields: random.pick(['name', 'phone', 'address', 'salary']),
      rows: random.below(900),
      target: { owner: random.pick(['self', 'team']), locked: random.chance(0.1) },
    }),
  },
  {
    verb: 'create',
    groups: (limit) => [
      match({ size: { gt: limit } }),
      match({ visibility: 'public' }),
      match({ region: { in: ['ap', 'sa'] }, kind: { ne: 'note' } }),
    ],
    hand: (limit) => (a: Args) => {
      if (!within(a.size, limit) || !other(a.visibility, 'public')) return 1
      const near = typeof a.region === 'string' && a.region !== 'ap' && a.region !== 'sa'
      return near || a.kind === 'note' ? 0 : 1
    },
    args: (random) => ({
      size: random.below(900),
      visibility: random.pick(['private', 'team', 'team', 'public']),
      kind: random.pick(['note', 'page']),
      title: 'Untitled',
    }),
  },
  {
    verb: 'export',
    groups: (limit) => [
      match({ rows: { gt: limit } }),
      match({ format: { not_in: ['csv', 'json'] } }),
      match({ destination: { pattern: '^https?://' } }),
    ],
    hand: (limit) => (a: Args) => {
      if (!within(a.rows, limit)) return 1
      if (!(a.format === 'csv' || a.format === 'json')) return 1
      return typeof a.destination === 'string' && !WEB.test(a.destination) ? 0 : 1
    },
    args: (random) => ({
      rows: random.below(900),
      format: random.pick(['csv', 'json', 'csv', 'xml']),
      destination: random.pick(['s3:reports', 's3:archive', 'https://files.example.com/in']),
    }),
  },
  {
    verb: 'grant',
    groups: (limit) => [
      match({ role: { in: ['admin', 'owner'] } }),
      match({ days: { gt: limit } }),
      match({ subject: { pattern: '^svc-' }, approved: { ne: true } }),
    ],
    hand: (limit) => (a: Args) => {
      if (typeof a.role !== 'string' || a.role === 'admin' || a.role === 'owner') return 1
      if (!within(a.days, limit)) return 1
      const person = typeof a.subject === 'string' && !a.subject.startsWith('svc-')
      return person || a.approved === true ? 0 : 1
    },
    args: (random) => ({
      role: random.pick(['viewer', 'editor', 'viewer', 'admin']),
      days: random.below(90),
      subject: random.pick(['ana', 'bo', 'svc-build']),
      approved: random.chance(0.5),
    }),
  },
  {
    verb: 'run',
    groups: (limit) => [
      match({ command: { pattern: 'rm -rf' } }),
      match({ timeout: { gt: limit } }),
      match({ privileged: true }),
    ],
    hand: (limit) => (a: Args) => {
      if (!(typeof a.command === 'string' && !a.command.includes('rm -rf'))) return 1
      return within(a.timeout, limit) && a.privileged === false ? 0 : 1
    },
    args: (random) => ({
      command: random.pick(['npm test', 'git status', 'make build', 'rm -rf node_modules']),
      timeout: random.below(600),
      privileged: random.chance(0.05),
    }),
  },
  {
    verb: 'move',
    groups: (limit) => [
      match({ bytes: { gt: limit } }),
      match({ 'to.account': { ne: 'main' } }),
      match({ overwrite: true, environment: { ne: 'dev' } }),
    ],
    hand: (limit) => (a: Args) => {
      if (!within(a.bytes, limit) || a.to?.account !== 'main') return 1
      return a.overwrite === false || a.environment === 'dev' ? 0 : 1
    },
    args: (random) => ({
      bytes: random.below(1_000),
      from: { account: 'main', path: '/a' },
      to: { account: random.pick(['main', 'main', 'main', 'backup']), path: '/b' },
      overwrite: random.chance(0.2),
    }),
  },
  {
    verb: 'schedule',
    groups: (limit) => [
      match({ attendees: { gt: limit } }),
      match({ cost: { gte: limit } }),
      match({ kind: 'external', notify: true }),
    ],
    hand: (limit) => (a: Args) => {
      if (!within(a.attendees, limit)) return 1
      if (!(typeof a.cost === 'number' && a.cost < limit)) return 1
      return other(a.kind, 'external') || a.notify === false ? 0 : 1
    },
    args: (random) => ({
      attendees: random.below(30),
      cost: random.below(500),
      kind: random.pick(['internal', 'internal', 'external']),
      notify: random.chance(0.5),
    }),
  },
]
