/** Made-up grants for the stand-in server. */
import type { GrantPage, WireGrant } from '../../src/api/grant.ts'
import { ANA } from './calls.ts'

const HOUR = 3_600_000

export function sampleGrants(now: number): GrantPage {
  const refund: WireGrant = {
    id: 'gr_1',
    state: 'live',
    counts: true,
    by: ANA,
    reason: 'Damaged parcels of the March shipment',
    from: 'ap_h1',
    rule: {
      kind: 'tool',
      tool: 'refund',
      server: 'shop',
      agent: 'Support agent',
      principal: 'hana@example.com',
      sameDefinition: true,
      arguments: 'condition',
      condition: { args_match: { amount: { lte: 50 }, currency: 'EUR', reason: 'damaged' } },
      uses: 20,
      budget: { path: 'amount', most: 400 },
      lasts: 8 * HOUR,
      words: [],
    },
    used: 7,
    usesLeft: 13,
    spent: '212.40',
    budgetLeft: '187.60',
    mintedAt: now - HOUR,
    endsAt: now + 7 * HOUR,
    mayRevoke: true,
  }
  const edit: WireGrant = {
    ...refund,
    id: 'gr_2',
    counts: false,
    why: 'The tool says something else about itself than when this was made.',
    rule: {
      kind: 'tool',
      tool: 'edit_file',
      server: 'files',
      agent: 'Coding agent',
      run: 'thread-81',
      sameDefinition: true,
      arguments: 'exact',
      digest: '9af449d0'.repeat(8),
      uses: 5,
      lasts: HOUR,
      words: [],
    },
    used: 1,
    usesLeft: 4,
  }
  return { grants: [refund, edit], now }
}
