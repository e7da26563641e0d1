import { Hono } from 'hono'
import { openApi } from '../api/openapi.ts'
import { lockOnPerson } from '../approval/locks/lock.ts'
import type { Json } from '../base/json/json.ts'
import { lockCopy } from '../gate/admin/operator-state.ts'
import { addInbox } from './http/inbox-files.ts'
import { refuse, refuseError } from './http/refusal.ts'
import { observed } from './http/request-log.ts'
import { type Door, mount, type Route, route } from './http/route.ts'
import { onlyOwnPages, securityHeaders } from './http/same-origin.ts'
import { callerOf } from './identity/caller.ts'
import { accountRoutes } from './routes/accounts.ts'
import { answerRoutes } from './routes/answers.ts'
import { approvalRoutes } from './routes/approvals.ts'
import { auditRoutes } from './routes/audit.ts'
import { callRoutes } from './routes/calls.ts'
import { decisionRoutes } from './routes/decisions.ts'
import { grantRoutes } from './routes/grants.ts'
import { lockRoutes } from './routes/locks.ts'
import { loginRoutes } from './routes/login.ts'
import { noticeRoutes } from './routes/notices.ts'
import { oidcRoutes } from './routes/oidc.ts'
import { passkeyRoutes } from './routes/passkeys.ts'
import { policyRoutes } from './routes/policy.ts'
import { serverRoutes } from './routes/servers.ts'
import { sessionRoutes } from './routes/session.ts'
import { standInRoutes } from './routes/stand-ins.ts'
import { switchRoutes } from './routes/switches.ts'
import { systemRoutes } from './routes/system.ts'
import type { Services } from './services.ts'

/** Every address of the API. What is not in here does not exist, except for pages. */
export function routesOf(services: Services, doors: readonly Route[] = []): readonly Route[] {
  const routes = [
    ...sessionRoutes(services),
    ...oidcRoutes(services),
    ...loginRoutes(services),
    ...approvalRoutes(services),
    ...decisionRoutes(services),
    ...passkeyRoutes(services),
    ...callRoutes(services),
    ...answerRoutes(services),
    ...grantRoutes(services),
    ...lockRoutes(services),
    ...serverRoutes(services),
    ...switchRoutes(services),
    ...policyRoutes(services),
    ...noticeRoutes(services),
    // Before people, whose ids could be read as this word.
    ...standInRoutes(services),
    ...accountRoutes(services),
    ...auditRoutes(services),
    ...systemRoutes(services),
    ...doors,
  ]
  let document: Json | undefined
  const description: Route = route('GET /openapi.json', ({ raw }) => {
    const served = new Set<string>([...routes, description].map(({ name }) => name))
    document ??= openApi(services.version, (name) => served.has(name))
    return raw(Response.json(document))
  })
  return [...routes, description]
}

/** What `countersign start` serves. */
export function createApp(services: Services, routes: readonly Route[] = routesOf(services)): Hono {
  const { credentials, metrics, publicUrl, inbox, log } = services
  const app = new Hono()
  const locks = lockCopy(services.store)
  const door: Door = {
    who: (c) => callerOf(c, credentials),
    calls: services.limits.calls,
    lockOn: async (person) => lockOnPerson(await locks.current(), person, locks.now()),
  }
  app.use(securityHeaders)
  app.use(onlyOwnPages(publicUrl))
  app.onError((error, c) => refuseError(error, c, log))
  app.notFound((c) => refuse(c, 'not_found', 'there is nothing at this address'))
  app.use(observed(metrics, log))
  for (const spec of routes) mount(app, spec, door)
  if (inbox) addInbox(app, inbox)
  else
    app.get('/', (c) => c.text('The inbox was not built. In a checkout, `npm start` builds it.\n'))
  return app
}
