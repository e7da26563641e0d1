import type { Who } from '../../src/server/route.ts'

const ANYONE: readonly Who[] = ['anyone']
const AGENTS: readonly Who[] = ['agent']
const PEOPLE: readonly Who[] = ['viewer', 'approver', 'admin']
const ALL: readonly Who[] = [...PEOPLE, 'agent']
const ADMINS: readonly Who[] = ['admin']
const DECIDERS: readonly Who[] = ['approver', 'admin']

/**
 * Who may use which address, written down a second time: whoever adds a route, or lets more people
 * at one, says so here too.
 */
export const RIGHTS: Readonly<Record<string, readonly Who[]>> = {
  'POST /v1/session': ANYONE,
  'DELETE /v1/session': PEOPLE,
  'GET /v1/me': PEOPLE,
  'GET /v1/sign-in': ANYONE,
  'POST /v1/sign-in/oidc': ANYONE,
  'GET /sign-in/callback': ANYONE,
  'POST /v1/sign-in/callback': ANYONE,
  'POST /v1/login': ANYONE,
  'POST /v1/login/confirm': PEOPLE,
  'POST /v1/login/finish': ANYONE,
  'GET /v1/approvals': ALL,
  'GET /v1/approvals/:id': ALL,
  'GET /v1/approvals/:id/events': PEOPLE,
  'POST /v1/approvals/:id/decisions': PEOPLE,
  'POST /v1/approvals/:id/extend': PEOPLE,
  'POST /v1/approvals/:id/resolve': PEOPLE,
  'POST /v1/approvals/:id/reveal': DECIDERS,
  'POST /v1/approvals/:id/withdraw': ALL,
  'POST /v1/approvals/:id/grant-proposal': PEOPLE,
  'POST /v1/calls': AGENTS,
  'POST /v1/approvals/:id/claim': AGENTS,
  'POST /v1/approvals/:id/renew': AGENTS,
  'POST /v1/approvals/:id/result': AGENTS,
  'GET /v1/grants': PEOPLE,
  'POST /v1/grants': PEOPLE,
  'GET /v1/grants/:grant': PEOPLE,
  'GET /v1/grants/:grant/uses': PEOPLE,
  'DELETE /v1/grants/:grant': PEOPLE,
  'GET /v1/locks': ALL,
  'POST /v1/locks': DECIDERS,
  'DELETE /v1/locks/:lock': ADMINS,
  'GET /status.json': PEOPLE,
  'GET /v1/policy': ALL,
  'POST /v1/policy/explain': ALL,
  'GET /v1/policy/draft': ADMINS,
  'POST /v1/policy/apply': ADMINS,
  'GET /v1/notices': ADMINS,
  'POST /v1/notices/retry': ADMINS,
  'GET /v1/people': ADMINS,
  'POST /v1/people': ADMINS,
  'POST /v1/people/:person': ADMINS,
  'DELETE /v1/people/:person': ADMINS,
  'GET /v1/people/stand-ins': PEOPLE,
  'POST /v1/people/stand-ins': PEOPLE,
  'DELETE /v1/people/stand-ins/:standIn': PEOPLE,
  'POST /v1/people/stand-ins/:standIn/take-back': ADMINS,
  'GET /v1/servers': PEOPLE,
  'POST /v1/servers/look': DECIDERS,
  'GET /v1/switches': PEOPLE,
  'PUT /v1/servers/:server/switch': ADMINS,
  'DELETE /v1/servers/:server/switch': ADMINS,
  'PUT /v1/servers/:server/tools/:tool/switch': ADMINS,
  'DELETE /v1/servers/:server/tools/:tool/switch': ADMINS,
  'GET /v1/tokens': ADMINS,
  'POST /v1/tokens': ADMINS,
  'DELETE /v1/tokens/:prefix': ADMINS,
  'GET /v1/audit': ['viewer', 'admin'],
  'GET /v1/events': PEOPLE,
  'POST /v1/demo': ADMINS,
  'GET /healthz': ANYONE,
  'GET /readyz': ANYONE,
  'GET /metrics': ANYONE,
  'GET /.well-known/jwks.json': ANYONE,
  'GET /openapi.json': ANYONE,
}
