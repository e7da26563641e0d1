import type { Risk } from '../../base/call.ts'
import { CountersignError } from '../../base/errors.ts'
import { type Access, accessVerdict } from '../../policy/evaluate/access.ts'
import type { GateContext } from '../context.ts'
import type { CallerIdentity } from '../identity.ts'
import { barredBy } from './judge.ts'

export type { Access, AccessKind } from '../../policy/evaluate/access.ts'

/** `ask`: it is a call, for `run`. */
export type Admitted = 'allow' | 'ask'

/**
 * Lets a request to a server through that runs no tool, or throws `locked` or `denied_by_policy`.
 * Listeners hear of all. Fails closed: without the locks, nothing passes. `declared` is asked last,
 * because it asks the server: what the server says of this, above L0 that it has effects.
 */
export async function admit(
  core: GateContext,
  caller: CallerIdentity,
  access: Access,
  declared?: () => Promise<Risk | undefined>,
): Promise<Admitted> {
  const { agent, mode } = caller
  const judged = (one: Access): Admitted => {
    const said = accessVerdict(core.policy(), one, mode, agent)
    if (said.verdict === 'deny') throw new CountersignError('denied_by_policy', said.why)
    return said.verdict
  }
  try {
    const call = {
      server: access.server,
      tool: access.method,
      args: access.args ?? { name: access.name },
      ...(agent === undefined ? {} : { agent }),
    }
    const admitted = async (risk?: Risk): Promise<Admitted> => {
      const barred = await barredBy(core, call)
      if (barred) throw new CountersignError('locked', barred.reason ?? `it is ${barred.code}`)
      return judged({ ...access, risk })
    }
    let verdict = await admitted()
    // The server takes as long as it likes: locks and rules that came meanwhile hold.
    if (declared) verdict = await admitted(await declared())
    core.listeners.emit('accessed', { access, agent, ...(verdict === 'ask' ? { asks: true } : {}) })
    return verdict
  } catch (error) {
    core.listeners.emit('accessed', { access, agent, refused: error })
    throw error
  }
}
