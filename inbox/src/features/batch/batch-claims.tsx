import type { ApprovalCard } from '../../../../src/api/approval.ts'
import { shortDigest } from '../../lib/arguments/digest.ts'
import { t } from '../../lib/language/t.ts'
import { Claimed } from '../card/claimed.tsx'

/** What the agent said about several calls in the same words stands once. */
export function BatchClaims({ cards }: { cards: readonly ApprovalCard[] }) {
  // A workflow is of one call: its run belongs to what is said.
  const groups = Map.groupBy(cards, ({ claimed, id }) =>
    JSON.stringify([claimed, claimed?.workflow && id]),
  )
  return [...groups].map(([key, [first, ...rest]]) => {
    if (first === undefined) return null
    const calls = [first, ...rest]
    const of =
      rest.length > 0 && calls.length === cards.length ? (
        t('all {n} calls', { n: calls.length })
      ) : (
        <code>{calls.map(({ digest }) => shortDigest(digest)).join(', ')}</code>
      )
    return <Claimed key={key} card={first} of={of} />
  })
}
