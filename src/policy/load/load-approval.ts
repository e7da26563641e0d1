import type { QuorumPart } from '../../base/oversight.ts'
import type { Ask, Declaration, Group, Place, ReasonPresets } from '../document.ts'
import { ALWAYS } from '../evaluate/condition.ts'
import type { VariableName } from '../evaluate/template.ts'
import type { Approval, ApprovalMap, HumanInTheLoop } from '../grammar/grammar-approval.ts'
import { didYouMean } from '../grammar/grammar-hints.ts'
import type { Report } from '../read/read-report.ts'
import { canFill } from './people.ts'

/** What a rule is about; decides which variables its message can ever have. */
export type Subject = 'tool' | 'server' | 'local_agent' | 'remote_agent' | 'skill' | 'governance'

export interface Around {
  readonly report: Report
  readonly groups: ReadonlyMap<string, Group>
  /** A group that is not in this file: a mistake here, or something to check once all files are known. */
  readonly strangers: 'refused' | 'later'
  /** The file's default for `decide_by`, where it has one. */
  readonly decideBy?: number
}

interface Declared {
  readonly values: { readonly approval?: Approval; readonly humanInTheLoop?: HumanInTheLoop }
  readonly places: ReadonlyMap<string, Place>
  readonly path: string
}

/** Both spellings of `approval` on a tool, a server, an agent or an entry of theirs. */
export function declarationOf(
  { values, places, path }: Declared,
  rule: string,
  subject: Subject,
  around: Around,
): Declaration | undefined {
  const approvalPlace = places.get('approval')
  const otherPlace = places.get('humanInTheLoop')
  if (approvalPlace && otherPlace) {
    const problem = '`approval` and `humanInTheLoop` say the same thing; keep one of them'
    around.report.mistake(otherPlace, `${path}.humanInTheLoop`, 'both_keys', problem)
  }
  if (approvalPlace && values.approval !== undefined) {
    const named = `${rule}.approval`
    if (values.approval === false) return { asks: 'never', rule: named, place: approvalPlace }
    return askOf(values.approval, named, approvalPlace, subject, around)
  }
  const other = values.humanInTheLoop?.values
  if (!otherPlace || other?.mode === undefined) return undefined
  const named = `${rule}.humanInTheLoop`
  if (other.mode === 'DISABLED') return { asks: 'never', rule: named, place: otherPlace }
  const { promptTemplate } = other
  return {
    asks: 'when',
    rule: named,
    place: otherPlace,
    condition: ALWAYS,
    ...(promptTemplate && { template: promptTemplate }),
  }
}

export function askOf(
  value: true | ApprovalMap,
  rule: string,
  place: Place,
  subject: Subject,
  around: Around,
): Ask {
  if (value === true) return { asks: 'when', rule, place, condition: ALWAYS }
  checkPeople(value, around)
  checkClocks(value, around)
  checkTemplate(value, subject, around)
  const { values } = value
  return dropUndefined({
    asks: 'when',
    rule,
    place,
    condition: values.condition ?? ALWAYS,
    template: values.message_template,
    approvers: values.approvers?.map((one) => one.value),
    quorum: quorumOf(value),
    decideBy: values.decide_by,
    useBy: values.use_by,
    remindAfter: values.remind_after,
    escalate: values.escalate?.flatMap(({ value: { values: step } }) =>
      step.after === undefined || step.to === undefined
        ? []
        : [dropUndefined({ after: step.after, to: step.to, for: step.for })],
    ),
    reason: values.reason,
    reasons: presetsOf(value),
    edit: values.edit,
    minAssurance: values.min_assurance,
    grants: values.grants,
    rememberNo: values.remember_no,
  })
}

/** Absent keys stay absent, so that two documents that say the same are equal. */
export function dropUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T
}

function presetsOf({ values }: ApprovalMap): ReasonPresets | undefined {
  if (values.reasons === undefined) return undefined
  const { deny, approve } = values.reasons.values
  return {
    ...(deny === undefined ? {} : { deny: deny.map(({ value }) => value) }),
    ...(approve === undefined ? {} : { approve: approve.map(({ value }) => value) }),
  }
}

function quorumOf({ values }: ApprovalMap) {
  return values.quorum?.flatMap(({ value: { values: part } }) =>
    part.group === undefined || part.n === undefined ? [] : [{ group: part.group, n: part.n }],
  )
}

function checkPeople(map: ApprovalMap, around: Around): void {
  const { values, places } = map
  for (const { value, place, path } of values.approvers ?? []) {
    if (value !== '*' && 'group' in value) checkGroup(value.group, place, `${path}.group`, around)
  }
  for (const { value, path } of values.quorum ?? []) {
    const { group } = value.values
    if (group !== undefined) checkGroup(group, value.place, `${path}.group`, around)
  }
  const inQuorum = (values.quorum ?? []).flatMap(({ value }) => value.values.group ?? [])
  for (const { value, path } of values.escalate ?? []) {
    const { to, for: filled } = value.values
    const at = (key: string) => value.places.get(key) ?? value.place
    if (to !== undefined && to !== '*' && 'group' in to) {
      checkGroup(to.group, at('to'), `${path}.to.group`, around)
    }
    if (filled !== undefined && !inQuorum.includes(filled)) {
      const hint = inQuorum.length === 0 ? '; there is no quorum' : didYouMean(filled, inQuorum)
      const problem = `"${filled}" is not a group of this quorum${hint}`
      around.report.mistake(at('for'), `${path}.for`, 'not_in_quorum', problem)
    }
  }
  const star = values.approvers?.find(({ value }) => value === '*')
  if (star && (values.approvers?.length ?? 0) > 1) {
    const problem = '"*" is anyone with the approver role, so the other names say nothing'
    around.report.warn(star.place, star.path, 'star_covers_all', problem)
  }
  const quorum = quorumOf(map) ?? []
  const problem = unfilled(quorum, around.groups)
  if (problem === undefined) return
  const place = places.get('quorum') ?? map.place
  around.report.mistake(place, `${map.path}.quorum`, 'unsatisfiable_quorum', problem)
}

/** Why different people cannot fill all places of a quorum, if they cannot. */
function unfilled(
  quorum: readonly QuorumPart[],
  groups: ReadonlyMap<string, Group>,
): string | undefined {
  for (const { group, n } of quorum) {
    const members = groups.get(group)
    if (!members || !('emails' in members) || members.emails.length >= n) continue
    return `it asks for ${n} people of "${group}", which has ${members.emails.length}`
  }
  if (canFill(quorum, groups)) return undefined
  return 'the groups share people, and one person fills one place; add people or ask for fewer'
}

export function checkGroup(name: string, place: Place, path: string, around: Around): void {
  if (around.groups.has(name)) return
  if (around.strangers === 'refused') {
    const hint = didYouMean(name, [...around.groups.keys()]) || '; add it under people.groups'
    around.report.mistake(place, path, 'unknown_group', `group "${name}" is not defined${hint}`)
    return
  }
  const problem = `group "${name}" is not defined in this file; another one has to define it`
  around.report.warn(place, path, 'group_not_here', problem)
}

function checkClocks({ values, places, place, path }: ApprovalMap, around: Around): void {
  const own = values.decide_by
  const limit = own ?? around.decideBy
  if (limit === undefined) return
  for (const { value, path: at } of values.escalate ?? []) {
    const { after } = value.values
    if (after === undefined || after < limit) continue
    const spot = value.places.get('after') ?? value.place
    if (own === undefined) {
      const problem = 'the default decide_by has passed by then, so this never happens'
      around.report.warn(spot, `${at}.after`, 'never_happens', problem)
    } else {
      const problem = 'the question has expired by then; escalate before decide_by'
      around.report.mistake(spot, `${at}.after`, 'after_the_end', problem)
    }
  }
  if (values.remind_after !== undefined && values.remind_after >= limit) {
    const problem = 'the question has expired by then, so no reminder is sent'
    const spot = places.get('remind_after') ?? place
    around.report.warn(spot, `${path}.remind_after`, 'never_happens', problem)
  }
}

/** Variables that have no value on calls of this kind, ever. */
const ABSENT: Readonly<Record<Subject, readonly VariableName[]>> = {
  tool: ['skill_id', 'skill_args', 'mcp_server_alias', 'remote_agent_alias', 'parent.input'],
  server: ['skill_id', 'skill_args', 'remote_agent_alias', 'parent.input'],
  local_agent: ['skill_id', 'skill_args', 'mcp_server_alias', 'remote_agent_alias'],
  remote_agent: ['mcp_server_alias'],
  skill: ['mcp_server_alias', 'parent.input'],
  governance: [],
}

function checkTemplate(
  { values, places, place, path }: ApprovalMap,
  subject: Subject,
  around: Around,
): void {
  for (const part of values.message_template?.parts ?? []) {
    if (typeof part === 'string' || !ABSENT[subject].includes(part.name)) continue
    const problem = `{{${part.text}}} has no value here and will be empty`
    const spot = places.get('message_template') ?? place
    around.report.warn(spot, `${path}.message_template`, 'always_missing', problem)
  }
}
