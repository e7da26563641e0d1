import { CountersignError } from '../../base/errors.ts'
import { withdrawEnded as endedOf, type ListingGate, type WithdrawnEnded } from '../ended-runs.ts'
import { NAME, type RestateAddress } from './relay.ts'

/**
 * Withdraws the questions of invocations that were killed, or ended without them; those of
 * invocations that Restate does not know, or keeps no longer, stay. Restate tells code that it is
 * cancelled, but not that it is killed. `admin` is the admin API, usually on port 9070. Call it now
 * and then.
 */
export function withdrawEnded(admin: RestateAddress, gate: ListingGate): Promise<WithdrawnEnded> {
  return endedOf(NAME, gate, async (id) => {
    const status = await statusOf(admin, id)
    return status === undefined ? undefined : status === 'completed'
  })
}

/** Undefined for an invocation that Restate no longer keeps. */
async function statusOf({ url, headers = {} }: RestateAddress, id: string) {
  // A name that is none of Restate's is no invocation, and no part of a query.
  if (!/^inv_[0-9A-Za-z]+$/.test(id)) return undefined
  const answer = await fetch(`${url.replace(/\/+$/, '')}/query`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query: `select status from sys_invocation where id = '${id}'` }),
    redirect: 'error',
  })
  if (!answer.ok) {
    throw new CountersignError('server_unreachable', `Restate answered ${answer.status}`, {
      hint: 'Give the address of the admin API, such as http://localhost:9070.',
    })
  }
  const { rows } = (await answer.json()) as { rows: { status: string }[] }
  return rows[0]?.status
}
