import type { PolicyBundle } from '../api/agent.ts'
import { CountersignError } from '../base/errors.ts'
import { parsePolicy } from '../policy/load/parse-policy.ts'
import type { Policy } from '../policy/policy.ts'
import type { Connection } from './connection.ts'

/** The server's policy, as long as the server confirms it. */
export interface PolicyCopy {
  /**
   * Throws when it cannot be confirmed any more: then nothing is allowed. `name` is the one the
   * server said is in force, where it did: another one than ours is fetched first.
   */
  current(name?: string): Promise<Policy>
  /** The last one that was read, where there is one. Never a reason to let a call run. */
  last(): Policy | undefined
}

const RENEW_BEFORE = 30_000

export function followPolicy({ send, repeat }: Connection): PolicyCopy {
  let known: { policy: Policy; name: string; etag: string; validFor: number } | undefined
  let confirmedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined

  async function confirm(): Promise<void> {
    const headers: Record<string, string> = known ? { 'if-none-match': known.etag } : {}
    let asked = 0
    const { body, headers: sent } = await repeat(() => {
      // Counted from before asking: the answer may have been on its way for a while.
      asked = performance.now()
      return send('GET /v1/policy', { headers })
    })
    // None: it is the one we know.
    if (body !== undefined) known = { ...read(body), etag: sent.get('etag') ?? '' }
    confirmedAt = asked
  }

  function confirmOnce(): Promise<void> {
    asking ??= confirm().finally(() => {
      asking = undefined
    })
    return asking
  }

  return {
    async current(name) {
      const age = performance.now() - confirmedAt
      const validFor = known?.validFor ?? 0
      const isOther = name !== undefined && name !== known?.name
      if (isOther || age >= validFor) await confirmOnce()
      // Still good for a while: asked for behind the caller's back.
      else if (age >= validFor - RENEW_BEFORE) confirmOnce().catch(() => {})
      if (!known) throw new CountersignError('server_unreachable', 'the server sent no policy')
      return known.policy
    },
    last: () => known?.policy,
  }
}

function read({ name, files, switches = {}, validFor }: PolicyBundle) {
  const owner = files.find(({ role }) => role === 'owner')
  const governance = files.filter(({ role }) => role === 'governance')
  const policy = parsePolicy({ ...(owner ? { owner } : {}), governance, switches })
  return { policy, name, validFor }
}
