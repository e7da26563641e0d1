import type { PolicyBundle } from '../../api/agent.ts'
import type { Actor, Content } from '../../approval/transition.ts'
import type { Amendment, RecordChange } from '../../store/engine/amendment.ts'
import { keeping, textDigests } from './kept-policy.ts'

interface Putting {
  readonly type: 'policy.loaded' | 'policy.applied'
  readonly by: Actor
  readonly name: string
  /** The name of the one in force before. */
  readonly from?: string | undefined
  readonly code?: 'store_damaged'
  readonly files: PolicyBundle['files']
  readonly expect?: RecordChange['expect']
  readonly changes?: readonly RecordChange[]
}

/**
 * A policy comes into force: who put it there, and its texts as sealed content of the event, so
 * that an exported record holds the rules that decisions were made under. `retain` leaves them.
 */
export async function policyAmendment(putting: Putting): Promise<Amendment> {
  const { type, by, name, from, code, files, expect, changes = [] } = putting
  const commandId = crypto.randomUUID()
  const facts = {
    policy: name,
    texts: await textDigests(files),
    ...(from === undefined ? {} : { from }),
    ...(code === undefined ? {} : { code }),
  }
  return {
    commandId,
    event: { type, by, facts },
    changes: [...changes, ...(await keeping(name, files, expect))],
    content: files.map(
      ({ role, text }, n): Content => ({
        key: `policy:${commandId}/${n}/policy`,
        kind: 'policy',
        value: { role, text },
      }),
    ),
  }
}
