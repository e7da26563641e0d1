import { CountersignError } from '../base/errors.ts'
import { givenOptions } from '../base/options.ts'
import { createGate as createStoreGate, type Gate, type GateIdentity } from '../gate/gate.ts'
import type { GateOptions } from '../gate/options.ts'
import type { ConnectionOptions } from './connection.ts'
import { type RemoteGate, type RemoteGateOptions, remoteGate } from './remote-gate.ts'

/** A gate whose policy, approvals and people are those of a server. */
export interface ServerGateOptions extends Omit<RemoteGateOptions, keyof ConnectionOptions> {
  readonly server: ConnectionOptions
}

/**
 * The gate that calls pass through. Its approvals are in a `store` of this process or on a `server`;
 * everything else works the same. Throws at once when it has neither, or no policy beside a store.
 */
export function createGate(options: ServerGateOptions): RemoteGate
export function createGate(options: GateOptions & GateIdentity): Gate
export function createGate(
  given: (GateOptions & GateIdentity) | ServerGateOptions,
): Gate | RemoteGate {
  // Own options only: what stands in Object.prototype must not send calls to another server.
  const options = givenOptions(given)
  if (!('server' in options) || options.server === undefined) {
    return createStoreGate(options as GateOptions & GateIdentity)
  }
  const { server, ...rest } = options
  const mixed = ['policy', 'store', 'agent'].filter((name) => name in rest)
  if (mixed.length > 0) {
    throw new CountersignError('usage', `a gate over a server takes no ${mixed.join(', no ')}`, {
      hint: 'Policy and approvals are those of the server, and the agent is that of its token. Leave out either these or `server`.',
    })
  }
  return remoteGate({ ...rest, ...givenOptions(server) })
}
