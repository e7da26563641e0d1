import { foldAddress } from '../../base/address.ts'
import { RISKS, type Risk } from '../../base/call.ts'
import { parseDuration } from '../../base/duration.ts'
import {
  type Approver,
  ASSURANCES,
  type Assurance,
  type EditRule,
  REASON_RULES,
  type ReasonRule,
} from '../../base/oversight.ts'
import { failure, type Result, success } from '../../base/result.ts'
import { NAME } from '../call.ts'
import type { DenialMemory, VerdictWord } from '../document.ts'
import type { Glob } from '../evaluate/glob.ts'
import { type Path, parsePath } from '../evaluate/path.ts'
import { parsePrompt, parseTemplate, type Template } from '../evaluate/template.ts'
import { key, object, required } from '../read/read-object.ts'
import {
  booleanHint,
  choice,
  list,
  type Placed,
  parsed,
  refuse,
  type Shape,
  text,
  whole,
} from '../read/read-shape.ts'
import { isOldVerdict } from './grammar-hints.ts'

/** The small values a policy is made of. */

const VERDICTS: readonly VerdictWord[] = ['allow', 'confirm', 'review', 'deny']

export const verdict: Shape<VerdictWord> = choice(VERDICTS, (word) =>
  isOldVerdict(word) ? '; did you mean review? The verdict approve was renamed' : undefined,
)
export const risk: Shape<Risk> = choice(RISKS)
export const assurance: Shape<Assurance> = choice(ASSURANCES)
export const reasonRule: Shape<ReasonRule> = choice(REASON_RULES)
export const sentence: Shape<string> = text('a text')

export const NAME_PROBLEM =
  'names are 1 to 128 letters, digits, _ . or -, exactly as the tool is called'
export const toolName: Shape<string> = text('a name', { pattern: NAME, problem: NAME_PROBLEM })

export const alias: Shape<string> = text('a name such as files', {
  pattern: /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
  problem: 'an alias is up to 64 letters, digits, _ or -, and starts with a letter or _',
})

/** The schema of Agent Format allows no hyphen. */
export const formatAlias: Shape<string> = text('a name such as files', {
  pattern: /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
  problem: 'an alias of Agent Format is letters, digits and _, and starts with a letter or _',
})

export const groupName: Shape<string> = text('the name of a group', {
  pattern: NAME,
  problem: 'the name of a group is 1 to 128 letters, digits, _ . or -',
})

// For editors only; the order of units and the length are checked when the file is read.
const DURATION_PART = '[0-9]{1,9} ?(s|sec|seconds?|m|min|minutes?|h|hours?|d|days?|w|weeks?)'

export const duration: Shape<number> = parsed(
  'a duration such as 15m, 1h30m or 7 days',
  parseDuration,
  {
    schema: { pattern: `^${DURATION_PART}( ?${DURATION_PART})*$` },
    instead: (found) => `it with its unit, such as ${found}m`,
  },
)

/** How long a no answers equal calls: this call alone, a while, or the rest of the run. */
export const memory: Shape<DenialMemory> = parsed(
  'call, run, or a duration such as 1h',
  (written): Result<DenialMemory> => {
    if (written === 'call' || written === 'run') return success(written)
    const read = parseDuration(written)
    return read.ok ? read : failure('use call, run, or a duration such as 1h')
  },
  {
    schema: { pattern: `^(call|run|${DURATION_PART}( ?${DURATION_PART})*)$` },
    instead: (found) => `it with its unit, such as ${found}m`,
  },
)

const PATH_PART = '([^.\\\\]|\\\\[.\\\\])+'
export const PATH_PATTERN = `^${PATH_PART}(\\.${PATH_PART})*$`

export const path: Shape<Path> = parsed('a path such as order.amount', parsePath, {
  schema: { pattern: PATH_PATTERN },
})

/** No name has a slash but the methods of MCP: `files/write` would be a rule that never matches. */
export const toolGlob: Shape<Glob> = globOf(
  /^(?:(?:resources|prompts|completion)\/)?[A-Za-z0-9_.*-]{1,256}$/,
  'use letters, digits, _ . - and * for any run of them; nothing else is special',
)

/** Servers and agents are called whatever their makers like, but hardly ever `bot-[0-9]`. */
export const peerGlob: Shape<Glob> = globOf(
  /^[^?|^$\\[\](){}\p{Cc}]{1,256}$/u,
  'only * is special, for any run of letters; it cannot be empty or hold ? | ^ $ or brackets',
)

function globOf(pattern: RegExp, problem: string): Shape<Glob> {
  const parse = (written: string): Result<Glob> =>
    pattern.test(written) ? success({ text: written }) : failure(problem)
  return parsed('a name, with * for any letters', parse, { schema: { pattern: pattern.source } })
}

export const template: Shape<Template> = parsed(
  'a text such as "Pay {{tool_args.amount}}?"',
  full(parseTemplate),
  { schema: { pattern: '\\S' } },
)
export const prompt: Shape<Template> = parsed(
  'a text such as "Run {toolName}?"',
  full(parsePrompt),
  { schema: { pattern: '\\S' } },
)

function full(parse: (written: string) => Result<Template>): (written: string) => Result<Template> {
  return (written) => (written.trim() === '' ? failure('it is empty') : parse(written))
}

export const email: Shape<string> = parsed('an e-mail address', parseEmail, {
  schema: { pattern: '^[^\\s@]+@[^\\s@]+$' },
})

function parseEmail(written: string): Result<string> {
  if (written.length > 254) return failure('an e-mail address has at most 254 characters')
  return /^[^\s@,;<>"()]+@[^\s@,;<>"()]+$/.test(written)
    ? success(written)
    : failure('this is not an e-mail address, such as ana@example.com')
}

const groupRef = object('an approver', {
  group: required(groupName, 'A group under people.groups.', 'group: finance'),
})

const APPROVER_WANTS =
  'an e-mail address, { group: name }, or "*" for anyone with the approver role'

export const approver: Shape<Approver> = {
  wants: APPROVER_WANTS,
  read(tree, at) {
    if (tree.kind === 'map') {
      const group = groupRef.read(tree, at)?.values.group
      return group === undefined ? undefined : { group }
    }
    if (tree.kind !== 'scalar' || typeof tree.value !== 'string')
      return refuse(tree, at, APPROVER_WANTS)
    if (tree.value === '*') return '*'
    if (NAME.test(tree.value)) {
      const problem = `"${tree.value}" is not an e-mail address; for a group write { group: ${tree.value} }`
      at.report.mistake(tree.place, at.path, 'bad_value', problem)
      return undefined
    }
    const address = email.read(tree, at)
    return address === undefined ? undefined : { email: address }
  },
  schema: (defs) => ({ anyOf: [{ const: '*' }, email.schema(defs), groupRef.schema(defs)] }),
}

export const approvers: Shape<readonly Placed<Approver>[]> = list(approver, {
  wants: 'a list of e-mail addresses, { group: name }, or "*"',
  name: approverName,
})

function approverName(one: Approver): string {
  if (one === '*') return one
  return 'email' in one ? foldAddress(one.email) : `group ${one.group}`
}

export const paths: Shape<readonly Placed<Path>[]> = list(path, {
  wants: 'a list of paths such as [card.number, pin]',
  name: ({ text: written }) => written,
})

const EDIT_WANTS = 'true, false, or a list of the paths an approver may change'

export const edit: Shape<EditRule> = {
  wants: EDIT_WANTS,
  read(tree, at) {
    if (tree.kind === 'scalar' && typeof tree.value === 'boolean') return tree.value
    if (tree.kind === 'list' && tree.items.length === 0) {
      const problem = 'the list is empty; write false if nothing may be changed'
      at.report.mistake(tree.place, at.path, 'empty_list', problem)
      return undefined
    }
    if (tree.kind === 'list') return paths.read(tree, at)?.map(({ value }) => value)
    return refuse(tree, at, booleanHint(tree) ?? EDIT_WANTS)
  },
  schema: (defs) => ({ anyOf: [{ type: 'boolean' }, paths.schema(defs)] }),
}

export const quorum = list(
  object('a part of a quorum', {
    group: required(groupName, 'A group under people.groups.', 'group: finance'),
    n: required(whole(1, 100), 'How many different people of the group must say yes.', 'n: 1'),
  }),
  {
    wants: 'a list such as [{ group: finance, n: 1 }]',
    max: 16,
    name: ({ values }) => values.group,
  },
)

const LONGEST_REASON = 80

const presets = list(
  parsed(
    'a short text',
    (written: string): Result<string> => {
      if (written.trim() === '') return failure('it is empty')
      if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(written)) return failure('a reason is one line')
      return written.length > LONGEST_REASON
        ? failure(`a reason to choose has at most ${LONGEST_REASON} characters`)
        : success(written.trim())
    },
    { schema: { pattern: '\\S', maxLength: LONGEST_REASON } },
  ),
  { wants: 'a list such as ["Wrong account"]', max: 9, name: (one) => one },
)

export const reasons = object('reasons', {
  deny: key(presets, 'Offered for a no.'),
  approve: key(presets, 'Offered for a yes.'),
})

export const escalate = list(
  object('an escalation', {
    after: required(duration, 'How long without a decision.', 'after: 4h'),
    to: required(approver, 'Who may decide from then on, too.', 'to: { group: leads }'),
    for: key(groupName, 'The group of the quorum whose places they may fill.'),
  }),
  { wants: 'a list such as [{ after: 4h, to: { group: leads } }]', max: 16 },
)

// Quiet: an address may carry a password, and messages end up in logs.
export const url: Shape<string> = parsed('an http or https address', parseUrl, {
  schema: { pattern: '^https?://' },
  quiet: true,
})

function parseUrl(written: string): Result<string> {
  if (!URL.canParse(written))
    return failure('this is not an address such as https://mcp.example.com')
  const { protocol, username, password } = new URL(written)
  if (protocol !== 'http:' && protocol !== 'https:')
    return failure('only http and https are spoken')
  if (username !== '' || password !== '')
    return failure('keep names and passwords out of addresses; use headers')
  return success(written)
}
