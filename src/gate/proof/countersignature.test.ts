import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import type { Approval } from '../../approval/approval.ts'
import type { Requirement, Terms } from '../../approval/people/requirement.ts'
import { memoryKeys } from '../../store/audit/key-folder.ts'
import { memoryStore } from '../../store/memory/index.ts'
import { approverNamed, asking, claiming, deciding } from '../../testing/commands.ts'
import { fakeClock } from '../../testing/fake-clock.ts'
import { type Hop, mintCountersignature, newJti, requirementDigest } from './countersignature.ts'
import {
  audienceOf,
  checkCountersignature,
  spendCountersignature,
  uncovered,
} from './countersignature-check.ts'
import { type CountersignedCall, verifyCountersignature } from './countersignature-verify.ts'
import { openSigner, publishedKeys } from './keys.ts'

const ARGS = { amount: 50 }
const AUDIENCE = 'https://inner.example'
const PRINCIPAL = { issuer: 'https://id.example', subject: 'uma' }

async function setUp() {
  const clock = fakeClock()
  const store = memoryStore({ clock: clock.now })
  const folder = memoryKeys()
  const signer = await openSigner({ store, keys: folder })
  const request = asking({
    call: { server: 'bank', principal: { ...PRINCIPAL, email: 'uma@example.com' } },
  })
  const { approval } = await store.apply(request.id, request)
  await store.apply(approval.id, deciding(approval, approverNamed('ana')))
  const approved = (await store.get(approval.id)) as Approval
  const claimed = (await store.apply(approval.id, claiming(approved))).approval
  const mint = (hop: Partial<Hop> = {}, jti = newJti()) =>
    mintCountersignature({
      signer,
      approval: claimed,
      jti,
      text: '{"amount":50}',
      hop: { audience: AUDIENCE, ...hop },
    })
  const keys = await publishedKeys(store)
  return { clock, store, folder, signer, approved, claimed, mint, keys }
}

const CALL: CountersignedCall = { server: 'bank', tool: 'pay', args: ARGS, principal: PRINCIPAL }

function parts(token: string): [string, string, string] {
  return token.split('.') as [string, string, string]
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decoded(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}

promise(
  ['CS-PROOF-1', 'CS-PROOF-5'],
  'a countersignature speaks for the call that was approved',
  async () => {
    const { mint, keys, clock, claimed, signer } = await setUp()
    const now = clock.now()
    const verified = await verifyCountersignature(await mint(), {
      keys,
      call: CALL,
      audience: AUDIENCE,
      now,
    })
    expect(verified).toMatchObject({
      ok: true,
      kid: signer.key.kid,
      claims: { approval: claimed.id, level: 'review', server: 'bank', tool: 'pay' },
    })
  },
)

promise.each(
  ['CS-PROOF-1'],
  'for another call it counts as absent',
  [
    ['another server', { server: 'shop' }, 'other_server'],
    ['no server', { server: undefined }, 'other_server'],
    ['another tool', { tool: 'pay2' }, 'other_tool'],
    ['another kind', { kind: 'skill' }, 'other_tool'],
    ['another argument', { args: { amount: 51 } }, 'other_arguments'],
    ['an argument more', { args: { amount: 50, to: 'me' } }, 'other_arguments'],
    ['arguments that are none', { args: { amount: Number.NaN } }, 'other_arguments'],
    ['another acting user', { principal: { ...PRINCIPAL, subject: 'eve' } }, 'other_principal'],
    ['an acting user of another issuer', { principal: { subject: 'uma' } }, 'other_principal'],
    ['no person', { principal: undefined }, 'other_principal'],
  ] as readonly [string, Partial<CountersignedCall>, string][],
  async (_, change, problem) => {
    const { mint, keys, clock } = await setUp()
    const call = { ...CALL, ...change }
    const options = { keys, call, audience: AUDIENCE, now: clock.now() }
    expect(await verifyCountersignature(await mint(), options)).toEqual({ ok: false, problem })
  },
)

promise.each(
  ['CS-PROOF-3'],
  'time',
  [
    ['a second before its end', 299_000, undefined],
    ['just after, with clocks apart', 329_000, undefined],
    ['half a minute after its end', 331_000, 'expired'],
    ['before it was made', -31_000, 'not_yet_valid'],
    ['when the time is unknown', Number.NaN, 'expired'],
  ] as readonly [string, number, string | undefined][],
  async (_, later, problem) => {
    const { mint, keys, clock } = await setUp()
    const now = Math.floor(clock.now() / 1_000) * 1_000 + later
    const verified = await verifyCountersignature(await mint(), {
      keys,
      call: CALL,
      audience: AUDIENCE,
      now,
    })
    expect(verified.ok ? undefined : verified.problem).toBe(problem)
  },
)

const FORGERIES: readonly [string, (token: string, x: string) => unknown, string][] = [
  ['nothing', () => undefined, 'malformed'],
  ['an object', () => ({}), 'malformed'],
  ['no token', () => 'yes', 'malformed'],
  ['four parts', (token) => `${token}.x`, 'malformed'],
  ['a megabyte', (token) => token + 'A'.repeat(1_048_576), 'malformed'],
  [
    'alg none',
    (token) => `${encoded({ ...decoded(parts(token)[0]), alg: 'none' })}.${parts(token)[1]}.`,
    'wrong_algorithm',
  ],
  [
    'HS256 with the public key as the secret',
    (token, x) => {
      const [header, payload] = parts(token)
      const signed = `${encoded({ ...decoded(header), alg: 'HS256' })}.${payload}`
      const secret = Buffer.from(x, 'base64url')
      return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
    },
    'wrong_algorithm',
  ],
  [
    'a key of its own in the header',
    (token, x) => {
      const [header, payload, signature] = parts(token)
      const jwk = { kty: 'OKP', crv: 'Ed25519', x }
      return `${encoded({ ...decoded(header), jwk })}.${payload}.${signature}`
    },
    'malformed',
  ],
  [
    'another type',
    (token) => {
      const [header, payload, signature] = parts(token)
      const typ = 'countersign-checkpoint+jwt'
      return `${encoded({ ...decoded(header), typ })}.${payload}.${signature}`
    },
    'wrong_type',
  ],
  [
    'a longer life',
    (token) => {
      const [header, payload, signature] = parts(token)
      const claims = decoded(payload)
      return `${header}.${encoded({ ...claims, exp: Number(claims.exp) + 60 })}.${signature}`
    },
    'bad_signature',
  ],
  ['no signature', (token) => parts(token).slice(0, 2).concat('').join('.'), 'bad_signature'],
]

promise.each(['CS-PROOF-4'], 'a forgery counts as absent', FORGERIES, async (_, forge, problem) => {
  const { mint, keys, clock, signer } = await setUp()
  const token = forge(await mint(), signer.key.x)
  const options = { keys, call: CALL, audience: AUDIENCE, now: clock.now() }
  expect(await verifyCountersignature(token, options)).toEqual({ ok: false, problem })
})

promise(['CS-PROOF-4'], 'a signature by a key that was not named counts as absent', async () => {
  const { mint, clock } = await setUp()
  const { keys } = await setUp()
  const options = { call: CALL, audience: AUDIENCE, now: clock.now() }
  const token = await mint()
  const unknown = { ok: false, problem: 'unknown_key' }
  expect(await verifyCountersignature(token, { ...options, keys })).toEqual(unknown)
  expect(await verifyCountersignature(token, { ...options, keys: [] })).toEqual(unknown)
  // A key that only claims the name of the right one is still another key.
  const renamed = keys.map((key) => ({ ...key, kid: decoded(parts(token)[0]).kid }))
  expect(await verifyCountersignature(token, { ...options, keys: renamed })).toEqual(unknown)
})

test('every bit of a token counts', async () => {
  const { mint, keys, clock } = await setUp()
  const token = await mint()
  const options = { keys, call: CALL, audience: AUDIENCE, now: clock.now() }
  for (let at = 0; at < token.length; at += 1) {
    const code = token.charCodeAt(at) ^ 1
    const changed = token.slice(0, at) + String.fromCharCode(code) + token.slice(at + 1)
    expect((await verifyCountersignature(changed, options)).ok, `character ${at}`).toBe(false)
  }
})

promise(['CS-PROOF-1'], 'what the signer itself would never write counts as absent', async () => {
  const { mint, keys, clock, signer } = await setUp()
  const claims = decoded(parts(await mint())[1])
  const options = { keys, call: CALL, audience: AUDIENCE, now: clock.now() }
  const verify = async (payload: object) => {
    const token = await signer.sign('countersignature+jwt', payload as never)
    const verified = await verifyCountersignature(token, options)
    return verified.ok ? 'ok' : verified.problem
  }
  expect(await verify(claims)).toBe('ok')
  expect(await verify({ ...claims, exp: Number(claims.iat) + 301 })).toBe('too_long_lived')
  expect(await verify({ ...claims, exp: claims.iat })).toBe('too_long_lived')
  expect(await verify({ ...claims, aud: [AUDIENCE] })).toBe('malformed')
  expect(await verify({ ...claims, more: true })).toBe('malformed')
  expect(await verify({ ...claims, level: 'allow' })).toBe('malformed')
  expect(await verify({ ...claims, level: 'approve' })).toBe('malformed')
  for (const name of Object.keys(claims)) {
    const { [name]: _, ...rest } = claims
    expect(await verify(rest), name).toBe('malformed')
  }
})

promise(['CS-PROOF-1'], 'a countersignature for one hop is for that hop alone', async () => {
  const { mint, keys, clock } = await setUp()
  const now = clock.now()
  const token = await mint({ audience: 'https://other.example' })
  const options = { keys, call: CALL, audience: AUDIENCE, now }
  const absent = { ok: false, problem: 'other_audience' }
  expect(await verifyCountersignature(token, options)).toEqual(absent)
  const renamed = await mint({ server: undefined, tool: 'bank_pay', args: { amount: 50, v: 1 } })
  const inner = { tool: 'bank_pay', args: { v: 1, amount: 50 }, principal: PRINCIPAL }
  const verified = await verifyCountersignature(renamed, { ...options, call: inner })
  expect(verified.ok).toBe(true)
})

promise(['CS-PROOF-2'], 'a countersignature is used up by its first use', async () => {
  const { store, mint } = await setUp()
  const audience = audienceOf(store)
  const checked = await checkCountersignature(await mint({ audience }), {
    store,
    audience,
    call: CALL,
  })
  if (!checked.ok) throw new Error(checked.problem)
  const tries = await Promise.all(
    Array.from({ length: 8 }, () => spendCountersignature(store, checked.claims)),
  )
  expect(tries.filter(Boolean)).toHaveLength(1)
})

test('only a call that is claimed is countersigned', async () => {
  const { signer, approved, store, claimed } = await setUp()
  const minting = { signer, jti: newJti(), text: '{}', hop: { audience: AUDIENCE } }
  const refused = expect.objectContaining({ code: 'not_running' })
  await expect(mintCountersignature({ ...minting, approval: approved })).rejects.toEqual(refused)
  const { approval } = await store.apply(claimed.id, {
    type: 'finish',
    commandId: 'c',
    claim: claimed.execution?.claim ?? '',
    outcome: 'succeeded',
  })
  await expect(mintCountersignature({ ...minting, approval })).rejects.toEqual(refused)
})

promise(['CS-PROOF-7'], 'after a rotation both keys verify', async () => {
  const { mint, store, folder, clock, claimed } = await setUp()
  const before = await mint()
  const signer = await openSigner({ store, keys: folder, rotate: true })
  const minting = { signer, approval: claimed, jti: newJti(), text: '{"amount":50}' }
  const after = await mintCountersignature({ ...minting, hop: { audience: AUDIENCE } })
  const keys = await publishedKeys(store)
  const options = { keys, call: CALL, audience: AUDIENCE, now: clock.now() }
  expect((await verifyCountersignature(before, options)).ok).toBe(true)
  expect((await verifyCountersignature(after, options)).ok).toBe(true)
  expect((await openSigner({ store, keys: folder })).key).toEqual(signer.key)
})

const REQUIREMENT = {
  source: 'tool',
  rule: 'tools.pay.approval',
  level: 'review',
  approvers: [{ group: 'finance' }],
  quorum: [{ group: 'finance', n: 2 }],
  escalate: [],
} as const
const ANYONE = { ...REQUIREMENT, level: 'confirm', approvers: ['*'], quorum: [] } as const
const TERMS = {
  decideBy: 1,
  useBy: 1,
  minAssurance: 'elicitation',
  reason: 'optional',
  edit: true,
  grants: true,
} as const

promise.each(
  ['CS-PROOF-6'],
  'what the inner policy asks for',
  [
    ['the same', [REQUIREMENT], {}, 0],
    ['the same, written elsewhere', [{ ...REQUIREMENT, rule: 'governance.two' }], {}, 0],
    ['the yes of anyone', [ANYONE], {}, 0],
    ['more people', [{ ...REQUIREMENT, quorum: [{ group: 'finance', n: 3 }] }], {}, 1],
    ['other people', [{ ...REQUIREMENT, approvers: [{ group: 'legal' }] }], {}, 1],
    ['the same and more', [REQUIREMENT, { ...REQUIREMENT, quorum: [] }], {}, 1],
    ['a surer answer', [REQUIREMENT], { minAssurance: 'passkey' }, 1],
    ['a reason', [REQUIREMENT], { reason: 'required_always' }, 1],
  ] as readonly [string, readonly Requirement[], Partial<Terms>, number][],
  async (_, requirements, terms, open) => {
    const met = {
      requirements: [await requirementDigest(REQUIREMENT)],
      assurance: 'signed-in',
      reasoned: false,
      grant: false,
    } as const
    const asking = { requirements, terms: { ...TERMS, ...terms } }
    expect(await uncovered({ met }, asking)).toHaveLength(open)
  },
)

promise(['CS-PROOF-6'], 'a grant does not answer where grants are forbidden', async () => {
  const met = { requirements: [], assurance: 'signed-in', reasoned: false, grant: true } as const
  const asking = (grants: boolean) => ({ requirements: [ANYONE], terms: { ...TERMS, grants } })
  expect(await uncovered({ met }, asking(true))).toHaveLength(0)
  expect(await uncovered({ met }, asking(false))).toHaveLength(1)
})
