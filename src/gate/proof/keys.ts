import { calculateJwkThumbprint } from 'jose/jwk/thumbprint'
import { CompactSign } from 'jose/jws/compact/sign'
import { compactVerify } from 'jose/jws/compact/verify'
import { exportJWK } from 'jose/key/export'
import { generateKeyPair } from 'jose/key/generate/keypair'
import { importJWK } from 'jose/key/import'
import { CountersignError } from '../../base/errors.ts'
import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import { parseStrict } from '../../base/json/strict-json.ts'
import type { Store } from '../../store/store.ts'
import type { KeyFolder } from '../../store/vault.ts'
import { revokedKeys } from './revocations.ts'

/** A public Ed25519 key as a JSON Web Key. `kid` is its thumbprint, so a name has one key. */
export interface PublicKey {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
  readonly kid: string
  readonly alg: 'EdDSA'
  readonly use: 'sig'
}

/** Signs in the name of this installation. The private key stays inside. */
export interface Signer {
  /** The one that signs now: another one after it was revoked. */
  readonly key: PublicKey
  /** Who signs: names the database the signer works for. */
  readonly issuer: string
  sign(type: SignedType, payload: JsonObject): Promise<string>
}

/** What a signature is about. Part of what is signed: one kind never passes for another. */
export type SignedType =
  | 'countersignature+jwt'
  | 'countersign-checkpoint+jwt'
  | 'countersign-report+jwt'

const ALG = 'EdDSA'

/** A private key that lives elsewhere, such as in a KMS: it is asked for signatures. */
export interface ExternalKey {
  /** Its public half, as a JSON Web Key. */
  readonly jwk: unknown
  /** An Ed25519 signature over these bytes: 64 bytes. */
  sign(bytes: Uint8Array): Promise<Uint8Array>
}

export interface SignerOptions {
  readonly store: Pick<Store, 'vault' | 'records'>
  /** Where private keys are kept: a folder of this machine, or what signs in place of it. */
  readonly keys: KeyFolder | ExternalKey
  /** Makes a new key although there is one. The old one goes on verifying. */
  readonly rotate?: boolean
}

type UsedKey = Pick<Signer, 'key' | 'sign'>

/**
 * The newest key kept here that was not revoked, or a new one on the first start; published in the
 * store. A signer whose key is revoked while it is open goes on with another.
 */
export async function openSigner({ store, keys, rotate = false }: SignerOptions): Promise<Signer> {
  async function open(makes: boolean): Promise<UsedKey> {
    const revoked = await revokedKeys(store)
    const used =
      'sign' in keys
        ? await externalKey(keys, revoked)
        : await folderKey(keys, { revoked, rotate: makes })
    const { kid } = used.key
    await store.vault.publish({ kid, jwk: JSON.stringify(used.key) })
    return used
  }
  let used = await open(rotate)
  let opening: Promise<void> | undefined
  async function replace(): Promise<void> {
    used = await open(false)
    opening = undefined
  }
  return {
    get key() {
      return used.key
    },
    issuer: issuerOf(store),
    async sign(type, payload) {
      // After what is signed was read: so no checkpoint of a revoked key covers its revocation.
      if ((await revokedKeys(store)).has(used.key.kid)) {
        opening ??= replace().finally(() => {
          opening = undefined
        })
        await opening
      }
      return used.sign(type, payload)
    },
  }
}

/** Makes a key where there is none yet. It signs nothing by that. */
export async function ensureKey(keys: KeyFolder): Promise<void> {
  if ((await keys.list()).length === 0) await makeKey(keys, undefined)
}

type Revoked = ReadonlyMap<string, number>

async function folderKey(
  keys: KeyFolder,
  { revoked, rotate }: { readonly revoked: Revoked; readonly rotate: boolean },
): Promise<UsedKey> {
  const kept = (await keys.list()).map(readPrivate)
  const sorted = kept.sort((a, b) => a.iat - b.iat || (a.d < b.d ? -1 : 1))
  const newest = sorted.at(-1)
  const names = await Promise.all(sorted.map(async ({ x }) => (await publicKey(x)).kid))
  const good = sorted.findLast((_, index) => !revoked.has(names[index] ?? ''))
  const used = good === undefined || rotate ? await makeKey(keys, newest) : good
  const key = await publicKey(used.x)
  return { key, sign: await signWith(used, key) }
}

/** What comes back is checked: a signature that is none would be found by an auditor, years later. */
async function externalKey(external: ExternalKey, revoked?: Revoked): Promise<UsedKey> {
  const key = await readPublicKey(external.jwk)
  if (key === undefined) {
    throw new CountersignError('key_unusable', 'the key that signs elsewhere is no Ed25519 key', {
      hint: 'Name its public half: { "kty": "OKP", "crv": "Ed25519", "x": "…" }.',
    })
  }
  const { kid } = key
  if (revoked?.has(kid)) {
    throw new CountersignError('key_unusable', `the key ${kid} was revoked`, {
      hint: 'Name another key that signs elsewhere, and start again.',
    })
  }
  return {
    key,
    async sign(typ, payload) {
      const parts = [{ alg: ALG, typ, kid }, payload].map((part) =>
        encoded(utf8(JSON.stringify(part))),
      )
      const signed = parts.join('.')
      const signature = await external.sign(utf8(signed))
      const text = `${signed}.${encoded(signature)}`
      if ((await openSigned(text, typ, [key])).ok) return text
      throw new CountersignError('key_unusable', `what signs elsewhere does not sign with ${kid}`, {
        hint: 'Check that the command signs with the private half of this key, by Ed25519.',
      })
    },
  }
}

const utf8 = (text: string) => new TextEncoder().encode(text)

function encoded(bytes: Uint8Array): string {
  return toBase64(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

async function signWith({ x, d }: PrivateKey, { kid }: PublicKey): Promise<Signer['sign']> {
  const secret = await importJWK({ kty: 'OKP', crv: 'Ed25519', x, d }, ALG)
  return (typ, payload) =>
    new CompactSign(utf8(JSON.stringify(payload)))
      .setProtectedHeader({ alg: ALG, typ, kid })
      .sign(secret)
}

/**
 * The newest key kept here that is among `published`, without making or publishing one: for what
 * only reads. Undefined where there is none.
 */
export async function privateSigner(
  keys: KeyFolder | ExternalKey,
  published: readonly PublicKey[],
): Promise<UsedKey | undefined> {
  if ('sign' in keys) {
    const used = await externalKey(keys)
    return published.some(({ kid }) => kid === used.key.kid) ? used : undefined
  }
  const kept = (await keys.list()).map(readPrivate).sort((a, b) => b.iat - a.iat)
  for (const one of kept) {
    const key = await publicKey(one.x)
    if (published.some(({ kid }) => kid === key.kid)) {
      return { key, sign: await signWith(one, key) }
    }
  }
  return undefined
}

export function issuerOf({ vault }: Pick<Store, 'vault'>): string {
  return `urn:countersign:${vault.database}`
}

/** The public keys of a store whose signatures count: for `/.well-known/jwks.json` and for gates. */
export async function publishedKeys(store: Pick<Store, 'vault' | 'records'>): Promise<PublicKey[]> {
  const [revoked, published] = await Promise.all([revokedKeys(store), store.vault.keys()])
  const found = await Promise.all(published.map(({ jwk }) => readPublicKey(jwk)))
  return found.filter((key) => key !== undefined && !revoked.has(key.kid)) as PublicKey[]
}

interface PrivateKey {
  readonly x: string
  readonly d: string
  /** When it was made, in milliseconds. */
  readonly iat: number
}

async function makeKey(keys: KeyFolder, last: PrivateKey | undefined): Promise<PrivateKey> {
  const { privateKey } = await generateKeyPair(ALG, { crv: 'Ed25519', extractable: true })
  const { x, d } = await exportJWK(privateKey)
  if (x === undefined || d === undefined) {
    throw new CountersignError('key_unusable', 'this platform gives no Ed25519 key')
  }
  // Later than the one before even if the clock went back: the newest is the one that signs.
  const made = { x, d, iat: Math.max(Date.now(), (last?.iat ?? 0) + 1) }
  const { kid } = await publicKey(x)
  const text = JSON.stringify({ kty: 'OKP', crv: 'Ed25519', kid, ...made })
  await keys.add(kid, `${text}\n`)
  return made
}

function readPrivate(text: string): PrivateKey {
  const read = parsed(text)
  if (isPlainObject(read) && read.kty === 'OKP' && read.crv === 'Ed25519') {
    const { x, d, iat } = read
    if (isKeyText(x) && isKeyText(d) && typeof iat === 'number') return { x, d, iat }
  }
  throw new CountersignError('key_unusable', 'a private key of this installation is damaged', {
    hint: 'Move its file away: a new key is made at the next start, and the old ones verify on.',
  })
}

/** A key from outside, as an object or as text. Undefined for anything but Ed25519. */
export async function readPublicKey(value: unknown): Promise<PublicKey | undefined> {
  const read = typeof value === 'string' ? parsed(value) : value
  if (!isPlainObject(read) || read.kty !== 'OKP' || read.crv !== 'Ed25519') return undefined
  return isKeyText(read.x) ? publicKey(read.x) : undefined
}

/** A JSON Web Key Set, or a list of keys. Keys of other kinds in it are left out. */
export async function readKeySet(value: unknown): Promise<PublicKey[]> {
  const list = isPlainObject(value) ? (value.keys ?? [value]) : value
  if (!Array.isArray(list)) return []
  const keys = await Promise.all(list.map(readPublicKey))
  return keys.filter((key) => key !== undefined)
}

/** 32 bytes in base64url. */
function isKeyText(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{43}$/.test(value)
}

async function publicKey(x: string): Promise<PublicKey> {
  const kid = await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x }, 'sha256')
  return { kty: 'OKP', crv: 'Ed25519', x, kid, alg: ALG, use: 'sig' }
}

/** Why a signed text counts for nothing. */
export type SignatureProblem =
  | 'malformed'
  | 'wrong_type'
  | 'wrong_algorithm'
  | 'unknown_key'
  | 'bad_signature'

export type Opened =
  | { readonly ok: true; readonly kid: string; readonly payload: JsonObject }
  | { readonly ok: false; readonly problem: SignatureProblem }

/**
 * What a compact JWS says, if one of these keys signed it. The algorithm is ours, never the one
 * the text asks for; a header with anything but type, algorithm and key is not one we wrote.
 */
export async function openSigned(
  text: unknown,
  type: SignedType,
  keys: readonly PublicKey[],
): Promise<Opened> {
  const header = headerOf(text)
  if (typeof text !== 'string' || header === undefined) return problem('malformed')
  const { alg, typ, kid } = header
  if (alg !== ALG) return problem('wrong_algorithm')
  if (typ !== type) return problem('wrong_type')
  if (Object.keys(header).length !== 3) return problem('malformed')
  const key = keys.find((one) => one.kid === kid)
  if (key === undefined) return problem('unknown_key')
  const bytes = await verifiedBytes(text, key)
  if (bytes === undefined) return problem('bad_signature')
  const payload = parsed(bytes)
  if (!isPlainObject(payload)) return problem('malformed')
  return { ok: true, kid: key.kid, payload: payload as JsonObject }
}

function problem(code: SignatureProblem): Opened {
  return { ok: false, problem: code }
}

async function verifiedBytes(text: string, key: PublicKey): Promise<Uint8Array | undefined> {
  try {
    const { kty, crv, x } = key
    const imported = await importJWK({ kty, crv, x }, ALG)
    return (await compactVerify(text, imported, { algorithms: [ALG] })).payload
  } catch {
    return undefined
  }
}

function headerOf(text: unknown): { readonly [name: string]: unknown } | undefined {
  if (typeof text !== 'string') return undefined
  const [, header = '', signature = ''] = /^([\w-]+)\.[\w-]+\.([\w-]*)$/.exec(text) ?? []
  try {
    // The last bits of its last character are not part of a signature: it has one spelling only.
    if (toBase64(fromBase64(signature)) !== signature) return undefined
    const read = parsed(fromBase64(header))
    return isPlainObject(read) ? read : undefined
  } catch {
    return undefined
  }
}

/** Base64url, of text whose characters are bytes. */
function toBase64(bytes: string): string {
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function fromBase64(text: string): string {
  return atob(text.replaceAll('-', '+').replaceAll('_', '/'))
}

function parsed(source: string | Uint8Array): unknown {
  try {
    return parseStrict(source)
  } catch {
    return undefined
  }
}
