import type { PersonId } from '../approval/people/person.ts'
import { CountersignError } from '../base/errors.ts'
import type { Json } from '../base/json/json.ts'
import { MODEL_SERVER_RECORD } from '../store/records/chat-records.ts'
import { allRecords, type StoredRecord } from '../store/records.ts'
import type { Sealed, SecretBox } from '../store/secret-box.ts'
import type { Store } from '../store/store.ts'
import { refusedModelAddress } from './checked-fetch.ts'
import { type ModelServer, type ModelWire, USUAL } from './model-server.ts'

/** As an admin enters it. */
export interface GivenServer {
  readonly wire: ModelWire
  /** Where the API usually is unless given. */
  readonly url?: string | undefined
  readonly models?: readonly string[] | undefined
  /** Kept from before where it is absent and the address stays. */
  readonly key?: string | undefined
}

/** As pages may see it. */
export interface KeptServer {
  readonly name: string
  readonly wire: ModelWire
  readonly url: string
  readonly models: readonly string[]
  readonly hasKey: boolean
  readonly at: number
}

interface Kept {
  readonly wire: ModelWire
  readonly url: string
  readonly models: readonly string[]
  readonly sealed?: Sealed
}

interface KeptServersParts {
  readonly store: Pick<Store, 'records' | 'amend'>
  readonly box: SecretBox
  /** Hosts of the operator's own network that an admin may enter. */
  readonly allowHosts: readonly string[]
}

const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/
const MOST = 20

export type KeptServers = ReturnType<typeof createKeptServers>

/** Servers of models that admins entered. A key is opened for requests alone and never shown. */
export function createKeptServers({ store, box, allowHosts }: KeptServersParts) {
  const find = (name: string) => store.records.get(MODEL_SERVER_RECORD, name)

  async function change(
    name: string,
    by: PersonId,
    found: StoredRecord | undefined,
    kept?: Kept,
  ): Promise<void> {
    const said = kept && { api: kept.wire, url: kept.url, key: kept.sealed !== undefined }
    const isDone = await store.amend({
      commandId: crypto.randomUUID(),
      event: {
        type: kept ? 'models.set' : 'models.removed',
        by: { person: { issuer: by.issuer, subject: by.subject } },
        facts: { server: name, ...said },
      },
      changes: [
        {
          kind: MODEL_SERVER_RECORD,
          id: name,
          ...(kept ? { value: kept as unknown as Json } : {}),
          expect: found?.revision ?? 'absent',
        },
      ],
    })
    if (!isDone) throw new CountersignError('store_busy', 'this server is being changed by others')
  }

  async function sealedFor(name: string, given: Kept, key: string | undefined, before?: Kept) {
    if (key !== undefined && key !== '') {
      return { sealed: await box.seal(key, placeOf(name, given)) }
    }
    // Sealed for that address: another one would be sent a key that was not meant for it.
    const isSame = before?.wire === given.wire && before.url === given.url
    return isSame && before.sealed ? { sealed: before.sealed } : {}
  }

  return {
    async list(): Promise<KeptServer[]> {
      const all = await allRecords(store.records, MODEL_SERVER_RECORD)
      return all.map(({ id: name, at, value }) => {
        const { wire, url, models, sealed } = value as unknown as Kept
        return { name, wire, url, models, hasKey: sealed !== undefined, at }
      })
    },
    async set(name: string, given: GivenServer, by: PersonId): Promise<void> {
      if (!NAME.test(name)) throw invalid('a name has small letters, digits and dashes')
      const url = await addressOf(given, allowHosts)
      const found = await find(name)
      const all = found ? [] : await allRecords(store.records, MODEL_SERVER_RECORD)
      if (all.length >= MOST) throw invalid(`there are at most ${MOST} servers of models`)
      const { wire } = given
      const models = given.models?.length ? given.models : USUAL[wire].models
      const next: Kept = { wire, url, models }
      const before = found?.value as unknown as Kept | undefined
      const sealed = await sealedFor(name, next, given.key, before)
      if (wire !== 'openai' && !sealed.sealed) throw invalid('this API needs a key')
      await change(name, by, found, { ...next, ...sealed })
    },
    async remove(name: string, by: PersonId): Promise<void> {
      const found = await find(name)
      if (!found) throw new CountersignError('not_found', 'there is no such server of models')
      await change(name, by, found)
    },
    /** With their keys, to talk to. One whose key is of another machine is told and left out. */
    async open(): Promise<{ servers: ModelServer[]; problems: string[] }> {
      const servers: ModelServer[] = []
      const problems: string[] = []
      for (const { id, value } of await allRecords(store.records, MODEL_SERVER_RECORD)) {
        const kept = value as unknown as Kept
        const { wire, url, models, sealed } = kept
        try {
          const key = sealed ? { key: await box.open(sealed, placeOf(id, kept)) } : {}
          const common = { wire, url, models, isConfigured: true, allowHosts }
          servers.push({ ...common, name: `kept/${id}`, title: id, ...key })
        } catch {
          problems.push(`The key of ${id} cannot be opened on this machine. Enter it again.`)
        }
      }
      return { servers, problems }
    },
  }
}

const placeOf = (name: string, { wire, url }: Kept) => JSON.stringify([name, wire, url])

async function addressOf(given: GivenServer, allowHosts: readonly string[]): Promise<string> {
  const url = URL.parse(given.url || USUAL[given.wire].url)
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw invalid('this is not an address')
  if (url.username || url.password || url.search || url.hash) {
    throw invalid(
      'an address has no user, no query and no fragment; the key has a field of its own',
    )
  }
  const refused = await refusedModelAddress(url, allowHosts)
  if (refused === undefined) return url.href.replace(/\/+$/, '')
  throw new CountersignError('invalid_value', refused, {
    hint: 'The operator can allow a host of their own network with COUNTERSIGN_CHAT_ALLOW.',
  })
}

function invalid(message: string): CountersignError {
  return new CountersignError('invalid_value', message)
}
