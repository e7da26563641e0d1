import type { PersonId } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import { STUDIO_SECRET_RECORD } from '../../store/records/studio-records.ts'
import { allRecords } from '../../store/records.ts'
import type { Sealed, SecretBox } from '../../store/secret-box.ts'
import type { Store } from '../../store/store.ts'
import type { Secret } from '../sandbox/secrets.ts'
import { plain } from './studio-store.ts'
import { checkSecretName } from './tool-spec.ts'

export interface StoredSecret {
  readonly name: string
  /** The hosts it was given for. */
  readonly hosts: readonly string[]
  readonly at: number
}

interface Kept {
  readonly hosts: readonly string[]
  readonly sealed: Sealed
}

// A shorter one could stand in results for many other reasons, and would be taken out of them.
const SHORTEST = 8
const LONGEST = 4_096

/** Secrets belong to one tool and to the hosts they were given for. */
export function createStudioSecrets(store: Pick<Store, 'records' | 'amend'>, box: SecretBox) {
  const idOf = (tool: string, name: string) => `${tool}/${name}`

  async function change(tool: string, name: string, by: PersonId, kept: Kept | undefined) {
    const id = idOf(tool, name)
    const found = await store.records.get(STUDIO_SECRET_RECORD, id)
    if (!found && !kept) return
    const isDone = await store.amend({
      commandId: crypto.randomUUID(),
      event: {
        type: 'studio.secret',
        by: { person: { issuer: by.issuer, subject: by.subject } },
        facts: { tool, secret: name, ...(kept ? { hosts: kept.hosts } : { removed: true }) },
      },
      changes: [
        {
          kind: STUDIO_SECRET_RECORD,
          id,
          ...(kept ? { value: plain(kept) } : {}),
          expect: found?.revision ?? 'absent',
        },
      ],
    })
    if (!isDone) throw new CountersignError('store_busy', 'this secret is being changed by others')
  }

  return {
    async list(tool: string): Promise<StoredSecret[]> {
      const all = await allRecords(store.records, STUDIO_SECRET_RECORD)
      return all
        .filter(({ id }) => id.startsWith(`${tool}/`))
        .map(({ id, value, at }) => {
          const { hosts } = value as unknown as Kept
          return { name: id.slice(tool.length + 1), hosts, at }
        })
    },
    async set(tool: string, name: string, value: string, hosts: readonly string[], by: PersonId) {
      checkSecretName(name)
      if (value.length < SHORTEST || value.length > LONGEST) {
        throw new CountersignError(
          'invalid_value',
          `a secret has ${SHORTEST} to ${LONGEST} characters`,
        )
      }
      if (hosts.length === 0 || hosts.includes('*')) {
        throw new CountersignError(
          'invalid_value',
          'a secret is given for hosts that the tool names',
          {
            hint: 'Name the hosts of the tool and save the draft first.',
          },
        )
      }
      const sealed = await box.seal(value, idOf(tool, name))
      await change(tool, name, by, { hosts, sealed })
    },
    remove: (tool: string, name: string, by: PersonId) => change(tool, name, by, undefined),
    /** The values, for requests of one run. One that is missing is refused where it is used. */
    async open(tool: string, names: readonly string[]): Promise<Secret[]> {
      const opened = await Promise.all(
        names.map(async (name): Promise<Secret[]> => {
          const id = idOf(tool, name)
          const record = await store.records.get(STUDIO_SECRET_RECORD, id)
          if (!record) return []
          const { hosts, sealed } = record.value as unknown as Kept
          return [{ name, hosts, value: await box.open(sealed, id) }]
        }),
      )
      return opened.flat()
    },
  }
}
