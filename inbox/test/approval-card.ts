import type { ApprovalCard } from '../../src/api/approval.ts'
import type { WirePerson } from '../../src/api/common.ts'
import { CARD } from '../../test/support/approval-card.ts'

const person = (name: string): WirePerson => ({
  issuer: 'local',
  subject: name.toLowerCase(),
  name,
  email: `${name.toLowerCase()}@example.com`,
})

export const ANA = person('Ana')
export const BO = person('Bo')

/** A pending call with these arguments, asked twenty minutes before `now`, with an hour to decide. */
export function cardWith(
  given: Partial<Omit<ApprovalCard, 'arguments'>> & { readonly args: unknown },
  now: number,
): ApprovalCard {
  const { args, ...more } = given
  const text = JSON.stringify(args)
  return {
    ...CARD,
    level: 'confirm',
    server: 'demo',
    agent: 'Support agent',
    principal: 'Hana',
    message: `Run '${given.tool}' with arguments ${text}?`,
    askedAt: now - 1_200_000,
    decideBy: now + 3_600_000,
    arguments: text,
    bytes: Buffer.byteLength(text),
    ...more,
  }
}
