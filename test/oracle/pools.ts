import type { Assurance, Level, ReasonNeed, Risk } from './documents.ts'

// Small on purpose: policies and calls drawn from the same few words keep meeting each other.

export const LEVELS: Level[] = ['allow', 'confirm', 'review', 'deny']
export const RISKS: Risk[] = ['L0', 'L1', 'L2', 'L3', 'L4', 'L5']
export const ASSURANCES: Assurance[] = ['elicitation', 'chat', 'signed-in', 'passkey']
export const REASONS: ReasonNeed[] = ['optional', 'required', 'required_always']

export const TOOLS = [
  'pay',
  'pay.refund',
  'delete_user',
  'delete_db',
  'read_file',
  'mail-send',
  'constructor',
]
export const SERVERS = ['files', 'github', 'db']
export const SERVER_TOOLS = ['read_file', 'write_file', 'delete_repo', 'query']
export const LOCAL_AGENTS = ['planner', 'writer']
export const REMOTE_AGENTS = ['bank', 'travel']
export const SKILLS = ['transfer', 'quote', 'read_file']
/** Names nobody declares; some are found on every JavaScript object. */
export const STRANGERS = ['toString', 'valueOf', '__proto__', 'Pay', 'nobody']

export const CALLERS = ['billing-bot', 'ops', 'planner']
export const TOOL_GLOBS = [
  '*',
  'pay',
  'pay*',
  'delete_*',
  '*_user',
  '*.refund',
  'read*file',
  '*e*',
  'planner',
  'transfer',
]
export const SERVER_GLOBS = ['*', 'files', 'git*', '*b*', 'bank', '*a*']
export const AGENT_GLOBS = ['*', 'billing-*', 'ops', '*-bot', 'planner']

/** Condition, secret and edit paths. `a\.b` is one key, `a.b` is two. */
export const PATHS = [
  'amount',
  'currency',
  'env',
  'to',
  'flag',
  'order',
  'order.amount',
  'order.item.sku',
  'a\\.b',
  'a.b',
  'x\\\\y',
  'größe',
]
/** Paths that look as if they led somewhere: built-in members, strings, arrays. */
export const DEAD_ENDS = [
  'toString',
  'hasOwnProperty',
  'to.length',
  'tags.length',
  'tags.0',
  'tags',
]
export const PARENT_PATHS = [
  'parent.input.amount',
  'parent.input.level',
  'parent.input.order.amount',
]

export const NUMBERS = [0, 1, -5, 99.99, 100, 100.01, 10000, 10001, 0.1, 9007199254740991]
export const WORDS = ['USD', 'EUR', 'prod', 'production', 'high', '10000', 'true', 'ana@x.com']
/** Texts that break careless rendering or matching. */
export const ODD_TEXTS = [
  '',
  'prod\n',
  'one\ntwo',
  '{{tool_name}}',
  '{toolName} {args}',
  '$& $1 $$',
  'say "hi" \\ bye',
  'größe \u2028 ä',
  '😀',
  '\u0000\u001f\u007f',
  '[secret]',
]

/** Each pattern with texts it finds something in, and texts it does not. */
export const PATTERNS: { pattern: string; finds: string[]; misses: string[] }[] = [
  { pattern: '^prod', finds: ['prod', 'production', 'prod\n'], misses: ['Prod', ' prod', ''] },
  { pattern: 'prod$', finds: ['prod', 'not-prod'], misses: ['prod\n', 'prod '] },
  { pattern: '@x\\.com$', finds: ['ana@x.com'], misses: ['ana@xxcom', 'ana@x.com\n', '@x.com.'] },
  { pattern: '(?i)usd|eur', finds: ['USD', 'in eur'], misses: ['us', 'gbp'] },
  { pattern: '^.$', finds: ['a', '😀', 'ä'], misses: ['', '\n', 'ab'] },
  { pattern: '\\d{2,}', finds: ['10000', 'a42'], misses: ['1', '１２'] },
  { pattern: '^\\p{L}+$', finds: ['größe', 'USD'], misses: ['a1', ''] },
  { pattern: '(a+)+b', finds: ['aaab'], misses: ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'] },
  { pattern: '[^a]\\z', finds: ['ab', '\n'], misses: ['a', ''] },
]

/** Clocks that start inside the life of a question, and those that end it. */
export const EARLY = ['30s', '5m', '15m', '45m', '1h']
export const LATE = ['1h30m', '4h', '8h', '24h', '2h15m', '1d', '2 days', '7 days']

export const PEOPLE = ['ana@x.com', 'bo@x.com', 'cy@x.com', 'di@x.com', 'ed@x.com']
