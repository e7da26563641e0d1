import { CountersignError } from '../base/errors.ts'
import { documentAt, PLACE, redirectAt, type SignIns } from '../gateway/upstream/oauth/sign-ins.ts'
import type { HttpSpec } from '../gateway/upstream/upstream-spec.ts'
import { homeOf } from '../server/http/home.ts'
import { createRateLimit } from '../server/http/rate-limit.ts'
import { personOf, type Route, route } from '../server/http/route.ts'
import type { Caller } from '../server/identity/caller.ts'
import type { Services } from '../server/services.ts'
import type { Specs } from './mcp-routes.ts'

interface Parts {
  readonly signIns: SignIns
  readonly specs: Specs
}

/** An admin signs this program in at a server behind the gate, with the browser that has the inbox open. */
export function serverSignInRoutes(
  services: Services,
  { signIns, specs }: Parts,
): readonly Route[] {
  const { policyNow } = services
  // Each makes this server knock at doors that a foreign server names.
  const attempts = createRateLimit({ most: 20, windowMs: 60_000, what: 'sign-ins at servers' })
  const all = async () => specs(await policyNow(), () => {})

  async function named(alias: string): Promise<HttpSpec> {
    const spec = (await all()).find((one) => one.alias === alias)
    if (!spec)
      throw new CountersignError('not_found', `server ${alias} cannot be reached from here`)
    if (spec.kind === 'http' && spec.credentials) return spec
    throw new CountersignError('usage', `server ${alias} is not one to sign in at`, {
      hint: 'People sign in at servers with a url whose headers name no Authorization.',
    })
  }

  return [
    route('POST /v1/servers/:server/sign-in', async ({ c, caller, params, body, reply }) => {
      const by = whoOf(caller)
      attempts.take(JSON.stringify(by))
      const home = homeOf(c, services)
      const begun = await signIns.begin(await named(params.server), {
        ...{ home, by, client: body.client },
      })
      if ('needsClient' in begun) return reply(200, begun)
      return reply(200, { to: { ...begun, scopes: [...begun.scopes] } })
    }),
    route('DELETE /v1/servers/:server/sign-in', async ({ caller, params, reply }) => {
      if (await signIns.end(await named(params.server), whoOf(caller))) return reply(204)
      throw new CountersignError('not_found', `no person signed in at server ${params.server}`)
    }),
    route('POST /v1/servers/sign-ins', async ({ caller, body, reply }) => {
      const back = { place: body.place, query: body.query, by: whoOf(caller) }
      const server = await signIns.finish(await all(), back)
      return reply(200, { server })
    }),
    route('GET /oauth/client/:place', ({ c, params, reply }) => {
      const home = homeOf(c, services)
      if (!PLACE.test(params.place)) {
        throw new CountersignError('not_found', 'there is no such document')
      }
      return reply(200, {
        client_id: documentAt(home, params.place),
        client_name: 'Countersign',
        client_uri: home,
        redirect_uris: [redirectAt(home, params.place)],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      })
    }),
  ]
}

function whoOf(caller: Caller) {
  const { issuer, subject } = personOf(caller).person
  return { issuer, subject }
}
