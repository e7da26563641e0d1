import { digestOf } from '../../../base/json/digest.ts'
import type { ServerCredentials } from '../credentials.ts'
import { type HttpSpec, identityOf, type UpstreamSpec } from '../upstream-spec.ts'

/** By alias and address: another server under the same alias has nothing of the one before. */
export async function signInId(spec: UpstreamSpec): Promise<string> {
  return digestOf('mcp sign-in', [spec.alias, await identityOf(spec)])
}

/** Gives servers their credentials: the same for every session of one server. */
export function attachedBy(make: (spec: HttpSpec) => ServerCredentials) {
  const made = new Map<string, ServerCredentials>()
  const specsWith = new WeakMap<UpstreamSpec, UpstreamSpec>()

  /** Told apart as `signInId` tells them apart. */
  function of(spec: HttpSpec): ServerCredentials {
    const name = JSON.stringify([spec.alias, spec.url.href])
    const credentials = made.get(name) ?? make(spec)
    made.set(name, credentials)
    return credentials
  }

  return (spec: UpstreamSpec): UpstreamSpec => {
    // What the file says is sent comes first.
    if (spec.kind !== 'http' || spec.credentials || namesCredentials(spec)) return spec
    const known = specsWith.get(spec) ?? { ...spec, credentials: of(spec) }
    specsWith.set(spec, known)
    return known
  }
}

function namesCredentials({ headers }: HttpSpec): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}
