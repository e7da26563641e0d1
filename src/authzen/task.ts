import { type AccessTask, EDITED_MEMBER, type TaskStatus } from '../api/authzen/access-request.ts'
import type { Approval } from '../approval/approval.ts'
import { freshParse } from '../base/json/canonical.ts'
import type { JsonObject } from '../base/json/json.ts'
import { latest } from '../gate/content/stored-content.ts'
import type { Store } from '../store/store.ts'
import { type Entity, tupleOf } from './tuple.ts'

/** The entry point that calls over AuthZEN have. A yes given there is good nowhere else. */
export const AUTHZEN_DOOR = 'authzen'

const STATUSES: Readonly<Record<Approval['status'], TaskStatus>> = {
  pending: 'pending',
  approved: 'approved',
  denied: 'denied',
  expired: 'expired',
  withdrawn: 'cancelled',
  invalidated: 'failed',
}

/** The task that an approval is, for the enforcement point that asked for it. */
export async function taskOf(
  store: Pick<Store, 'content'>,
  approval: Approval,
  { home, subject }: { readonly home: string; readonly subject: Entity },
): Promise<AccessTask> {
  const { id, decideBy, useBy, decidedAt } = approval
  // A yes that was never used has still been given: its task stays approved, until then.
  const isUnused = approval.status === 'expired' && approval.reason === 'unused'
  const status = isUnused ? 'approved' : STATUSES[approval.status]
  const at = taskAddress(home, id)
  const ends = status === 'pending' ? decideBy : undefined
  return {
    task: {
      id,
      status,
      status_endpoint: at,
      ...(ends === undefined ? {} : { expires_at: iso(ends) }),
      ...(status === 'pending' ? { links: { cancel: `${at}/cancel` } } : {}),
      display: DISPLAYS[status],
    },
    ...(status === 'approved' && useBy !== undefined
      ? {
          result: {
            mode: 'reevaluate',
            approval: {
              id,
              ...(decidedAt === undefined ? {} : { approved_at: iso(decidedAt) }),
              approved_until: iso(useBy),
            },
            ...(await editedOf(store, approval, subject)),
          },
        }
      : {}),
  }
}

const DISPLAYS: Readonly<
  Record<TaskStatus, { readonly title: string; readonly description: string }>
> = {
  pending: { title: 'Approval requested', description: 'A person has been asked.' },
  approved: {
    title: 'Approved',
    description: 'The call may run once: evaluate it again with the approval.',
  },
  denied: { title: 'Denied', description: 'A person denied the call.' },
  expired: { title: 'Expired', description: 'The call was not answered in time.' },
  cancelled: { title: 'Cancelled', description: 'The request was withdrawn.' },
  failed: { title: 'No longer valid', description: 'What the request rested on has changed.' },
}

/** People may have changed the arguments. Then theirs are approved, and no others. */
async function editedOf(
  store: Pick<Store, 'content'>,
  { id, call, edited }: Approval,
  subject: Entity,
): Promise<{ readonly [EDITED_MEMBER]?: JsonObject }> {
  if (edited.length === 0) return {}
  const text = latest(await store.content(id, ['arguments']), 'arguments')
  if (typeof text !== 'string') return {}
  return { [EDITED_MEMBER]: tupleOf(subject, call.tool, freshParse(text) as JsonObject) }
}

export function taskAddress(home: string, id: string): string {
  return `${home}/access/v1/requests/${encodeURIComponent(id)}`
}

export function iso(at: number): string {
  return new Date(at).toISOString()
}
