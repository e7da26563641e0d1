import { digestOf } from '../../../base/json/digest.ts'
import type { ServerCredentials } from '../credentials.ts'
import { type HttpSpec, identityOf, type UpstreamSpec } from '../upstream-spec.ts'

/** By alias and address: another server under the same alias has nothing of the one before. */
export async function signInId(spec: UpstreamSpec): Promise<string> {
  return digestOf('mcp sign-in', [spec.alias, await identityOf(spec)])
}

/** Gives servers their credentials: the same for every session of one server. */
export function attachedBy(make: (id: string, spec: HttpSpec) => ServerCredentials) {
  const made = new Map<string, ServerCredentials>()
  const specsWith = new WeakMap<UpstreamSpec, UpstreamSpec>()

  async function of(spec: HttpSpec): Promise<ServerCredentials> {
    const id = await signInId(spec)
    const credentials = made.get(id) ?? make(id, spec)
    made.set(id, credentials)
    return credentials
  }

  return (spec: UpstreamSpec): UpstreamSpec => {
    // What the file says is sent comes first.
    if (spec.kind !== 'http' || spec.credentials || namesCredentials(spec)) return spec
    const known = specsWith.get(spec) ?? { ...spec, credentials: lazily(() => of(spec)) }
    specsWith.set(spec, known)
    return known
  }
}

function namesCredentials({ headers }: HttpSpec): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}

/** Found out with the first request: which one it is takes a digest. */
function lazily(make: () => Promise<ServerCredentials>): ServerCredentials {
  let made: Promise<ServerCredentials> | undefined
  let there: ServerCredentials | undefined
  const get = () => {
    made ??= make().then((credentials) => {
      there = credentials
      return credentials
    })
    return made
  }
  return {
    header: async () => (await get()).header(),
    refused: async (refusal) => (await get()).refused(refusal),
    says: () => there?.says() ?? 'it asks for a sign-in',
    secrets: () => there?.secrets() ?? [],
    onChange(changed) {
      let leave: (() => void) | undefined
      let isOver = false
      void get().then((credentials) => {
        if (!isOver) leave = credentials.onChange(changed)
      })
      return () => {
        isOver = true
        leave?.()
      }
    },
  }
}
