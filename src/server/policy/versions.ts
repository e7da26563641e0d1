import type { PolicyVersion, PolicyVersions } from '../../api/policy/versions.ts'
import { CountersignError } from '../../base/errors.ts'
import { sha256 } from '../../base/json/digest.ts'
import { type AuditEntry, POLICY_EVENT_TYPES } from '../../store/audit/audit-entry.ts'
import { POLICY_TEXT_RECORD } from '../../store/audit/audited-records.ts'
import type { Store } from '../../store/store.ts'
import { wirePerson } from '../identity/people.ts'
import type { Services } from '../services.ts'

const MOST = 100
/** A policy file is at most 1 MB, in parts of 10,000 characters. */
const MOST_PARTS = 1_000

type Version = PolicyVersions['versions'][number]
type Reading = Pick<Services, 'store' | 'credentials'>

/** What was put into force on this database, by the signed record; the newest first. */
export async function policyVersions({ store, credentials }: Reading): Promise<Version[]> {
  const entries = await policyEvents(store)
  const newest = await store.newestPolicyEvent()
  return Promise.all(entries.map((entry) => versionOf(entry, newest?.hash, credentials)))
}

/** One of them with its texts. A text that is gone, or is not what was recorded, is refused. */
export async function policyVersion(
  { store, credentials, active }: Reading & Pick<Services, 'active'>,
  id: string,
): Promise<PolicyVersion> {
  const entry = (await policyEvents(store)).find(({ hash }) => hash === id)
  if (!entry) throw new CountersignError('not_found', 'there is no such version of the policy')
  const newest = await store.newestPolicyEvent()
  const disk = active.owner()?.text ?? ''
  return {
    ...(await versionOf(entry, newest?.hash, credentials)),
    files: await Promise.all(textsOf(entry).map((text) => readText(store, text))),
    disk,
    base: await sha256(disk),
  }
}

/** Whether the owner's file was this text when a policy was put into force. */
export async function wasInForce(store: Store, text: string): Promise<boolean> {
  const named = `owner ${await sha256(text)}`
  return (await policyEvents(store)).some((entry) => textsOf(entry).includes(named))
}

async function policyEvents(store: Store): Promise<AuditEntry[]> {
  const { entries } = await store.eventsBefore('end', MOST, { types: POLICY_EVENT_TYPES })
  return entries.filter(({ event }) => POLICY_EVENT_TYPES.includes(event.type))
}

async function versionOf(
  { event, hash }: AuditEntry,
  newest: string | undefined,
  { accounts }: Services['credentials'],
): Promise<Version> {
  const by = 'by' in event && 'person' in event.by ? event.by.person : undefined
  const policy = 'facts' in event ? event.facts?.policy : undefined
  return {
    id: hash,
    name: typeof policy === 'string' ? policy : '',
    at: event.at,
    ...(by ? { by: wirePerson(by, await accounts.get(by)) } : {}),
    ...(event.type === 'policy.loaded' ? { loaded: true as const } : {}),
    active: hash === newest,
  }
}

/** `owner <digest>`, as the event has them. Those of early versions name no texts. */
function textsOf({ event }: AuditEntry): string[] {
  const texts = 'facts' in event ? event.facts?.texts : undefined
  return Array.isArray(texts) ? texts.map(String) : []
}

async function readText(
  { records }: Pick<Store, 'records'>,
  named: string,
): Promise<PolicyVersion['files'][number]> {
  const [role, digest = ''] = named.split(' ')
  let text = ''
  for (let n = 0; n < MOST_PARTS; n += 1) {
    const part = await records.get(POLICY_TEXT_RECORD, `${digest}/${n}`)
    if (typeof part?.value !== 'string') break
    text += part.value
  }
  if ((await sha256(text)) !== digest) {
    throw new CountersignError('store_damaged', 'a text of this policy is not what was recorded')
  }
  return { role: role === 'governance' ? 'governance' : 'owner', digest, text }
}
