import { canonicalJson, freshParse, isSafeNumber } from '../../base/json/canonical.ts'
import { isAmount } from '../../base/json/decimal.ts'
import { isPlainObject, type Json } from '../../base/json/json.ts'
import type { PersonId, PersonName } from '../people/person.ts'
import {
  digest,
  id,
  Mismatch,
  members,
  name,
  oneOf,
  optional,
  path,
  person,
  personName,
  type Reader,
  text,
  time,
  whole,
  yes,
} from '../shape.ts'
import {
  type Budget,
  GRANT_STATES,
  type Grant,
  type GrantLimits,
  type GrantScope,
  MAX_GRANT_MS,
  MAX_GRANT_USES,
} from './grant.ts'
import type { EndGrant, EraseGrant, GrantCommand, Mint, NewGrant, Revoke } from './grant-command.ts'

const CONDITION_LIMITS = { depth: 8, bytes: 16_384 }
const MAX_REASON = 4_096

/** What a call may take from a budget. */
export const amount: Reader<number> = (value) => {
  if (isAmount(value) && isSafeNumber(value)) return value
  throw new Mismatch('a finite number from 0 is needed')
}

const condition: Reader<Json> = (value) => freshParse(canonicalJson(value, CONDITION_LIMITS))

const principal: Reader<PersonName | null> = (value) => (value === null ? null : personName(value))

const scope = members<GrantScope>({
  kind: oneOf(['tool', 'agent', 'skill']),
  tool: name,
  server: optional(name),
  agent: name,
  run: optional(name),
  door: optional(name),
  definition: optional(digest),
  principal: optional(principal),
})

const budget: Reader<Budget> = members<Budget>({ path: text(1_024), keys: path, most: amount })

const limitFields = members<GrantLimits>({
  digest: optional(digest),
  condition: optional(condition),
  uses: whole(1, MAX_GRANT_USES),
  budget: optional(budget),
})

const limits: Reader<GrantLimits> = (value) => {
  const read = limitFields(value)
  if ((read.digest === undefined) !== (read.condition === undefined)) return read
  throw new Mismatch('a digest or a condition is needed, and not both')
}

const wanted = {
  id,
  scope,
  limits,
  lasts: whole(1_000, MAX_GRANT_MS),
  reason: optional(text(MAX_REASON)),
}

export const newGrant: Reader<NewGrant> = members<NewGrant>(wanted)

const READERS = {
  mint: members<Mint>({
    ...wanted,
    type: oneOf(['mint']),
    commandId: id,
    tenant: id,
    by: person,
    from: optional(id),
  }),
  revoke: members<Revoke>({ type: oneOf(['revoke']), commandId: id, by: optional(person) }),
  end: members<EndGrant>({ type: oneOf(['end']), commandId: id }),
  erase: members<EraseGrant>({ type: oneOf(['erase']), commandId: id }),
}

export function readGrantCommand(value: unknown): GrantCommand {
  const type = isPlainObject(value) ? value.type : undefined
  if (typeof type !== 'string' || !Object.hasOwn(READERS, type)) {
    throw new Mismatch(`a command for a grant is one of ${Object.keys(READERS).join(', ')}`)
  }
  return READERS[type as keyof typeof READERS](value)
}

const recordFields = members<Grant>({
  id,
  tenant: id,
  revision: whole(1, Number.MAX_SAFE_INTEGER - 1),
  state: oneOf(GRANT_STATES),
  by: person,
  reason: optional(text(MAX_REASON)),
  from: optional(id),
  scope,
  limits: limitFields,
  uses: whole(0, MAX_GRANT_USES),
  spent: text(1_000, /^\d+(\.\d+)?$/),
  mintedAt: time,
  endsAt: time,
  changedAt: time,
  endedBy: optional(members<PersonId>({ issuer: name, subject: name })),
  erased: optional(yes),
  command: id,
})

/** A record that contradicts itself covers nothing. */
export const grantRecord: Reader<Grant> = (value) => {
  const read = recordFields(value)
  if (!read.erased) limits(read.limits)
  else if (read.state === 'live') throw new Mismatch('a grant that was erased is over')
  return read
}
