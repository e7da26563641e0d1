import type { Saboteur } from '../saboteur.ts'

const onCall = { tests: ['test/gate/on-call.test.ts'] } as const
const digests = { tests: ['test/gate/digests.test.ts'] } as const
const rules = { tests: ['test/gate/notify-rules.test.ts'] } as const

/** Who is told first, by which channel, and what waits for a digest. */
export const ON_CALL_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a person on call who does not hear of it counts as told',
    file: 'src/gate/notify/on-call-first.ts',
    before: 'able.filter(Boolean).length < neededOf(approval, group)',
    after: 'able.length < neededOf(approval, group)',
    caughtBy: onCall,
  },
  {
    name: 'one person on call is enough for any quorum',
    file: 'src/gate/notify/on-call-first.ts',
    before: 'return Math.max(1, ...parts.map(({ n }) => n))',
    after: 'return parts.length < 0 ? 0 : 1',
    caughtBy: onCall,
  },
  {
    name: 'a schedule with a gap puts the whole group on hold',
    file: 'src/gate/notify/on-call-first.ts',
    before: 'Math.max(1, ...parts',
    after: 'Math.max(0, ...parts',
    caughtBy: onCall,
  },
  {
    name: 'the others wait although the person on call was not reached',
    file: 'src/gate/notify/held.ts',
    before: "(isNext || held.why === 'on-call')",
    after: 'isNext',
    caughtBy: onCall,
  },
  {
    name: 'an urgent call waits for a digest',
    file: 'src/gate/notify/routing.ts',
    before: 'const digest = isUrgent ? undefined : digests.find(',
    after: 'const digest = digests.find(',
    caughtBy: digests,
  },
  {
    name: 'a call expires while it waits for a digest',
    file: 'src/gate/notify/routing.ts',
    before: "return due <= last ? { due, why: 'digest' } : first",
    after: "return { due, why: 'digest' }",
    caughtBy: digests,
  },
  {
    name: 'what was given up is forgotten',
    file: 'src/gate/notify/send-held.ts',
    before: 'await postpone(records, held, { due: now, stuck: problemText(message) })',
    after: 'if (problemText(message) !== undefined) await release(records, held.id)',
    caughtBy: digests,
  },
  {
    name: 'a person chooses where the policy leaves no choice',
    file: 'src/gate/notify/routing.ts',
    before: ': { ...pace, ...said }),',
    after: ': { ...pace, ...said, ...(order ? { order } : {}) }),',
    caughtBy: rules,
  },
  {
    name: 'a guessed risk counts as a rating where people are told',
    file: 'src/gate/notify/route-people.ts',
    before: 'rated.riskGuessed ? undefined : rated.risk',
    after: 'rated.risk',
    caughtBy: rules,
  },
  {
    name: 'a digest comes again while its notices are tried for others',
    file: 'src/gate/notify/held.ts',
    before: 'if (await records.get(TOLD_RECORD, id)) return id',
    after: 'await records.get(TOLD_RECORD, id)',
    caughtBy: { tests: ['test/gate/digest-retries.test.ts'] },
  },
  {
    name: 'the time zones of one calendar count in another',
    file: 'src/server/on-call/calendar.ts',
    before: "const events = root.getAllSubcomponents('vevent')",
    after:
      "for (const zone of root.getAllSubcomponents('vtimezone')) ical.TimezoneService.register(new ical.Timezone(zone))\n  const events = root.getAllSubcomponents('vevent')",
    caughtBy: { tests: ['src/server/on-call/calendar.test.ts'] },
  },
  {
    name: 'a calendar that fails is answered from an older copy of no one',
    file: 'src/server/on-call/schedules.ts',
    before: "if ('problem' in known) return known",
    after: "if ('problem' in known) return { othersAfter, people: [] }",
    caughtBy: { tests: ['src/server/on-call/schedules.test.ts'] },
  },
  {
    name: 'a draft of the inbox makes the server read a file',
    file: 'src/server/policy/ways-out.ts',
    before: 'const reached = [...peers, ...calendars]',
    after: 'const reached = calendars.length < 0 ? [] : peers',
    caughtBy: { tests: ['test/server/rules.test.ts'] },
  },
  {
    name: 'viewers read where a calendar is',
    file: 'src/policy/tooling/rules-text.ts',
    before: "isPeople && depth === CALENDAR_DEPTH && key === 'calendar'",
    after: 'isPeople && depth === CALENDAR_DEPTH && key === HIDDEN_CALENDAR',
    caughtBy: { tests: ['test/server/policy-text.test.ts'] },
  },
]
