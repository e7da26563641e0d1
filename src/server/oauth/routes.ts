import type { Context } from 'hono'
import type { ClientRequest } from '../../api/oauth/oauth.ts'
import { samePerson } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import { given } from '../../base/json/json.ts'
import { homeOf } from '../http/home.ts'
import { addressOf } from '../http/origin.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import { personOf, type Route, route } from '../http/route.ts'
import { accountKey } from '../identity/people.ts'
import type { Services } from '../services.ts'
import { type Authorization, readAuthorization, redirectWith } from './authorization.ts'
import { type ClientSources, fetchClient } from './client-document.ts'
import { agentOfClient } from './client-id.ts'
import { createConnections } from './connections.ts'
import { createConsents } from './consents.ts'
import { authorizationServer, protectedResource, resourceAt } from './metadata.ts'
import { OAuthProblem } from './problem.ts'
import { isOnTheirMachine } from './redirect-uri.ts'
import { readForm, revokeToken, tokensFor } from './token-endpoint.ts'

/**
 * OAuth for MCP clients: people who sign in here allow a client to call tools at `/mcp` for them. The
 * page that asks them is one of the inbox, at `/oauth/authorize`.
 */
export function oauthRoutes(services: Services, sources: ClientSources): readonly Route[] {
  const { store, credentials } = services
  const consents = createConsents(store)
  const connections = createConnections(store)
  // A request makes this server fetch a document, so one person cannot make it knock at many doors.
  const requests = createRateLimit({ most: 30, windowMs: 60_000, what: 'requests of clients' })
  const exchanges = createRateLimit({ most: 300, windowMs: 60_000, what: 'requests for tokens' })
  const home = (c: Context) => homeOf(c, services)

  /** Refuses in the words of RFC 6749. */
  async function spoken<T>(c: Context, work: () => Promise<T>): Promise<T | Response> {
    exchanges.take(addressOf(c, services))
    try {
      return await work()
    } catch (error) {
      if (error instanceof OAuthProblem) return error.response()
      throw error
    }
  }

  return [
    route('GET /.well-known/oauth-protected-resource', ({ c, reply }) =>
      reply(200, protectedResource(home(c))),
    ),
    route('GET /.well-known/oauth-protected-resource/mcp', ({ c, reply }) =>
      reply(200, protectedResource(home(c))),
    ),
    route('GET /.well-known/oauth-authorization-server', ({ c, reply }) =>
      reply(200, authorizationServer(home(c))),
    ),
    route('POST /oauth/token', async ({ c, reply, raw }) => {
      const tokens = await spoken(c, async () =>
        tokensFor(await readForm(c), resourceAt(home(c)), connections),
      )
      return tokens instanceof Response ? raw(tokens) : reply(200, tokens)
    }),
    route('POST /oauth/revoke', async ({ c, reply, raw }) => {
      const problem = await spoken(c, async () => revokeToken(await readForm(c), connections))
      return problem instanceof Response ? raw(problem) : reply(200)
    }),
    route('POST /v1/oauth/requests', async ({ c, caller, body, reply }) => {
      const person = personOf(caller)
      requests.take(accountKey(person.account))
      const wanted = await readAuthorization(body.query, {
        resource: resourceAt(home(c)),
        client: (id) => fetchClient(id, sources),
      })
      if ('error' in wanted) {
        const { error, says } = wanted
        const answer = { error, error_description: says }
        return reply(200, { to: redirectWith(wanted, home(c), answer) })
      }
      const before = await consents.isAllowed(person.account, wanted.client.id.href)
      // At an address of this machine any program can listen: there a person is asked each time.
      if (before && !isOnTheirMachine(wanted.redirect)) {
        const code = await consents.again(wanted, person)
        if (code !== undefined) {
          return reply(200, { to: redirectWith(wanted, home(c), { code }) })
        }
      }
      const request = await consents.open(wanted, person)
      return reply(200, { ask: questionOf(wanted, { request, before }) })
    }),
    route('POST /v1/oauth/answers', async ({ c, caller, body, reply }) => {
      const answered = await consents.answer(body.request, personOf(caller), body.allow)
      const { code } = answered
      const answer = code === undefined ? REFUSED : { code }
      return reply(200, { to: redirectWith(answered, home(c), answer) })
    }),
    route('GET /v1/oauth/connections', async ({ caller, reply }) => {
      const { account } = personOf(caller)
      const connected = (await credentials.tokens.list()).flatMap((token) => {
        const { prefix, agent, client, createdAt, expiresAt = createdAt, lastUsedAt } = token
        if (!client || !samePerson(client.person, account)) return []
        const { host } = new URL(client.id)
        const used = given({ lastUsedAt })
        return { ...{ prefix, host, agent, createdAt, expiresAt }, client: client.id, ...used }
      })
      return reply(200, { connections: connected, now: await store.now() })
    }),
    route('DELETE /v1/oauth/connections/:prefix', async ({ caller, params, reply }) => {
      const { account, person } = personOf(caller)
      const { issuer, subject } = person
      const own = (await credentials.tokens.list()).find(({ prefix }) => prefix === params.prefix)
      const isOwn = own?.client !== undefined && samePerson(own.client.person, account)
      const by = { person: { issuer, subject } }
      if (isOwn && (await credentials.tokens.revoke(params.prefix, by))) return reply(204)
      throw new CountersignError('not_found', 'no client of yours is connected under this name')
    }),
  ]
}

const REFUSED = { error: 'access_denied', error_description: 'the person refused' }

function questionOf(
  { client: { id, name }, redirect }: Authorization,
  { request, before }: Pick<ClientRequest, 'request' | 'before'>,
): ClientRequest {
  return {
    request,
    client: { id: id.href, host: id.host, ...given({ name }) },
    redirect: {
      host: redirect.host,
      here: isOnTheirMachine(redirect),
      own: redirect.host === id.host,
    },
    agent: agentOfClient(id),
    before,
  }
}
