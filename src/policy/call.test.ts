import { expect, test } from 'vitest'
import { readCall } from './call.ts'

test.each([
  ['the least', { tool: 'pay', args: {} }],
  ['a longest name', { tool: 'a'.repeat(128), args: {} }],
  ['dots and dashes in a name', { tool: 'mail.send-all_2', args: {} }],
  ['a server', { tool: 'read', server: 'files', args: {} }],
  ['a delegation', { kind: 'agent', tool: 'clerk', args: {}, parent: { input: { a: 1 } } }],
  ['a skill', { kind: 'skill', tool: 'pay', server: 'bank', args: {} }],
  ['an agent by alias', { tool: 'pay', agent: 'clerk', args: {} }],
  ['an agent by alias and id', { tool: 'pay', agent: { alias: 'clerk', id: 'v2' }, args: {} }],
  [
    'everything',
    {
      kind: 'tool',
      tool: 'pay',
      server: 'bank',
      agent: {},
      principal: 'ana@example.com',
      run: 'r1',
      key: 'k1',
      risk: 'L5',
      args: { amount: -0, list: [null, 'x'] },
      parent: { input: {} },
      context: { says: 'please', links: ['https://example.com'] },
    },
  ],
])('accepts %s', (_, value) => {
  expect(readCall(value)).toBe(value)
})

const call = (more: object) => ({ tool: 'pay', args: {}, ...more })

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'a call is an object'],
  ['a list', [], 'a call is an object'],
  ['text', 'pay', 'a call is an object'],
  ['an unknown key', call({ arguments: {} }), '"arguments" is not part of a call'],
  ['a key that every object inherits', call({ toString: 1 }), '"toString" is not part of a call'],
  ['an own __proto__', JSON.parse('{"tool":"pay","args":{},"__proto__":{}}'), 'not part of a call'],
  ['no tool', { args: {} }, 'tool is not a name'],
  ['an empty name', call({ tool: '' }), 'tool is not a name'],
  ['a name too long', call({ tool: 'a'.repeat(129) }), 'tool is not a name'],
  ['a name with a space', call({ tool: 'pay now' }), 'tool is not a name'],
  ['a name with a line end', call({ tool: 'pay\n' }), 'tool is not a name'],
  ['a name with a letter that looks like another', call({ tool: 'раy' }), 'tool is not a name'],
  ['a number for a name', call({ tool: 5 }), 'tool is not a name'],
  ['an unknown kind', call({ kind: 'handoff' }), 'kind is not one of ours'],
  ['no kind but null', call({ kind: null }), 'kind is not one of ours'],
  ['no arguments', { tool: 'pay' }, 'args is not an object'],
  ['null arguments', call({ args: null }), 'args is not an object'],
  ['a list of arguments', call({ args: [] }), 'args is not an object'],
  ['arguments of a class', call({ args: new Map() }), 'args is not an object'],
  ['an empty server', call({ server: '' }), 'server is empty'],
  ['a server that is no text', call({ server: 5 }), 'server is not text'],
  [
    'a delegation with a server',
    call({ kind: 'agent', server: 'x' }),
    'a delegation has no server',
  ],
  ['a skill without a server', call({ kind: 'skill' }), 'a skill needs a server'],
  ['an unknown risk', call({ risk: 'L6' }), 'risk is not a level'],
  ['a risk that is a number', call({ risk: 3 }), 'risk is not a level'],
  ['an agent that is a number', call({ agent: 5 }), 'agent is not a name'],
  ['an agent with another key', call({ agent: { name: 'x' } }), 'agent.name is unknown'],
  ['an agent whose alias is no text', call({ agent: { alias: 5 } }), 'alias is not text'],
  ['a principal that is no text', call({ principal: {} }), 'principal is not text'],
  ['a run that is null', call({ run: null }), 'run is not text'],
  ['a parent without input', call({ parent: {} }), 'parent is not understood'],
  ['a parent with more', call({ parent: { input: {}, output: {} } }), 'parent is not understood'],
  ['a context that is text', call({ context: 'please' }), 'context is not an object'],
  ['a context with more', call({ context: { approve: true } }), 'context.approve is unknown'],
  ['a context that says a number', call({ context: { says: 5 } }), 'context.says is not text'],
  ['links that are no list', call({ context: { links: 'x' } }), 'context.links is not a list'],
  ['links that are no text', call({ context: { links: [5] } }), 'context.links is not a list'],
])('refuses %s', (_, value, message) => {
  const refusal = { code: 'invalid_call', message: expect.stringContaining(message) }
  expect(() => readCall(value)).toThrow(expect.objectContaining(refusal))
})

function nested(depth: number): object {
  return depth === 0 ? {} : { a: nested(depth - 1) }
}

test('accepts arguments of 64 levels', () => {
  expect(() => readCall(call({ args: nested(63) }))).not.toThrow()
})

test.each<[string, unknown, string]>([
  ['NaN', call({ args: { a: Number.NaN } }), 'unsafe_number'],
  ['infinity', call({ args: { a: { b: [Number.POSITIVE_INFINITY] } } }), 'unsafe_number'],
  ['2^53', call({ args: { a: 2 ** 53 } }), 'unsafe_number'],
  [
    'an unsafe number of the parent',
    call({ parent: { input: { a: -(2 ** 53) } } }),
    'unsafe_number',
  ],
  ['half a surrogate pair', call({ args: { a: '\ud800' } }), 'invalid_unicode'],
  ['a date', call({ args: { a: new Date(0) } }), 'invalid_value'],
  ['undefined', call({ args: { a: undefined } }), 'invalid_value'],
  ['a function', call({ args: { a: () => 1 } }), 'invalid_value'],
  ['too many levels', call({ args: nested(66) }), 'too_deep'],
  ['too many bytes', call({ args: { a: 'x'.repeat(2 * 1_048_576) } }), 'too_large'],
  [
    'a getter that throws',
    call({
      args: Object.defineProperty({}, 'a', {
        enumerable: true,
        get() {
          throw new TypeError('no')
        },
      }),
    }),
    'invalid_value',
  ],
  ['a revoked proxy', call({ args: { a: revoked() } }), 'invalid_value'],
  ['a revoked proxy for arguments', call({ args: revoked() }), 'invalid_call'],
  ['a revoked proxy for a call', revoked(), 'invalid_call'],
  ['arguments of 65 levels', call({ args: nested(64) }), 'too_deep'],
  ['arguments of more than a megabyte', call({ args: { a: 'x'.repeat(1_048_576) } }), 'too_large'],
])('refuses what has no canonical bytes: %s', (_, value, code) => {
  expect(() => readCall(value)).toThrow(expect.objectContaining({ code }))
})

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

test.each([
  ['server', { server: 'x'.repeat(1_025) }],
  ['agent', { agent: 'x'.repeat(1_025) }],
  ['alias', { agent: { alias: 'x'.repeat(1_025) } }],
  ['key', { key: 'x'.repeat(1_025) }],
])('refuses a name that is too long: %s', (name, part) => {
  const refused = expect.objectContaining({
    code: 'invalid_call',
    message: expect.stringContaining(`${name} is too long`),
  })
  expect(() => readCall({ tool: 'pay', args: {}, ...part })).toThrow(refused)
  expect(() => readCall({ tool: 'pay', args: {}, key: 'x'.repeat(1_024) })).not.toThrow()
})
