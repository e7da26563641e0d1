import { broken, type Evidence, type Violation } from './check.ts'

/** INV-13: every call that a grant let through took exactly one use, and never more than there are. */
export function checkGrants({ records, sightings }: Evidence): Violation[] {
  const { grants, uses, approvals } = records
  const found: Violation[] = []
  for (const { id, uses: counted, limits, spent } of grants) {
    const own = uses.filter(({ grant }) => grant === id)
    if (own.length !== counted || counted > limits.uses) {
      found.push(
        broken(13, `grant ${id} counts ${counted} of ${limits.uses}, ${own.length} on record`),
      )
    }
    if (Number(spent) > (limits.budget?.most ?? Number.POSITIVE_INFINITY)) {
      found.push(broken(13, `grant ${id} spent ${spent}`))
    }
  }
  const used = new Map(uses.map(({ grant, approval }) => [approval, grant]))
  for (const { id, grant } of approvals.values()) {
    if (grant !== used.get(id)) found.push(broken(13, `${id} and the uses of its grant disagree`))
  }
  for (const { approval, phase } of sightings) {
    const grant = approvals.get(approval)?.grant
    if (phase === 'start' && grant !== undefined && !used.has(approval)) {
      found.push(broken(13, `${approval} started by a grant without a use`))
    }
  }
  return found
}
