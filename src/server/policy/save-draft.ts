import type { PolicyDraft } from '../../api/policy.ts'
import { CountersignError } from '../../base/errors.ts'
import { sha256 } from '../../base/json/digest.ts'
import type { Services } from '../services.ts'
import { wasInForce } from './versions.ts'
import { assertNoNewWay } from './ways-out.ts'

interface Saving {
  readonly text: string
  /** Digest of the file that was on disk when editing began. */
  readonly base: string
}

/**
 * Writes the owner's file and nothing else: what it says is a draft until an admin applies it. A
 * file that changed meanwhile, a text with mistakes, or one that starts or reaches something new is
 * refused; nothing is written without an event that says who did.
 */
export async function saveDraft(
  { active, store }: Pick<Services, 'active' | 'store'>,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
  { text, base }: Saving,
): Promise<PolicyDraft> {
  const { edit } = active
  if (!edit) {
    throw new CountersignError('usage', 'the policy of this server is in no file it can write', {
      hint: 'Copy the text to where the policy is made.',
    })
  }
  const before = active.owner()?.text
  if ((await sha256(before ?? '')) !== base) throw changed()
  // Refused before anything is on record.
  const { running } = active.tried(text)
  if (!(await wasInForce(store, text))) {
    const disk = before === undefined ? undefined : active.tried(before).running.policy.owner
    assertNoNewWay(disk, running.policy.owner)
  }
  await store.amend({
    commandId: crypto.randomUUID(),
    event: {
      type: 'policy.drafted',
      by: { person: { issuer, subject } },
      facts: { digest: await sha256(text) },
    },
    changes: [],
  })
  edit((owner) => {
    if (owner?.text !== before) throw changed()
    return text
  })
  const draft = await active.draft()
  if (!draft) throw new CountersignError('not_found', 'this server has no policy files')
  return draft
}

function changed(): CountersignError {
  return new CountersignError('policy_changed', 'the file on disk is not what was edited', {
    hint: 'Nothing was written. Open the rule again: it begins with what the file says now.',
  })
}
