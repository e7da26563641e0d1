import type { ApprovalCard, ApprovalPage, ApprovalRow } from '../api/approval.ts'
import type { RemovedPerson } from '../api/people.ts'
import type { PersonId } from '../approval/people/person.ts'
import { metOf } from '../approval/people/quorum-progress.ts'
import { withoutRemoved } from '../approval/people/removed.ts'
import type { Content } from '../approval/transition.ts'
import { foldAddress } from '../base/address.ts'
import { CountersignError } from '../base/errors.ts'
import { isId } from '../base/id.ts'
import { freshParse } from '../base/json/canonical.ts'
import type { Json, JsonObject } from '../base/json/json.ts'
import { lockCopy } from '../gate/admin/operator-state.ts'
import { standInRecords } from '../gate/admin/stand-ins.ts'
import { boundDefinition, maskingSchema } from '../gate/content/binding.ts'
import { latest, questionOf } from '../gate/content/stored-content.ts'
import { policyName } from '../gate/declared/policy-answer.ts'
import { boundForm, NO_FORM } from '../gate/form/form.ts'
import { callAgain } from '../gate/identity.ts'
import { shownPreview } from '../gate/preview/stored-preview.ts'
import { matchesFilter } from '../store/engine/page.ts'
import type { Filter, Page, PageRequest, Store } from '../store/store.ts'
import type { Caller, PersonCaller } from './identity/caller.ts'
import { namesOf, peopleByAddress } from './identity/names.ts'
import type { AgentToken } from './identity/tokens.ts'
import { VOUCHED_DOOR } from './identity/vouched.ts'
import type { Services } from './services.ts'
import { maskedArguments, whyAsked } from './view/asked-call.ts'
import { cardOf } from './view/card.ts'
import { type Locked, mine } from './view/permissions.ts'
import { listedRow, rowOf, unreachable } from './view/row.ts'
import { countedAnswers } from './view/state.ts'

type Reader = PersonCaller['person']
type Approval = Page['approvals'][number]

/**
 * Whether an agent asked for this itself: under its own name, and for the person of its token. One
 * that vouches for its users has asked for all of them, with this token or another that vouches.
 */
export function isOwn({ call }: Approval, { agent, principal, vouches }: AgentToken): boolean {
  if (call.agent !== agent || (call.door === VOUCHED_DOOR) !== (vouches === true)) return false
  const named = call.principal && foldAddress(call.principal.email ?? call.principal.subject)
  return vouches === true || named === (principal && foldAddress(principal))
}

/** The approval, if this caller may know of it. Agents know of their own and of no others. */
export async function knownApproval(store: Store, id: string, caller: Caller): Promise<Approval> {
  const approval = await store.get(id)
  if (approval && (caller.kind !== 'agent' || isOwn(approval, caller.token))) return approval
  throw new CountersignError('approval_not_found', `there is no approval ${id}`)
}

export interface Search {
  readonly filter: Filter
  readonly page: PageRequest & { readonly limit: number }
}

/** More than this is not looked through for one page; the next one goes on from there. */
const LOOKED_THROUGH = 2_000
const COUNTED = 1_000

export async function approvalPage(
  services: Services,
  search: Search,
  person: Reader,
): Promise<ApprovalPage> {
  const { store } = services
  const { filter, page } = search
  const [locked, reader] = await Promise.all([
    lockedNow(services),
    services.gate.admin.standIns.withAbsent(person),
  ])
  const { approvals, next } = await listOf(store, search)
  const found = (await readRows(services, approvals, reader, locked)).map(listedRow)
  const counts = await countsFor({ found, isLast: next === undefined })
  return {
    approvals: found,
    ...(next === undefined ? {} : { next }),
    ...(counts ? { counts } : {}),
    now: await store.now(),
  }

  /** On the first page only, and without looking twice where that page holds everything. */
  async function countsFor(seen: {
    readonly found: readonly ApprovalRow[]
    readonly isLast: boolean
  }): Promise<ApprovalPage['counts']> {
    const { status, ...narrower } = filter
    if (page.after !== undefined || status?.includes('pending') === false) return undefined
    const isAll = status?.length === 1 && Object.keys(narrower).length === 0
    if (!isAll || !seen.isLast) return countsOf(store, reader, locked)
    const mine = seen.found.filter((row) => row.mine.may).length
    return { mine, others: seen.found.length - mine }
  }
}

/** An id names one approval, however old: nothing else has to be looked through. */
async function listOf(store: Store, { filter, page }: Search): Promise<Page> {
  const { text = '', ...others } = filter
  const named = page.after === undefined && isId(text) ? await store.get(text) : undefined
  if (named && matchesFilter(others, named)) return { approvals: [named] }
  return store.list(filter, page)
}

/** A page of what an agent asked for itself. Agents do not search: the questions are for people. */
export async function ownPage(
  store: Store,
  { filter: { text: _, person: __, ...filter }, page }: Search,
  token: AgentToken,
): Promise<Page> {
  const found: Approval[] = []
  let after = page.after
  let looked = 0
  do {
    // No more than still fit: the next page begins where this one ends.
    const limit = page.limit - found.length
    const request = { ...page, limit, ...(after === undefined ? {} : { after }) }
    const { approvals, next } = await store.list({ ...filter, agent: token.agent }, request)
    found.push(...approvals.filter((one) => isOwn(one, token)))
    looked += approvals.length
    after = next
  } while (after !== undefined && found.length < page.limit && looked < LOOKED_THROUGH)
  return { approvals: found, ...(after === undefined ? {} : { next: after }) }
}

/** As much of a server as it takes to see who could answer. */
interface Looking {
  readonly store: Store
  readonly credentials: Pick<Services['credentials'], 'accounts'>
}

/** What is locked and who stands in for whom, for code that shows approvals. */
export async function lockedNow({ store, credentials }: Looking): Promise<Locked> {
  const [locks, now, directory, standIns] = await Promise.all([
    lockCopy(store).current(),
    store.now(),
    credentials.accounts.people.directory(),
    standInRecords(store),
  ])
  return { locks, now, directory, standIns }
}

/** How many places of a pending approval are filled, as its card says. */
export async function placesNow(looking: Looking, approval: Approval): Promise<ApprovalRow['met']> {
  const locked = await lockedNow(looking)
  return metOf(withoutRemoved(approval, locked.locks), locked)
}

/** Pending approvals that the remaining approvers cannot approve; only the first thousand are checked. */
export async function unreachableNow(looking: Looking): Promise<RemovedPerson['unreachable']> {
  const { store } = looking
  const locked = await lockedNow(looking)
  const found: { id: string; rule: string; says: string }[] = []
  let looked = 0
  let after: string | undefined
  do {
    const { approvals, next }: Page = await store.list(
      { status: ['pending'] },
      { limit: 500, ...(after === undefined ? {} : { after }) },
    )
    for (const approval of approvals) {
      const shortage = unreachable(approval, locked)
      if (shortage) found.push({ id: approval.id, ...shortage })
    }
    looked += approvals.length
    after = next
  } while (after !== undefined && looked < COUNTED)
  return found
}

/** Approvals as a list shows them to a person. */
export async function listedRows(
  services: Services,
  approvals: readonly Approval[],
  person: Reader,
): Promise<ApprovalRow[]> {
  const [locked, reader] = await Promise.all([
    lockedNow(services),
    services.gate.admin.standIns.withAbsent(person),
  ])
  return (await readRows(services, approvals, reader, locked)).map(listedRow)
}

async function readRows(
  { store, credentials }: Looking,
  approvals: readonly Approval[],
  reader: Reader,
  locked: Locked,
): Promise<ApprovalRow[]> {
  const ids = approvals.map(({ id }) => id)
  const questions = await store.contentOf(ids, ['question'])
  const left = approvals.map((approval) => withoutRemoved(approval, locked.locks))
  const deciders = left.flatMap((approval) => countedAnswers(approval).map(({ by }) => by))
  const nameOf = await namesOf(credentials.accounts, deciders)
  return left.map((approval) => {
    const question = questionOf(questions.get(approval.id) ?? [])
    return rowOf(approval, question, reader, { locked, nameOf })
  })
}

/** Of what is pending; counts at most a thousand. */
async function countsOf(
  store: Store,
  reader: Reader,
  locked: Locked,
): Promise<NonNullable<ApprovalPage['counts']>> {
  let [own, others] = [0, 0]
  let after: string | undefined
  do {
    const { approvals, next }: Page = await store.list(
      { status: ['pending'] },
      { limit: 500, ...(after === undefined ? {} : { after }) },
    )
    for (const approval of approvals) {
      if (mine(withoutRemoved(approval, locked.locks), reader, locked).may) own += 1
      else others += 1
    }
    after = next
  } while (after !== undefined && own + others < COUNTED)
  return { mine: own, others }
}

export async function approvalCard(
  services: Services,
  approval: Approval,
  person: Reader,
): Promise<ApprovalCard> {
  const reader = await services.gate.admin.standIns.withAbsent(person)
  const { store, policy, credentials } = services
  const content = await store.content(approval.id)
  const question = questionOf(content)
  const bound = await boundDefinition(approval.call, content)
  const schema = maskingSchema(bound)
  const { parentInput } = question ?? {}
  const now = argumentsText(latest(content, 'arguments'))
  const call = now === undefined ? undefined : callOf(approval, now, parentInput)
  const first = approval.edited.length > 0 ? argumentsText(firstArguments(content)) : undefined
  const shown = maskedArguments({
    policy: policy(),
    schema,
    now: call && { call, view: question?.view },
    asked:
      first === undefined
        ? undefined
        : { call: callOf(approval, first, parentInput), view: firstView(content) },
  })
  const locked = await lockedNow(services)
  return cardOf({
    approval: withoutRemoved(approval, locked.locks),
    reader,
    question,
    content,
    shown,
    ...whyAsked({
      policy: policy(),
      call,
      secrecy: { schema, paths: shown.paths },
      requirements: approval.requirements,
      isSamePolicy: approval.policy === (await policyName(policy())),
    }),
    schema: bound.isKnown ? bound.definition?.inputSchema : undefined,
    form: approval.call.form === undefined ? NO_FORM : await boundForm(approval.call, content),
    preview: await shownPreview(approval.call, content),
    locked,
    nameOf: await namesOf(credentials.accounts, peopleIn(approval)),
    peopleAt: await peopleByAddress(credentials.accounts),
  })
}

function callOf({ call }: Approval, text: string, parentInput: JsonObject | undefined) {
  return callAgain(call, freshParse(text) as JsonObject, parentInput)
}

function argumentsText(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Content is kept in the order it was written. */
function firstArguments(content: readonly Content[]): Json | undefined {
  return content.find(({ kind }) => kind === 'arguments')?.value
}

function firstView(content: readonly Content[]) {
  return questionOf(content.filter(({ kind }) => kind === 'question').slice(0, 1))?.view
}

function peopleIn(approval: Approval): readonly PersonId[] {
  const { decisions, execution, escalated, talk = [], assigned } = approval
  return [
    ...escalated.flatMap(({ by }) => by ?? []),
    ...decisions.flatMap(({ by }) => [by, ...(by.for ?? [])]),
    ...(execution?.resolvedBy ? [execution.resolvedBy] : []),
    ...talk.flatMap(({ by }) => by ?? []),
    ...(assigned ? [assigned.by] : []),
    ...(assigned?.to ? [assigned.to] : []),
  ]
}
