import type { DecisionPoint } from '../document.ts'
import type { Policy } from '../policy.ts'

/** Decision points of one policy that another one does not ask. */
export function unaskedBy(served: Policy, other: Policy): readonly DecisionPoint[] {
  const words = ({ url, token, timeout, onError }: DecisionPoint) =>
    JSON.stringify([url, token, timeout, onError])
  const asked = new Set(served.pdps.map(words))
  return other.pdps.filter((point) => !asked.has(words(point)))
}
