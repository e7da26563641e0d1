import type { Request } from '../approval/command.ts'
import type { Grant } from '../approval/grants/grant.ts'
import type { Mint, Revoke } from '../approval/grants/grant-command.ts'
import type { Person } from '../approval/people/person.ts'
import { newId } from '../base/id.ts'
import { type Asking, approverNamed, asking } from './commands.ts'

/** Commands about grants as a gate sends them, for tests of what comes after it. */

const HOUR = 3_600_000

export interface Minting {
  readonly id?: string
  readonly tenant?: string
  readonly by?: Person
  readonly uses?: number
  readonly lasts?: number
  /** The most that may be spent of the argument `amount`. */
  readonly most?: number
  readonly scope?: Partial<Mint['scope']>
  readonly reason?: string
}

export function minting({
  id,
  tenant,
  by,
  uses = 3,
  lasts,
  most,
  scope,
  reason,
}: Minting = {}): Mint {
  const budget = most === undefined ? {} : { budget: { path: 'amount', keys: ['amount'], most } }
  return {
    type: 'mint',
    commandId: crypto.randomUUID(),
    id: id ?? newId(),
    tenant: tenant ?? 'default',
    by: by ?? approverNamed('ana'),
    scope: { kind: 'tool', tool: 'pay', agent: 'biller', ...scope },
    limits: { condition: { args_match: { amount: { lte: 50 } } }, uses, ...budget },
    lasts: lasts ?? HOUR,
    ...(reason === undefined ? {} : { reason }),
  }
}

export interface Granted extends Asking {
  readonly amount?: number
  readonly minter?: Person
  /** Approved, and left to be claimed later. */
  readonly unclaimed?: boolean
}

/** A call that this grant lets through, as far as the gate can say. */
export function granted(
  { id, by, tenant }: Pick<Grant, 'id' | 'by' | 'tenant'>,
  { amount, minter = by, unclaimed = false, ...what }: Granted = {},
): Request {
  const holder = { claim: crypto.randomUUID(), instance: 'some-process' }
  return {
    ...asking({ tenant, ...what }),
    grant: {
      id,
      minter,
      covered: true,
      ...(amount === undefined ? {} : { amount }),
      ...(unclaimed ? {} : { holder }),
    },
  }
}

export function revoking(by?: Person): Revoke {
  return { type: 'revoke', commandId: crypto.randomUUID(), ...(by ? { by } : {}) }
}
