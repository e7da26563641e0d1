import type { Migration } from './migration.ts'

export const policyEvents: Migration = {
  name: 'policy events',
  sql: `
-- What was last put into force is looked up at every start, however long the record is.
create index events_of_policy on events (tenant, position)
  where type in ('policy.loaded', 'policy.applied');
`,
}
