import { CountersignError } from '../../base/errors.ts'
import { type Access, accessDenied } from '../../policy/evaluate/access.ts'
import type { GateContext } from '../context.ts'
import type { CallerIdentity } from '../identity.ts'
import { barredBy } from './judge.ts'

export type { Access, AccessKind } from '../../policy/evaluate/access.ts'

/**
 * Lets a request to a server through that runs no tool, or throws `locked` or `denied_by_policy`.
 * Listeners hear of both. Fails closed: without the locks, nothing passes.
 */
export async function admit(
  core: GateContext,
  caller: CallerIdentity,
  access: Access,
): Promise<void> {
  const { agent, mode } = caller
  try {
    const call = {
      server: access.server,
      tool: access.method,
      args: { name: access.name },
      ...(agent === undefined ? {} : { agent }),
    }
    const barred = await barredBy(core, call)
    if (barred) throw new CountersignError('locked', barred.reason ?? `it is ${barred.code}`)
    const denied = accessDenied(core.policy(), access, mode, agent)
    if (denied !== undefined) throw new CountersignError('denied_by_policy', denied)
  } catch (error) {
    core.listeners.emit('accessed', { access, agent, refused: error })
    throw error
  }
  core.listeners.emit('accessed', { access, agent })
}
