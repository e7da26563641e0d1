import { foldAddress } from '../../base/address.ts'
import type { OnCall } from '../../base/on-call/on-call.ts'
import { isZone } from '../../base/on-call/wall-clock.ts'
import { failure, type Result, success } from '../../base/result.ts'
import { NAME } from '../call.ts'
import type { Group } from '../document.ts'
import { key, object, type Section } from '../read/read-object.ts'
import { type At, list, parsed, refuse, type Shape, table } from '../read/read-shape.ts'
import { notifyPause } from './grammar-notify.ts'
import { email, sentence } from './grammar-values.ts'

const emails = list(email, { wants: 'a list of e-mail addresses', name: foldAddress })

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

interface Handover {
  readonly weekday?: number
  readonly minute: number
}

const handover: Shape<Handover> = parsed(
  'a time such as monday 09:00, or daily 09:00',
  readHandover,
  {
    schema: { pattern: `^(daily|${DAYS.join('|')}) ([01][0-9]|2[0-3]):[0-5][0-9]$` },
  },
)

function readHandover(written: string): Result<Handover> {
  const [, day = '', hours, minutes] = /^(\w+) ([01]\d|2[0-3]):([0-5]\d)$/.exec(written) ?? []
  const weekday = DAYS.indexOf(day)
  if (weekday < 0 && day !== 'daily') {
    return failure('write a day and a time, such as monday 09:00, or daily 09:00')
  }
  const minute = 60 * Number(hours) + Number(minutes)
  return success(weekday < 0 ? { minute } : { weekday, minute })
}

const zone: Shape<string> = parsed('a time zone such as Europe/Berlin', (written) =>
  isZone(written) ? success(written) : failure('this is not a time zone, such as Europe/Berlin'),
)

const DAY_MS = 86_400_000

const date: Shape<number> = parsed(
  'a date such as 2026-01-05',
  (written): Result<number> => {
    const at = /^\d{4}-\d\d-\d\d$/.test(written) ? Date.parse(`${written}T00:00:00Z`) : Number.NaN
    // A day that its month does not have would become one of the next month.
    const isDay = !Number.isNaN(at) && new Date(at).toISOString().startsWith(written)
    return isDay ? success(at / DAY_MS) : failure('this is not a date, such as 2026-01-05')
  },
  { schema: { pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' } },
)

// Quiet: the address of a calendar often holds the secret that opens it.
const calendar: Shape<string> = parsed(
  'an https address or the name of a file',
  (written): Result<string> => {
    if (written.trim() === '' || written.length > 2_000) return failure('it is empty or too long')
    if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(written)) return success(written)
    const isWeb = URL.canParse(written) && /^https?:$/.test(new URL(written).protocol)
    return isWeb ? success(written) : failure('write an https address or the name of a file')
  },
  { quiet: true },
)

const onCall = object(
  'on_call',
  {
    rotation: key(emails, 'Members in the order of their turns.'),
    handover: key(handover, 'When a turn ends and the next begins: monday 09:00, or daily 09:00.'),
    zone: key(zone, 'The time zone of the handover; UTC unless set.'),
    since: key(date, 'A day within the first turn of the first member.'),
    calendar: key(
      calendar,
      'In place of a rotation: an iCalendar file or address that the server reads.',
    ),
    others_after: key(
      notifyPause,
      'How long without a decision until the other members are told, too; 15m unless set.',
    ),
  },
  {
    hints: {
      timezone: 'did you mean `zone`?',
      ical: 'did you mean `calendar`?',
      url: 'did you mean `calendar`?',
      people: 'did you mean `rotation`?',
      members: 'did you mean `rotation`?',
      only: 'on call says who is told first; every member may decide',
    },
    schema: {
      oneOf: [{ required: ['rotation', 'handover', 'since'] }, { required: ['calendar'] }],
    },
  },
)

const groupMap = object('a group', {
  claim: key(sentence, 'People who sign in with this claim are in the group.'),
  members: key(emails, 'The addresses of its members.'),
  on_call: key(onCall, 'Which of them is told first.'),
})

const GROUP_WANTS =
  'a list of e-mail addresses, { claim: text }, or { members: [...], on_call: {...} }'

const group: Shape<Group> = {
  wants: GROUP_WANTS,
  read(tree, at) {
    if (tree.kind === 'list') {
      const read = emails.read(tree, at)
      return read && { emails: read.map(({ value }) => value) }
    }
    if (tree.kind !== 'map') return refuse(tree, at, GROUP_WANTS)
    const section = groupMap.read(tree, at)
    // A misspelt key was said; that the right one is missing need not be.
    const isKnown = tree.entries.every(({ key: word }) => Object.hasOwn(groupMap.keys, word))
    return section && isKnown ? groupOf(section, at) : undefined
  },
  schema: (defs) => ({
    anyOf: [
      emails.schema(defs),
      {
        ...groupMap.schema(defs),
        oneOf: [{ required: ['claim'] }, { required: ['members'] }],
      },
    ],
  }),
}

function groupOf(
  { values, places, place }: Section<(typeof groupMap)['keys']>,
  at: At,
): Group | undefined {
  const says = ['claim', 'members'].filter((word) => places.has(word))
  if (says.length !== 1) {
    const problem =
      says.length === 0
        ? '`claim` is missing; add `claim: finance-approvers`, or `members` with addresses'
        : 'a group has members or a claim; keep one of them'
    at.report.mistake(place, at.path, says.length === 0 ? 'missing_key' : 'both_keys', problem)
    return undefined
  }
  const members = values.members?.map(({ value }) => value)
  const schedule = values.on_call && onCallOf(values.on_call, members, at)
  const more = schedule ? { onCall: schedule } : {}
  if (members) return { emails: members, ...more }
  return values.claim === undefined ? undefined : { claim: values.claim, ...more }
}

const OTHERS_AFTER = 15 * 60_000

function onCallOf(
  { values, places, place, path }: Section<(typeof onCall)['keys']>,
  members: readonly string[] | undefined,
  { report }: At,
): OnCall | undefined {
  const { rotation, handover: turns, since, calendar: file, others_after } = values
  const othersAfter = others_after ?? OTHERS_AFTER
  if (places.has('rotation') === places.has('calendar')) {
    const problem = 'write either `rotation` with `handover` and `since`, or `calendar`'
    report.mistake(place, path, places.has('calendar') ? 'both_keys' : 'missing_key', problem)
    return undefined
  }
  if (places.has('calendar')) {
    return file === undefined ? undefined : { by: { calendar: file }, othersAfter }
  }
  for (const missing of ['handover', 'since'] as const) {
    if (places.has(missing)) continue
    const example = { handover: 'monday 09:00', since: '2026-01-05' }[missing]
    const problem = `\`${missing}\` is missing; add \`${missing}: ${example}\``
    report.mistake(place, path, 'missing_key', problem)
  }
  const known = members && new Set(members.map(foldAddress))
  for (const { value, place: spot, path: where } of rotation ?? []) {
    if (!known || known.has(foldAddress(value))) continue
    report.mistake(spot, where, 'not_a_member', `${value} is not a member of this group`)
  }
  if (!rotation || !turns || since === undefined) return undefined
  const people = rotation.map(({ value }) => foldAddress(value))
  return { by: { rotation: { people, zone: values.zone ?? 'UTC', since, ...turns } }, othersAfter }
}

const groups = table(group, {
  wants: 'a map such as { finance: [ana@example.com] }',
  keyPattern: NAME,
  problem: 'the name of a group is 1 to 128 letters, digits, _ . or -',
})

export const people = object('people', {
  groups: key(groups, 'Groups by name: a list of e-mail addresses, or a claim of the sign-in.'),
})

export const PEOPLE_PARTS = [onCall, people] as const
