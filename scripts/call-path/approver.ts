/** Approves every question in the database that it is given, until its parent ends. */
import { setTimeout as pause } from 'node:timers/promises'
import { createGate } from '../../src/gate/gate.ts'
import { definePolicy } from '../../src/policy/load/define-policy.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'

const EVERY_MS = 20

const by = {
  issuer: 'local',
  subject: 'ana@example.com',
  roles: ['approver'],
  groups: [],
  assurance: 'signed-in',
} as const

const [database = ''] = process.argv.slice(2)
const store = sqliteStore(database)
const { approvals } = createGate({ policy: definePolicy({}), store, announce: false })
process.on('disconnect', () => process.exit())
for (;;) {
  const { approvals: pending } = await approvals.list({ status: ['pending'] })
  for (const { id, digest } of pending) {
    await approvals.decide(id, { by, verdict: 'approve', seen: digest })
  }
  await pause(EVERY_MS)
}
