import { SWITCHED } from '../workload/operations.ts'
import { broken, type Evidence, type Violation } from './check.ts'
import { isBefore, type Moment, momentsOf, operationsOf } from './moments.ts'

/**
 * INV-17: nothing starts without having been asked about unless asking was switched off just then,
 * and what a switch was last set to is what it is.
 */
export function checkSwitches(evidence: Evidence): Violation[] {
  return [...checkUnasked(evidence), ...checkLast(evidence)]
}

function checkUnasked(evidence: Evidence): Violation[] {
  const { sightings, restored } = evidence
  const at = momentsOf(evidence)
  const all = operationsOf(evidence)
  const turns = all.filter(({ asked }) => asked.kind === 'switch')
  const runs = all.filter(({ asked }) => asked.kind === 'run' || asked.kind === 'resume')
  return sightings.flatMap((one): Violation[] => {
    if (one.phase !== 'start' || one.approval !== '') return []
    if (one.tool !== SWITCHED.tool) return [broken(1, `${one.tool} started and nobody was asked`)]
    if (restored) return []
    const key = String((JSON.parse(one.args) as { memo?: string }).memo)
    const tried = runs
      .filter(({ asked }) => asked.pid === one.pid && asked.key === key)
      .map(({ asked }) => at(asked))
      .filter((moment) => isBefore(moment, at(one)))
      .at(-1)
    const began = tried ?? at(one)
    const wasOff = turns.some(
      ({ asked, end }) =>
        asked.on === false &&
        isBefore(at(asked), at(one)) &&
        !turns.some((other) => isUndoneBy(other, end ? at(end) : at(asked), began)),
    )
    return wasOff ? [] : [broken(17, `${key} started unasked, and asking was not switched off`)]
  })

  /** Asking was on again for sure between these two. */
  function isUndoneBy(
    { asked, end }: (typeof turns)[number],
    after: Moment,
    before: Moment,
  ): boolean {
    if (asked.on === false || end?.phase !== 'ok') return false
    return isBefore(after, at(asked)) && isBefore(at(end), before)
  }
}

/** By the record: the last event about it and the switch itself agree. */
function checkLast({ records }: Evidence): Violation[] {
  const last = records.events.findLast(({ type }) => type.startsWith('switch.'))
  if (last === undefined) return []
  const { on } = (JSON.parse(last.body) as { event: { facts: { on?: boolean } } }).event.facts
  const [kept] = records.switches
  return kept === on ? [] : [broken(17, `a switch was last set to ${on} and is ${kept}`, 'lost')]
}
