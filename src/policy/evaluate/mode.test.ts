import { afterEach, expect, test, vi } from 'vitest'
import { allowAll, annotated, custom, DENIED_BY_MODE, denyAll } from './mode.ts'

afterEach(() => vi.unstubAllEnvs())

test('each mode says what it is', () => {
  const decide = () => true
  expect([annotated(), denyAll(), allowAll(), custom(decide)]).toEqual([
    { kind: 'annotated' },
    { kind: 'denyAll' },
    { kind: 'allowAll' },
    { kind: 'custom', decide },
  ])
})

test.each(['development', 'test', '', 'Production'])(
  'allowAll is there when NODE_ENV is %j',
  (env) => {
    vi.stubEnv('NODE_ENV', env)
    expect(allowAll()).toEqual({ kind: 'allowAll' })
  },
)

test('allowAll refuses production, and says what to do instead', () => {
  vi.stubEnv('NODE_ENV', 'production')
  const refusal = { code: 'mode_refused', hint: expect.stringContaining('annotated()') }
  expect(allowAll).toThrow(expect.objectContaining(refusal))
})

test('allowAll works where there is no process', () => {
  vi.stubGlobal('process', undefined)
  try {
    expect(allowAll()).toEqual({ kind: 'allowAll' })
  } finally {
    vi.unstubAllGlobals()
  }
})

test.each([undefined, null, true, 'approve', {}])('custom refuses %j', (decide) => {
  const refusal = expect.objectContaining({ code: 'mode_refused' })
  expect(() => custom(decide as unknown as () => boolean)).toThrow(refusal)
})

test('the words for the model are fixed', () => {
  expect(JSON.stringify(DENIED_BY_MODE)).toBe(
    '{"status":"cancelled","message":"Tool execution denied by policy"}',
  )
})
