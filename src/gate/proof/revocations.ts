import { type Actor, OPERATOR } from '../../approval/transition.ts'
import { CountersignError } from '../../base/errors.ts'
import { KEY_REVOCATION_RECORD } from '../../store/audit/audited-records.ts'
import type { Store } from '../../store/store.ts'

/** When each key was revoked, by its name. Keys are few, and so are their revocations. */
export async function revokedKeys({
  records,
}: Pick<Store, 'records'>): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>()
  let after: string | undefined
  do {
    const page = await records.list(KEY_REVOCATION_RECORD, after === undefined ? {} : { after })
    for (const { id, at } of page.records) found.set(id, at)
    after = page.next
  } while (after !== undefined)
  return found
}

/**
 * Puts on record that a key signs nothing more. Verifiers go by the entry: from the first checkpoint
 * on that covers it, none with this key counts. False: it was revoked before.
 */
export async function revokeKey(
  store: Pick<Store, 'vault' | 'records' | 'amend'>,
  kid: string,
  by: Actor = OPERATOR,
): Promise<boolean> {
  const published = await store.vault.keys()
  if (!published.some((key) => key.kid === kid)) {
    throw new CountersignError('not_found', `no key ${kid} is published here`, {
      hint: '`countersign keys list` shows their names.',
    })
  }
  return store.amend({
    commandId: crypto.randomUUID(),
    event: { type: 'key.revoked', by, facts: { key: kid } },
    changes: [{ kind: KEY_REVOCATION_RECORD, id: kid, value: { key: kid }, expect: 'absent' }],
  })
}
