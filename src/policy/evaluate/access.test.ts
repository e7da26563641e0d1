import { expect, test } from 'vitest'
import { policyOf } from '../../../test/support/policy.ts'
import { type Access, accessVerdict } from './access.ts'
import { annotated, custom, denyAll, observe } from './mode.ts'

const READ: Access = {
  server: 'db',
  kind: 'resources',
  method: 'resources/read',
  name: 'db://users',
  args: { uri: 'db://users' },
}
const COMPLETE: Access = { ...READ, method: 'completion/complete' }
const LEVEL: Access = { ...READ, kind: 'other', method: 'logging/setLevel' }
const ASKS = policyOf(
  'version: 1\nmcp_servers: [{ alias: db, server_ref: x, resources: confirm }]\n',
)
const SILENT = policyOf('version: 1\nmcp_servers: [{ alias: db, server_ref: x }]\n')
const GOVERNED = policyOf(
  'version: 1\nmcp_servers: [{ alias: db, server_ref: x, resources: allow }]\ngovernance: [{ id: all, match: { server: "*" }, approval: true }]\n',
)
const byFunction = custom(() => false)

test.each([
  ['a word that asks', ASKS, READ, annotated(), 'ask'],
  ['a completion of it', ASKS, COMPLETE, annotated(), 'ask'],
  ['nothing said', SILENT, READ, annotated(), 'allow'],
  ['effects', SILENT, { ...READ, risk: 'L2' }, annotated(), 'ask'],
  ['no effects', SILENT, { ...READ, risk: 'L0' }, annotated(), 'allow'],
  ['a rule for everything', GOVERNED, READ, annotated(), 'ask'],
  ['a level is never asked about', GOVERNED, LEVEL, annotated(), 'allow'],
  ['denyAll', SILENT, READ, denyAll(), 'deny'],
  // The gate records what the rules would have said, and lets it run.
  ['observe', ASKS, READ, observe(), 'ask'],
  ['a completion under observe', ASKS, COMPLETE, observe(), 'allow'],
  // The gate asks the function.
  ['custom', SILENT, READ, byFunction, 'ask'],
  ['a completion under custom', SILENT, COMPLETE, byFunction, 'allow'],
] as const)('%s', (_, policy, access, mode, verdict) => {
  expect(accessVerdict(policy, access as Access, mode, 'bot').verdict).toBe(verdict)
})
