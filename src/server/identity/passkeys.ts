import { createHash, randomUUID } from 'node:crypto'
import type * as WebAuthn from '@simplewebauthn/server'
import type { PasskeyBody, WirePasskey } from '../../api/passkeys.ts'
import type { PersonId } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import { isPlainObject, type Json } from '../../base/json/json.ts'
import { PASSKEY_RECORD } from '../../store/audit/audited-records.ts'
import type { Records, StoredRecord } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import type { Site } from './passkey-site.ts'
import { type Account, accountKey } from './people.ts'
import { hashSecret, newSecret } from './secret.ts'

/** What a passkey signs: this approval, as it was shown, and what is said of it. */
export interface Signing {
  readonly approval: string
  /** Hash of the whole decision: verdict, what was shown, edit, reason, payload and grant. */
  readonly decision: string
}

/** Keys that people hold and that sign single decisions. The server knows their public halves. */
export interface Passkeys {
  list(person: PersonId): Promise<readonly WirePasskey[]>
  /** What the browser is asked to make. */
  beginAdding(account: Account, site: Site): Promise<unknown>
  finishAdding(account: Account, site: Site, made: PasskeyBody): Promise<WirePasskey>
  /** False when it was not there. */
  remove(person: PersonId, id: string): Promise<boolean>
  /** What the browser is asked to sign. Throws `passkey_missing` when there is nothing to sign with. */
  beginSigning(person: PersonId, site: Site, what: Signing): Promise<unknown>
  /** Uses the question up, whatever comes of it. Throws `passkey_refused`. */
  finishSigning(person: PersonId, site: Site, what: Signing, response: Json): Promise<void>
}

interface Stored {
  readonly credential: string
  readonly publicKey: string
  /** When it was added; `Use` has the newest. */
  readonly counter: number
  readonly transports: readonly string[]
  readonly site: string
  readonly name: string
  readonly createdAt: number
}

/** Beside the passkey, which changes by amendments alone so that the audit can vouch for it. */
interface Use {
  readonly counter: number
  readonly at: number
}

/** The kind of record that says when a passkey was last used. */
export const PASSKEY_USE_RECORD = 'passkey use'
const QUESTION = 'passkey question'
const LIFE_MS = 120_000
const MOST = 20
// Ed25519, ES256, RS256: what authenticators have. Asking Node for more makes it print warnings.
const ALGORITHMS = [-8, -7, -257]

export function createPasskeys(store: Pick<Store, 'records' | 'now' | 'amend'>): Passkeys {
  const { records } = store

  async function ask(person: PersonId, about: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
    const nonce = newSecret()
    const challenge = challengeOf(nonce, about)
    const expiresAt = (await store.now()) + LIFE_MS
    const value = { nonce, person: accountKey(person) }
    await records.put(QUESTION, questionId(challenge), value, { expect: 'absent', expiresAt })
    return Uint8Array.from(challenge)
  }

  /** What the answer of this person must have signed. It can be used only once. */
  async function taken(person: PersonId, response: unknown, about: readonly string[]) {
    const sent = challengeIn(response)
    const found = sent && (await records.remove(QUESTION, questionId(sent)))
    const { nonce = '', person: owner } = (found?.value ?? {}) as {
      nonce?: string
      person?: string
    }
    if (!found || owner !== accountKey(person))
      throw refused('it was used before, or took too long')
    return challengeOf(nonce, about).toString('base64url')
  }

  async function all(person: PersonId): Promise<readonly StoredRecord[]> {
    return passkeysOf(records, person)
  }

  return {
    async list(person) {
      const used = await recordsOf(records, PASSKEY_USE_RECORD, person)
      return (await all(person)).map((one) => {
        const use = used.find(({ id }) => id === one.id)
        return { ...shown(one), ...(use ? { usedAt: useOf(use).at } : {}) }
      })
    },
    async beginAdding(account, site) {
      const known = await all(account)
      if (known.length >= MOST) {
        throw new CountersignError('usage', `a person can have at most ${MOST} passkeys`)
      }
      const { generateRegistrationOptions } = await webAuthn()
      return generateRegistrationOptions({
        rpName: 'Countersign',
        rpID: site.name,
        userID: Uint8Array.from(Buffer.from(accountKey(account), 'hex')),
        userName: account.email ?? account.subject,
        userDisplayName: account.name ?? account.email ?? account.subject,
        challenge: await ask(account, ['add', site.name]),
        attestationType: 'none',
        supportedAlgorithmIDs: ALGORITHMS,
        excludeCredentials: known.map(storedOf).map(({ credential }) => ({ id: credential })),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
        timeout: LIFE_MS,
      })
    },
    async finishAdding(account, site, { name, response }) {
      const expectedChallenge = await taken(account, response, ['add', site.name])
      const { verifyRegistrationResponse } = await webAuthn()
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        response: response as never,
        expectedChallenge,
        expectedOrigin: site.origin,
        expectedRPID: site.name,
        requireUserVerification: true,
        supportedAlgorithmIDs: ALGORITHMS,
      }).catch((cause: unknown) => {
        throw refused('what the browser sent does not fit', cause)
      })
      if (!verified) throw refused('what the browser sent does not fit')
      const { id: credential, publicKey, counter, transports = [] } = registrationInfo.credential
      const stored: Stored = {
        credential,
        publicKey: Buffer.from(publicKey).toString('base64url'),
        counter,
        transports,
        site: site.name,
        name,
        createdAt: await store.now(),
      }
      const id = recordId(account, credential)
      const isDone = await store.amend({
        commandId: randomUUID(),
        event: { type: 'passkey.added', ...eventOf(account, id) },
        changes: [{ kind: PASSKEY_RECORD, id, value: stored as unknown as Json, expect: 'absent' }],
      })
      if (!isDone) throw refused('this passkey is already known')
      return shown({ id, value: stored as unknown as Json })
    },
    async remove(person, id) {
      if (!id.startsWith(`${accountKey(person)}.`)) return false
      return store.amend({
        commandId: randomUUID(),
        event: { type: 'passkey.removed', ...eventOf(person, id) },
        changes: [
          { kind: PASSKEY_RECORD, id, expect: 'present' },
          { kind: PASSKEY_USE_RECORD, id },
        ],
      })
    },
    async beginSigning(person, site, what) {
      const usable = (await all(person)).map(storedOf).filter((one) => one.site === site.name)
      if (usable.length === 0) {
        throw new CountersignError('passkey_missing', 'you have no passkey here', {
          hint: 'Add one in the inbox, under your name: Passkeys.',
        })
      }
      const { generateAuthenticationOptions } = await webAuthn()
      return generateAuthenticationOptions({
        rpID: site.name,
        challenge: await ask(person, signed(what)),
        allowCredentials: usable.map(({ credential, transports }) => ({
          id: credential,
          transports: [...transports],
        })),
        userVerification: 'required',
        timeout: LIFE_MS,
      })
    },
    async finishSigning(person, site, what, response) {
      const expectedChallenge = await taken(person, response, signed(what))
      const credential = isPlainObject(response) ? String(response.id) : ''
      const found = await records.get(PASSKEY_RECORD, recordId(person, credential))
      if (!found) throw refused('it is none of yours')
      const known = storedOf(found)
      const used = await records.get(PASSKEY_USE_RECORD, found.id)
      const { verifyAuthenticationResponse } = await webAuthn()
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: response as never,
        expectedChallenge,
        expectedOrigin: site.origin,
        expectedRPID: site.name,
        requireUserVerification: true,
        credential: {
          id: known.credential,
          publicKey: Uint8Array.from(Buffer.from(known.publicKey, 'base64url')),
          counter: used ? useOf(used).counter : known.counter,
        },
      }).catch((cause: unknown) => {
        throw refused('what it signed is not this decision', cause)
      })
      if (!verified) throw refused('what it signed is not this decision')
      const use: Use = { counter: authenticationInfo.newCounter, at: await store.now() }
      // Two answers at once: one of them saw a counter that is no longer true.
      const written = await records.put(PASSKEY_USE_RECORD, found.id, use as unknown as Json, {
        expect: used?.revision ?? 'absent',
      })
      const still = await records.get(PASSKEY_RECORD, found.id)
      if (!written || !still) throw refused('it was removed, or used elsewhere, at the same moment')
    },
  }
}

/** Everything a person has, to be removed together with them. */
export async function passkeysOf(
  records: Records,
  person: PersonId,
): Promise<readonly StoredRecord[]> {
  return recordsOf(records, PASSKEY_RECORD, person)
}

async function recordsOf(
  records: Records,
  kind: string,
  person: PersonId,
): Promise<readonly StoredRecord[]> {
  const key = accountKey(person)
  const { records: found } = await records.list(kind, { after: key, limit: MOST + 1 })
  return found.filter(({ id }) => id.startsWith(`${key}.`))
}

function recordId(person: PersonId, credential: string): string {
  return `${accountKey(person)}.${hashSecret('passkey', credential).slice(0, 32)}`
}

/** All of it is in what the authenticator signs, so that a signature fits one decision only. */
function challengeOf(nonce: string, about: readonly string[]): Buffer {
  const text = JSON.stringify(['countersign.passkey.v2', nonce, ...about])
  return createHash('sha256').update(text).digest()
}

function signed({ approval, decision }: Signing): readonly string[] {
  return ['decide', approval, decision]
}

function questionId(challenge: Buffer): string {
  return hashSecret('passkey-question', challenge.toString('base64url'))
}

/** The browser says which question it answers; whether it does is checked by its signature. */
function challengeIn(response: unknown): Buffer | undefined {
  try {
    const { clientDataJSON } = (response as { response: { clientDataJSON: string } }).response
    const data = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as {
      readonly challenge: string
    }
    return Buffer.from(data.challenge, 'base64url')
  } catch {
    return undefined
  }
}

function storedOf({ value }: Pick<StoredRecord, 'value'>): Stored {
  return value as unknown as Stored
}

function useOf({ value }: Pick<StoredRecord, 'value'>): Use {
  return value as unknown as Use
}

function shown(record: Pick<StoredRecord, 'id' | 'value'>): WirePasskey {
  const { name, createdAt } = storedOf(record)
  return { id: record.id, name, createdAt }
}

function eventOf({ issuer, subject }: PersonId, id: string) {
  const [, passkey = ''] = id.split('.')
  return { by: { person: { issuer, subject } }, facts: { passkey } }
}

function refused(why: string, cause?: unknown): CountersignError {
  return new CountersignError('passkey_refused', `the passkey was not accepted: ${why}`, {
    hint: 'Nothing was decided. Look at the call again, and approve once more.',
    ...(cause === undefined ? {} : { cause }),
  })
}

/** Loaded only where a person has a passkey. */
function webAuthn(): Promise<typeof WebAuthn> {
  return import('@simplewebauthn/server')
}
