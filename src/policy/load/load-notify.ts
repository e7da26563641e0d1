import type { NotifyRule } from '../document.ts'
import type { NotifySection } from '../grammar/grammar-notify.ts'
import type { Placed } from '../read/read-shape.ts'
import { type Around, checkGroup, dropUndefined } from './load-approval.ts'

/** `notify`: each rule says something, and only a rule for everything may end the list early. */
export function notifyOf(
  rules: readonly Placed<NotifySection>[] | undefined,
  around: Around,
): readonly NotifyRule[] {
  const found = (rules ?? []).map((rule) => ruleOf(rule, around))
  const last = found.findIndex((one) => isForAll(one))
  const unread = last < 0 ? undefined : rules?.[last + 1]
  if (unread) {
    const problem = 'the rule before it is for every call and person, so this one never counts'
    around.report.warn(unread.place, unread.path, 'never_happens', problem)
  }
  return found
}

function ruleOf(
  { value: { values, places }, place, path }: Placed<NotifySection>,
  around: Around,
): NotifyRule {
  const { group, tool, server, risk, channels } = values
  if (group !== undefined) {
    checkGroup(group, places.get('group') ?? place, `${path}.group`, around)
  }
  if (!SAYS.some((word) => places.has(word))) {
    const problem = `the rule says nothing; add ${SAYS.join(', ')}`
    around.report.mistake(place, path, 'missing_key', problem)
  }
  return dropUndefined({
    ...{ group, tool, server, risk },
    channels: channels?.map(({ value }) => value),
    nextAfter: values.next_after,
    atOnce: values.at_once,
    peopleChoose: values.people_choose,
    place,
  })
}

const SAYS = ['channels', 'next_after', 'at_once', 'people_choose'] as const

function isForAll({ group, tool, server, risk }: NotifyRule): boolean {
  return [group, tool, server, risk].every((one) => one === undefined)
}
