import { expect } from 'vitest'
import { parseServed } from '../../src/cli/state/served-policy.ts'
import { heldBack } from '../../src/cli/state/unapplied-policy.ts'
import type { PolicyState } from '../../src/server/policy/active-policy.ts'
import { policyInForce } from '../../src/server/policy/policy-in-force.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { promise } from '../support/promise.ts'

const RULES = 'version: 1\ntools: { read: { approval: false } }\n'
const NO_READ = 'governance: [{ id: stop, match: { tool: read }, deny: Stopped. }]\n'
const PDP = 'pdp: https://pdp.example.com\n'
const READ = { tool: 'read', args: {} }

function sourcesOf(text: string) {
  return [{ role: 'owner', file: 'countersign.yaml', text }] as const
}

/** What becomes of a call where one policy is in force, and the file says something else by now. */
async function barred(inForce: string, onDisk: string) {
  const store = memoryStore()
  const sources = sourcesOf(inForce)
  const files = { running: parseServed(sources), sources } as unknown as PolicyState
  await policyInForce({ store, files, parse: () => files, apply: false })
  const authorize = await heldBack(store, parseServed(sourcesOf(onDisk)).policy)
  return authorize?.(READ)
}

promise.each(
  ['CS-AZ-18'],
  'a file without the decision point that is in force holds its calls back',
  [
    ['it was taken out', RULES],
    ['it is another one', `${RULES}pdp: https://other.example.com\n`],
    [
      'it asks a person when it fails',
      `${RULES}pdp: { url: "https://pdp.example.com", on_error: review }\n`,
    ],
  ],
  async (_, onDisk) => {
    expect(await barred(RULES + PDP, onDisk)).toMatchObject({ code: 'locked' })
  },
)

promise.each(
  ['CS-AZ-18'],
  'a file that says no less counts at once',
  [
    ['it asks a decision point besides', RULES, RULES + PDP],
    ['it denies the call anyway', RULES + PDP, RULES + NO_READ],
    ['only its rules are stricter', RULES + PDP, RULES + NO_READ + PDP],
  ],
  async (_, inForce, onDisk) => {
    expect(await barred(inForce, onDisk)).toBeUndefined()
  },
)
