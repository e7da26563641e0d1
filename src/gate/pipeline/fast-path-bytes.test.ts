import fc from 'fast-check'
import { expect, test } from 'vitest'
import { policyOf } from '../../../test/support/policy.ts'
import { deepFreeze, type Json, type JsonObject } from '../../base/json/json.ts'
import { ANNOTATED } from '../../policy/evaluate/mode.ts'
import { memoryStore } from '../../store/memory/index.ts'
import type { CallerIdentity } from '../identity.ts'
import { createContext } from '../options.ts'
import { jsonSchema } from '../schema/json-schema.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import { createAllowedBytes } from './fast-path-bytes.ts'
import { judgeCall } from './judge.ts'

const policy = policyOf(`
  limits: { args_bytes: 200, args_depth: 4 }
  mcp_servers:
    - { alias: files, command: npx, approval: { condition: { args_match: { mode: wipe } } } }
    - { alias: bank, command: npx, approval: true }
    - { alias: free, command: npx, approval: false }
`)

const STANDING: CallerIdentity = {
  door: 'mcp',
  agent: { alias: 'a' },
  principal: { subject: 'uma' },
  requester: undefined,
  run: 'r',
  mode: ANNOTATED,
}

const SCHEMAS: readonly Json[] = [
  {},
  { type: 'object', properties: { mode: { type: 'string', default: 'wipe' } } },
  { type: 'object', properties: { n: { type: 'number', default: 1 }, b: { type: 'string' } } },
  { type: 'object', required: ['b'], additionalProperties: false, properties: { b: {} } },
]

const leaf = fc.oneof(
  fc.constantFrom<Json>(0, 1, -0, 0.5, 1e21, 2 ** 53, 'wipe', 'keep', 'ü', '\ud800', true, null),
  fc.string(),
)
const key = fc.constantFrom('b', 'a', 'mode', 'n', '10', '9', '__proto__', 'ü', 'z'.repeat(90))
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 6 },
    leaf,
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }) as fc.Arbitrary<Json>,
  ),
}))
const args = fc
  .tuple(fc.dictionary(key, value, { maxKeys: 4 }), fc.constantFrom({}, { mode: 'keep' }))
  .map((parts) => Object.assign({}, ...parts) as JsonObject)

async function cores(telemetry?: Telemetry) {
  const store = memoryStore()
  const core = createContext({
    policy,
    store,
    validate: jsonSchema(),
    ...(telemetry && { telemetry }),
  })
  await core.locks.current()
  return { core, bytes: createAllowedBytes(core, STANDING) }
}

test('bytes of the fast path are those of the full pipeline', async () => {
  const { core, bytes } = await cores()
  let sent = 0
  await fc.assert(
    fc.asyncProperty(
      args,
      fc.constantFrom(...SCHEMAS),
      fc.boolean(),
      fc.constantFrom('free', 'files', 'files', 'bank', 'unknown'),
      async (given, inputSchema, isFrozen, server) => {
        const definition = isFrozen
          ? deepFreeze(structuredClone({ inputSchema }))
          : structuredClone({ inputSchema })
        // Read from JSON, as the caller of this has done.
        const read = () => JSON.parse(JSON.stringify(given)) as JsonObject
        const before = { tool: 'list', server, args: read() }
        const found = bytes(before, definition)
        expect(before.args, 'nothing is written into what was given').toEqual(read())
        if (found === undefined) return
        sent += 1
        const call = { tool: 'list', server, args: read() }
        const judged = await judgeCall(core, STANDING, { call, key: undefined, definition })
        expect(judged).toMatchObject({ verdict: { verdict: 'allow' } })
        expect(found.text).toBe('bytes' in judged && judged.bytes.text)
        expect(JSON.parse(found.text)).toEqual(found.args)
      },
    ),
    { numRuns: 3_000 },
  )
  expect(sent).toBeGreaterThan(100)
})

test('a schema that cannot be used lets nothing through', async () => {
  const { bytes } = await cores()
  const call = { tool: 'list', server: 'files', args: { mode: 'keep' } }
  expect(bytes(call, { inputSchema: { type: 'bogus' } })).toBeUndefined()
})

test('a listener gets calls through the full pipeline', async () => {
  const { core, bytes } = await cores()
  const call = { tool: 'list', server: 'files', args: { mode: 'keep' } }
  expect(bytes(call, {})).toEqual({ args: { mode: 'keep' }, text: '{"mode":"keep"}' })
  const quiet = core.listeners.on('finished', () => {})
  expect(bytes(call, {})).toBeUndefined()
  quiet()
  core.listeners.on('evaluated', () => {})
  expect(bytes(call, {})).toBeUndefined()
})

test('tracing gets calls through the full pipeline, and only while it is on', async () => {
  const span: Telemetry['span'] = () => Promise.reject(new Error('never'))
  let isHeard = true
  const telemetry = {
    span,
    get isHeard() {
      return isHeard
    },
  }
  const { bytes } = await cores(telemetry)
  const call = { tool: 'list', server: 'free', args: {} }
  expect(bytes(call, {})).toBeUndefined()
  isHeard = false
  expect(bytes(call, {})?.text).toBe('{}')
  expect((await cores({ span })).bytes(call, {}), 'one that does not say').toBeUndefined()
})

test('a schema that changes is read again, unless it can never change', () => {
  const validate = jsonSchema()
  const schema = { type: 'object', properties: { n: { type: 'number' } } }
  expect(validate.fill?.(schema, { n: 1 })).toEqual({ n: 1 })
  schema.properties.n.type = 'string'
  expect(validate.fill?.(schema, { n: 1 })).toBeUndefined()
  // Frozen on the outside alone is not frozen.
  Object.freeze(schema)
  expect(validate.fill?.(schema, { n: 'x' })).toEqual({ n: 'x' })
  schema.properties.n.type = 'number'
  expect(validate.fill?.(schema, { n: 'x' })).toBeUndefined()
})
