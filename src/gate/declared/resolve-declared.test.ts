import { expect } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import { resolveDeclared } from './resolve-declared.ts'

const ASKS = { approval: true, byFunction: true }
const FREE = { approval: false, byFunction: true }

const SETTINGS: [string, unknown, object | undefined][] = [
  ['nothing', undefined, undefined],
  ['true', true, { approval: true }],
  ['false', false, { approval: false }],
  ['something else', 'sometimes', { approval: true }],
  ['of the arguments: yes', ({ n }: { n: number }) => n === 1, ASKS],
  ['of the arguments: no', ({ n }: { n: number }) => n === 2, FREE],
  ['a promise of no', async () => false, FREE],
  ['one that throws', thrower, ASKS],
  ['one that answers something else', () => 0, ASKS],
  ['one that takes a context', (_args: unknown, _context: unknown) => false, ASKS],
  ['one with a default', (_args: unknown, { user } = { user: 'none' }) => user === 'guest', ASKS],
  ['one with the rest', (...all: { user?: string }[]) => all[1]?.user === 'guest', ASKS],
  ['one that swallows what is missing', swallows, ASKS],
  ['one that only lists it', (_args: unknown, rest = {}) => Object.keys(rest).length > 9, ASKS],
]

function thrower() {
  throw new Error('oops')
}

function swallows(...all: { user?: string }[]) {
  try {
    return all[1]?.user === 'guest'
  } catch {
    return false
  }
}

promise.each(
  ['CS-SDK-13'],
  'an SDK’s own setting, for one call, without a context',
  SETTINGS,
  async (_title, setting, expected) => {
    expect(await resolveDeclared(setting, { args: { n: 1 } })).toEqual(expected)
  },
)

promise(
  ['CS-SDK-13'],
  'with its real context a function answers; silence and failure ask',
  async () => {
    const needs = (_args: unknown, { user }: { user: string }) => user === 'guest'
    const asked = (user: string) =>
      resolveDeclared(needs, { args: {}, ask: () => needs({}, { user }) })
    expect(await asked('guest')).toEqual(ASKS)
    expect(await asked('admin')).toEqual(FREE)
    const never = () => new Promise(() => undefined)
    expect(await resolveDeclared(never, { args: {}, ask: never })).toEqual(ASKS)
    expect(await resolveDeclared(needs, { args: {}, ask: thrower })).toEqual(ASKS)
  },
)

promise(['CS-SDK-13'], 'a no can mean that code says nothing', async () => {
  const silent = { args: {}, otherwise: 'files' } as const
  expect(await resolveDeclared(false, silent)).toBeUndefined()
  expect(await resolveDeclared(() => false, silent)).toEqual({ byFunction: true })
  expect(await resolveDeclared(() => true, silent)).toEqual(ASKS)
})
