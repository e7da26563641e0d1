import type { Policy } from '../../policy/policy.ts'
import { createSchedules } from '../../server/on-call/schedules.ts'
import { type Finding, ok, warning } from './finding.ts'

/** Whether every schedule can be read, and names a person now. */
export async function onCallFindings(policy: Policy, now: number): Promise<Finding[]> {
  const schedules = createSchedules({ policy: () => policy })
  const named = [...policy.groups].filter(([, { onCall }]) => onCall).map(([name]) => name)
  const found = await Promise.all(
    named.map(async (group): Promise<Finding> => {
      const state = await schedules.onCall(group, now)
      if (!state || 'problem' in state) {
        const why = state?.problem ?? 'it has no schedule'
        const says = `the schedule of group ${group} cannot be read, so all of it are told at once: ${why}`
        return warning('on call', says, 'Mend the calendar, or write a rotation into the policy.')
      }
      const { people } = state
      if (people.length > 0) return ok('on call', `group ${group}: ${people.join(', ')}`)
      const says = `the schedule of group ${group} names no person now, so all of it are told at once`
      return warning('on call', says, 'Look at `countersign oncall`, and fill the gap.')
    }),
  )
  return found
}
