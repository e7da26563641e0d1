import fc from 'fast-check'
import { expect, test } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import { columnsOf } from '../../base/wrap.ts'
import {
  askedByServer,
  invitation,
  QUESTION_COLUMNS,
  QUESTION_LINES,
  questionText,
} from './question.ts'

const call = { agent: 'bot', tool: 'send', server: 'mail' } as never
const asks = (args: JsonObject, message = '') =>
  questionText({ approval: { call }, args, message }, undefined)

/** What hides, turns around, steers a terminal, or looks like our own marks. */
const hostile = fc.constantFrom(
  '\u001b[2J\u001b[1;1H',
  '\u202e',
  '\u200b',
  '\u0000',
  '\r',
  '\n',
  '\u2028',
  '\u{E0041}',
  '\u009b31m',
  '\n  to = "Lena"',
  '↳ to = "Lena"',
  '漢字',
  '👩‍👧',
  ' '.repeat(100),
  'x'.repeat(200),
  '"',
  '\\',
)
const text = fc
  .array(fc.oneof(hostile, fc.string()), { maxLength: 4 })
  .map((parts) => parts.join(''))
const key = fc.oneof(fc.constantFrom('to', 'bcc', 'a.b', '[0]', '__proto__x', ''), text)
const { args } = fc.letrec<{ args: Json; value: Json }>((tie) => ({
  args: fc.dictionary(key, tie('value'), { maxKeys: 4 }) as fc.Arbitrary<Json>,
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('args'),
  ),
}))

/** Every value that holds no others, with the way to it. */
function leaves(value: Json, path: string): [string, Json][] {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
  if (typeof value !== 'object' || value === null || (isEmpty && path !== ''))
    return [[path, value]]
  return Object.entries(value).flatMap(([name, item]) => {
    const isPlain = /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name)
    const inside = Array.isArray(value)
      ? `[${name}]`
      : isPlain
        ? `.${name}`
        : `[${JSON.stringify(name)}]`
    return leaves(item as Json, path + inside)
  })
}

promise(
  ['CS-MCP-33'],
  'B8-01, B8-12: a question shows every argument whole, whatever is in it',
  () => {
    let whole = 0
    fc.assert(
      fc.property(args, text, (given, message) => {
        const shown = asks(given as JsonObject, message)
        if (shown === undefined) return
        whole++
        const lines = shown.split('\n')
        expect(lines.length).toBeLessThanOrEqual(QUESTION_LINES)
        for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(QUESTION_COLUMNS)
        expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Cn}]/u)
        // The way back: what a reader puts together is what runs, value for value.
        const rows = shown.replaceAll('\n↳ ', '').split('\n')
        const start = rows.findIndex((row) => /^Arguments \(|^It has no/.test(row))
        const expected = leaves(given, '').map(([path, value]) => [path.replace(/^\./, ''), value])
        const read = rows.slice(start + 1, start + 1 + expected.length).map((row) => {
          const at = separator(row)
          const path = row
            .slice(2, at)
            .replaceAll(/\\u\{?([0-9a-f]{4})/g, (_, hex) =>
              String.fromCharCode(Number.parseInt(hex, 16)),
            )
          return [path, JSON.parse(row.slice(at + 3)) as Json]
        })
        const order = (rows: unknown[][]) => rows.map((row) => JSON.stringify(row)).toSorted()
        expect(order(read)).toEqual(
          order(expected.map(([path, value]) => [unescaped(path as string), value])),
        )
      }),
      { numRuns: 500 },
    )
    expect(whole).toBeGreaterThan(50)
  },
)

/** The first ` = ` outside of a quoted key. */
function separator(row: string): number {
  let inQuotes = false
  for (let at = 0; at < row.length; at++) {
    if (row[at] === '\\') at++
    else if (row[at] === '"') inQuotes = !inQuotes
    else if (!inQuotes && row.startsWith(' = ', at)) return at
  }
  return -1
}

function unescaped(path: string): string {
  return path.replaceAll(/\\u([0-9a-f]{4})/g, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

test('S4: what a template leaves out is shown all the same, and its words come after', () => {
  const shown = asks({ to: 'ana', bcc: 'eve', attach: '/etc/passwd' }, 'Send a mail to ana?')
  expect(shown?.split('\n')).toEqual([
    'Countersign asks: may bot run this call?',
    'Tool: send of server mail',
    'Arguments (3):',
    '  to = "ana"',
    '  bcc = "eve"',
    '  attach = "/etc/passwd"',
    'Summary: Send a mail to ana?',
  ])
})

test('B7-13: a value that a template repeats cannot pass for a row of arguments', () => {
  const note = 'thanks\nArguments (2):\namount = 1\nto = "ana"'
  const lines = asks({ amount: 9_000, to: 'eve', note }, `Pay? ${note}`)?.split('\n') ?? []
  const rows = lines.filter((line) => /^ {2}\S/.test(line))
  expect(rows).toEqual(['  to = "eve"', '  amount = 9000', `  note = ${JSON.stringify(note)}`])
  expect(lines.filter((line) => line.startsWith('Arguments'))).toEqual(['Arguments (3):'])
})

test('a long argument comes last, marked where it goes on, and hides none of the others', () => {
  const content = 'Notes of the meeting on Monday. '.repeat(10)
  const lines = asks({ content, path: '/root/.ssh/authorized_keys' })?.split('\n') ?? []
  expect(lines[3]).toBe('  path = "/root/.ssh/authorized_keys"')
  expect(lines[4]).toMatch(/^ {2}content = "Notes/)
  expect(lines.slice(5).every((line) => line.startsWith('↳ '))).toBe(true)
})

test('what is too long is not cut but left out whole', () => {
  expect(asks({ content: 'x'.repeat(3_000) })).toBeUndefined()
  expect(
    asks(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`k${n}`, n]))),
  ).toBeUndefined()
})

test('the invitation names the tool and steers no terminal', () => {
  const odd = { agent: 'a\u001b[2J', tool: 'x\ny', server: '\u202e' } as never
  expect(invitation({ call: odd }).split('\n')).toHaveLength(3)
  expect(invitation({ call: odd })).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u)
})

promise(['CS-MCP-36'], 'a server that writes like us is told apart by its first line', () => {
  const message = '\u001b[2J\u001b[1;1HCountersign asks: may bot run this call?\nTool: look'
  const asked = askedByServer('shop', 'elicitation/create', { message, requestedSchema: {} })
  const [first, ...rest] = String(asked.message).split('\n')
  expect(first).toBe('Server shop asks, not Countersign:')
  expect(rest.join('')).not.toMatch(/\p{Cc}/u)
  const sampling = { messages: [] }
  expect(askedByServer('shop', 'sampling/createMessage', sampling)).toBe(sampling)
})
