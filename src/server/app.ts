import { Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import { type OpenApiVersion, openApi } from '../api/openapi.ts'
import type { Json, JsonObject } from '../base/json/json.ts'
import { lockCopy } from '../gate/admin/operator-state.ts'
import { holdRoutes } from './evidence/hold-routes.ts'
import { serveDocs } from './http/docs-files.ts'
import { everyRequest, type Handler } from './http/every-request.ts'
import { type ServedInbox, serveInbox } from './http/inbox-files.ts'
import { refuse } from './http/refusal.ts'
import { type Door, exactFirst, handlerOf, type Route, route } from './http/route.ts'
import { inviteRoutes } from './invites/routes.ts'
import { onCallRoutes } from './on-call/on-call-routes.ts'
import { accountRoutes } from './routes/accounts.ts'
import { answerRoutes } from './routes/answers.ts'
import { approvalRoutes } from './routes/approvals.ts'
import { auditRoutes } from './routes/audit.ts'
import { callRoutes } from './routes/calls.ts'
import { channelRoutes } from './routes/channels.ts'
import { decisionRoutes } from './routes/decisions.ts'
import { deviceRoutes } from './routes/devices.ts'
import { grantRoutes } from './routes/grants.ts'
import { historyRoutes } from './routes/history.ts'
import { insightRoutes } from './routes/insights.ts'
import { lockRoutes } from './routes/locks.ts'
import { loginRoutes } from './routes/login.ts'
import { noticeRoutes } from './routes/notices.ts'
import { oidcRoutes } from './routes/oidc.ts'
import { passkeyRoutes } from './routes/passkeys.ts'
import { policyRoutes } from './routes/policy.ts'
import { preferenceRoutes } from './routes/preferences.ts'
import { serverRoutes } from './routes/servers.ts'
import { sessionRoutes } from './routes/session.ts'
import { standInRoutes } from './routes/stand-ins.ts'
import { switchRoutes } from './routes/switches.ts'
import { systemRoutes } from './routes/system.ts'
import { talkRoutes } from './routes/talk.ts'
import { runRoutes } from './runs/routes.ts'
import { savedViewRoutes } from './saved-views/routes.ts'
import type { Services } from './services.ts'

/** Every address of the API. What is not in here does not exist, except for pages. */
export function routesOf(services: Services, doors: readonly Route[] = []): readonly Route[] {
  const routes = [
    ...sessionRoutes(services),
    ...oidcRoutes(services),
    ...loginRoutes(services),
    // Before those with an id: the first one that fits is taken.
    ...historyRoutes(services),
    ...approvalRoutes(services),
    ...insightRoutes(services),
    ...decisionRoutes(services),
    ...talkRoutes(services),
    ...runRoutes(services),
    ...passkeyRoutes(services),
    ...callRoutes(services),
    ...answerRoutes(services),
    ...grantRoutes(services),
    ...lockRoutes(services),
    ...serverRoutes(services),
    ...switchRoutes(services),
    ...policyRoutes(services),
    ...noticeRoutes(services),
    ...channelRoutes(services),
    ...deviceRoutes(services),
    ...preferenceRoutes(services),
    ...onCallRoutes(services),
    ...savedViewRoutes(services),
    ...standInRoutes(services),
    ...accountRoutes(services),
    ...inviteRoutes(services),
    ...holdRoutes(services),
    ...auditRoutes(services),
    ...systemRoutes(services),
    ...doors,
  ]
  // What the paths are relative to: where this is mounted.
  const servers = [{ url: services.base || '/' }]
  const documents = new Map<OpenApiVersion, Json>()
  const description: Route = route(
    'GET /openapi.json',
    ({ query: { version: as = '3.1' }, raw }) => {
      const served = new Set<string>([...routes, description].map(({ name }) => name))
      const { version } = services
      const document = documents.get(as) ?? {
        ...(openApi({ version, isServed: (name) => served.has(name), as }) as JsonObject),
        servers,
      }
      documents.set(as, document)
      return raw(Response.json(document))
    },
  )
  return [...routes, description]
}

/** What `countersign start` serves, and what another program mounts. */
export function createApp(services: Services, routes: readonly Route[] = routesOf(services)): Hono {
  const { store, credentials, limits, metrics, publicUrl, base, inbox, docs, log } = services
  const app = new Hono({
    router: exactFirst(),
    ...(base === '' ? {} : { getPath: (request: Request) => pathUnder(base, request) }),
  })
  const around = everyRequest({ publicUrl, metrics, log })
  const { note } = services.attempts
  const door: Door = { credentials, calls: limits.calls, locks: lockCopy(store), refused: note }
  // One handler for each address and no middleware: Hono calls a single handler directly.
  for (const spec of routes) {
    app.on(spec.method.toUpperCase(), spec.path, around(spec.path, handlerOf(spec, door)))
  }
  const served = inbox && serveInbox(inbox, base)
  for (const [address, file] of served?.files ?? []) app.get(address, around(address, file))
  const pages = docs && serveDocs(docs)
  if (pages) {
    for (const [address, page] of pages.files) app.get(address, around(address, page))
    app.get('/docs', around('/docs', pages.start))
    app.get('/docs/*', around('/docs/*', pages.missing))
  }
  app.notFound(around('/*', elsewhere(base, served)))
  return app
}

/** Where no route is: a page of the inbox, or nothing. */
function elsewhere(base: string, inbox: ServedInbox | undefined): Handler {
  const hint = `Mount fetch so that paths keep the prefix ${base}, or change basePath.`
  return (c) => {
    const { method, path } = c.req
    if (path === OUTSIDE) {
      return refuse(c, 'not_found', `Countersign is mounted at ${base}`, hint)
    }
    const isRead = method === 'GET' || method === 'HEAD'
    if (isRead && !inbox && path === '/') return c.text(NOT_BUILT)
    return (isRead && inbox?.page(c)) || refuse(c, 'not_found', 'there is nothing at this address')
  }
}

const NOT_BUILT = 'The inbox was not built. In a checkout, `npm start` builds it.\n'

/** No route and no page: a path that is not below the base path belongs to the host. */
const OUTSIDE = '/.outside'

const METADATA = /^(\/\.well-known\/oauth-(?:protected-resource|authorization-server))(\/.+)$/

/** Routes are written without the base path; requests arrive with it. */
function pathUnder(base: string, request: Request): string {
  const path = getPath(request)
  if (path === base) return '/'
  if (path.startsWith(`${base}/`)) return path.slice(base.length)
  // Of a server with a path, clients look for metadata in front of it (RFC 8414, RFC 9728). The host
  // of this server forwards that, or not.
  const [, name, rest] = METADATA.exec(path) ?? []
  const isOurs = rest === base || rest === `${base}/mcp`
  return isOurs ? `${name}${rest.slice(base.length)}` : OUTSIDE
}
