import type { Hmac } from 'node:crypto'
import type { Approval } from '../../src/approval/approval.ts'
import { mintCountersignature, newJti } from '../../src/gate/proof/countersignature.ts'
import { verifyCountersignature } from '../../src/gate/proof/countersignature-verify.ts'
import { openSigner, publishedKeys } from '../../src/gate/proof/keys.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { approverNamed, asking, claiming, deciding } from '../../src/testing/commands.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'

const AUDIENCE = 'https://inner.example'
const PRINCIPAL = { issuer: 'https://id.example', subject: 'uma' }

/** The call that is countersigned, as the next gate sees it. */
export const CALL = { server: 'bank', tool: 'pay', args: { amount: 50 }, principal: PRINCIPAL }

type Call = {
  readonly server?: string
  readonly tool: string
  readonly args: object
  readonly principal?: { readonly issuer?: string; readonly subject: string }
  readonly kind?: 'tool' | 'agent' | 'skill'
}

interface Given {
  readonly token: string
  readonly keys: Awaited<ReturnType<typeof publishedKeys>>
  readonly call: Call
  readonly audience: string
  readonly now: number
}

/** A call that people approved, and the proof of it. */
export async function countersigned() {
  const clock = fakeClock()
  const store = memoryStore({ clock: clock.now })
  const signer = await openSigner({ store, keys: memoryKeys() })
  const principal = { ...PRINCIPAL, email: 'uma@example.com' }
  const request = asking({ call: { server: 'bank', principal } })
  const { approval } = await store.apply(request.id, request)
  await store.apply(approval.id, deciding(approval, approverNamed('ana')))
  const approved = (await store.get(approval.id)) as Approval
  const claimed = (await store.apply(approval.id, claiming(approved))).approval
  const hop = { audience: AUDIENCE }
  const minting = { signer, approval: claimed, jti: newJti(), text: '{"amount":50}', hop }
  const token = await mintCountersignature(minting)
  return {
    token,
    keys: await publishedKeys(store),
    audience: AUDIENCE,
    now: clock.now(),
    sign: (claims: object) => signer.sign('countersignature+jwt', claims as never),
    async verify({ token: one, ...options }: Given): Promise<boolean> {
      return (await verifyCountersignature(one, options as never)).ok
    },
  }
}

type Countersigned = Awaited<ReturnType<typeof countersigned>>
type Variant = Partial<Given> & { readonly token: string }

const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The same claims under another header, with a signature of the given function. */
export function signedBy(
  token: string,
  [key]: Given['keys'],
  sign: (text: string, key: Buffer) => Hmac,
): string {
  const [header = '', payload = ''] = token.split('.')
  const old = JSON.parse(Buffer.from(header, 'base64url').toString())
  const text = `${encoded({ ...old, alg: 'HS256' })}.${payload}`
  return `${text}.${sign(text, Buffer.from(key?.x ?? '', 'base64url')).digest('base64url')}`
}

function forCall(name: string, change: Partial<Call>) {
  const vary = async ({ token }: Countersigned): Promise<Variant> => ({
    token,
    call: { ...CALL, ...change },
  })
  return [name, vary] as const
}

function withClaims(name: string, change: (claims: Record<string, unknown>) => object) {
  const vary = async ({ token, sign }: Countersigned): Promise<Variant> => ({
    token: await sign(change(claimsOf(token))),
  })
  return [name, vary] as const
}

function later(name: string, ms: number) {
  const vary = async ({ token, now }: Countersigned): Promise<Variant> => ({
    token,
    now: Math.floor(now / 1_000) * 1_000 + ms,
  })
  return [name, vary] as const
}

/** Two of these count: the clocks of two machines may be half a minute apart. */
export const VARIANTS = [
  forCall('another server', { server: 'shop' }),
  forCall('another tool', { tool: 'pay2' }),
  forCall('another kind', { kind: 'skill' }),
  forCall('another argument', { args: { amount: 51 } }),
  forCall('an argument more', { args: { amount: 50, to: 'me' } }),
  forCall('another acting user', { principal: { ...PRINCIPAL, subject: 'eve' } }),
  forCall('an acting user of another issuer', { principal: { subject: 'uma' } }),
  withClaims('longer than it may live', (claims) => ({ ...claims, exp: Number(claims.iat) + 301 })),
  withClaims('no life', (claims) => ({ ...claims, exp: claims.iat })),
  withClaims('several audiences', (claims) => ({ ...claims, aud: [AUDIENCE] })),
  withClaims('a claim more', (claims) => ({ ...claims, more: true })),
  withClaims('another level', (claims) => ({ ...claims, level: 'allow' })),
  withClaims('a claim less', ({ met: _, ...claims }) => claims),
  later('a second before its end', 299_000),
  later('with clocks apart', 329_000),
  later('half a minute after its end', 330_000),
  later('more than half a minute after its end', 331_000),
  later('before it was made', -31_000),
  ['nonsense', async () => ({ token: 'yes' })],
  ['four parts', async ({ token }: Countersigned) => ({ token: `${token}.x` })],
  ['no keys', async ({ token }: Countersigned) => ({ token, keys: [] })],
  ['for another gate', async ({ token }: Countersigned) => ({ token, audience: 'https://x' })],
] as const satisfies readonly (readonly [string, (of: Countersigned) => Promise<Variant>])[]
