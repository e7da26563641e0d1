import type { Call } from '../base/call.ts'
import { CountersignError } from '../base/errors.ts'
import { canonicalJson } from '../base/json/canonical.ts'
import type { Hop } from '../gate/proof/countersignature.ts'
import type { Countersign } from '../gate/proof/countersigned.ts'
import type { Connection } from './connection.ts'

interface Claimed {
  readonly id: string
  readonly claim: string
  /** As it runs: with the arguments that people approved. */
  readonly call: Call
}

/**
 * The server signs for exactly the call that people approved: another name or other arguments would
 * be a yes that an agent gives itself. A gate with a store of its own is trusted to know them.
 */
export function countersigning({ call: send }: Connection, claimed: Claimed): Countersign {
  const { id, claim, call } = claimed
  return async (hop) => {
    assertSame(hop, call)
    const { audience } = hop
    const body = { claim, ...(audience === undefined ? {} : { audience }) }
    const path = 'POST /v1/approvals/:id/countersignature'
    const { countersignature } = await send(path, { params: { id }, body })
    if (typeof countersignature === 'string') return countersignature
    throw new CountersignError('server_unreachable', 'the server answered something unexpected')
  }
}

function assertSame(hop: Partial<Hop>, { server, tool, args }: Call): void {
  const isSame =
    (!('server' in hop) || hop.server === server) &&
    (hop.tool ?? tool) === tool &&
    (hop.args === undefined || textOf(hop.args) === textOf(args))
  if (isSame) return
  throw new CountersignError('usage', 'a server countersigns exactly the call that was approved', {
    hint: 'Leave server, tool and args out, and call on with what people approved.',
  })
}

function textOf(args: unknown): string | undefined {
  try {
    return canonicalJson(args)
  } catch {
    return undefined
  }
}
