import type {
  ApprovalCard,
  WireAdded,
  WireDecision,
  WireRequirement,
  WireTerms,
} from '../../api/approval.ts'
import type { WirePerson } from '../../api/common.ts'
import type { WireOutcome } from '../../api/history/outcome.ts'
import { ruleName } from '../../api/policy/rule-name.ts'
import type { WirePreview } from '../../api/preview/preview.ts'
import type { WhyAsked } from '../../api/words/why-asked.ts'
import type { Approval, Decision } from '../../approval/approval.ts'
import { type AddedName, addedNames, firstNames } from '../../approval/people/asked-names.ts'
import type { Person, PersonId } from '../../approval/people/person.ts'
import { filledPlaces } from '../../approval/people/quorum-progress.ts'
import type { Requirement } from '../../approval/people/requirement.ts'
import type { Content } from '../../approval/transition.ts'
import { duration } from '../../base/duration-words.ts'
import { given, type Json } from '../../base/json/json.ts'
import { mask } from '../../base/secrets/mask.ts'
import { latest, type Question } from '../../gate/content/stored-content.ts'
import type { BoundForm } from '../../gate/form/form.ts'
import type { ShownPreview } from '../../gate/preview/stored-preview.ts'
import type { MaskedArguments } from './asked-call.ts'
import { can, type Locked } from './permissions.ts'
import { rowOf } from './row.ts'
import { assignedOf, talkOf } from './talk.ts'

export interface CardParts {
  readonly approval: Approval
  readonly reader: Person
  readonly question: Question | undefined
  readonly content: readonly Content[]
  readonly shown: MaskedArguments
  readonly why: readonly WhyAsked[]
  readonly reasons: ApprovalCard['reasons']
  readonly schema: Json | undefined
  readonly form: BoundForm
  readonly preview: ShownPreview
  readonly locked: Locked
  /** Names and addresses of those who decided, where they are known. */
  readonly nameOf: (person: PersonId) => WirePerson
  /** Who has this address, as far as it is vouched for. */
  readonly peopleAt: (address: string) => readonly WirePerson[]
}

/** Actions that are not offered for arguments that are no longer kept. */
const AGREEING: readonly ApprovalCard['can'][number][] = ['approve', 'edit', 'grant']

/** Everything a person is shown before deciding. */
export function cardOf(parts: CardParts): ApprovalCard {
  const { approval, reader, question, content, shown, why, schema } = parts
  const { call, useBy, execution } = approval
  const isShown =
    typeof latest(content, 'arguments') === 'string' && parts.form.isKnown && parts.preview.isKnown
  const form = parts.form.isKnown ? parts.form.form : undefined
  return {
    ...rowOf(approval, question, reader, parts),
    askedDigest: approval.askedDigest,
    ...given({ useBy, schema, form, key: call.key, askedArguments: shown.asked }),
    ...(approval.lifted ? { lifted: true as const } : {}),
    terms: termsOf(approval),
    missing: question?.missing ?? [],
    arguments: shown.text,
    bytes: shown.bytes,
    masked: shown.masked,
    edited: approval.edited,
    why,
    ...given({ reasons: parts.reasons }),
    requirements: approval.requirements.map((one, index) => requirementOf(parts, one, index)),
    decisions: approval.decisions.map((one) => decisionOf(one, parts)),
    ...(approval.talk ? { talk: talkOf(approval, content, shown.hidden, parts.nameOf) } : {}),
    ...given({ assigned: assignedOf(approval, parts.nameOf) }),
    ...given({ claimed: question?.context, preview: previewOf(parts) }),
    ...given({ outcome: execution && outcomeOf(execution, parts) }),
    can: can(approval, reader, parts.locked).filter(
      (action) => isShown || !AGREEING.includes(action),
    ),
  }
}

/** As it was stored, masked once more by what is hidden today. */
function previewOf({ approval, preview, shown }: CardParts): WirePreview | undefined {
  const { call, digest: now, askedDigest } = approval
  const digest = call.preview
  if (digest === undefined) return undefined
  const ofAsked = now === askedDigest ? {} : { ofAsked: true as const }
  if (!preview.isKnown) return { failed: 'unknown', digest, ...ofAsked }
  const { made } = preview
  if (made === undefined) return undefined
  const said = 'preview' in made ? mask(made.preview, { known: shown.hidden }).value : made
  return { ...(said as Partial<WirePreview>), digest, ...ofAsked }
}

function termsOf({ terms }: Approval): WireTerms {
  const { minAssurance, reason, edit, grants, useBy } = terms
  const paths = typeof edit === 'boolean' ? edit : edit.map(({ text }) => text)
  return { minAssurance, reason, edit: paths, grants, useBy }
}

function requirementOf(
  { approval, locked, nameOf, peopleAt }: CardParts,
  requirement: Requirement,
  index: number,
): WireRequirement {
  const { source, rule, level, quorum } = requirement
  const filled = filledPlaces(approval, index, locked)
  const people = peopleAsked(approval, requirement, locked)
  return {
    source,
    rule,
    ruleName: ruleName(rule),
    level,
    approvers: firstNames(approval, index),
    people,
    persons: people.flatMap(peopleAt),
    added: addedNames(approval, index).map((one) => addedOf(one, rule, nameOf)),
    quorum: quorum.map(({ group, n }, at) => ({ group, n, have: filled.quorum[at] ?? 0 })),
    met: filled.met,
  }
}

const MOST_NAMED = 20

/** Known by address. The person the call acts for is asked as little as the rules let them be. */
function peopleAsked(
  { call, level }: Approval,
  { approvers, quorum }: Requirement,
  { directory }: Locked,
): string[] {
  const named = [...approvers, ...quorum.map(({ group }) => ({ group }))]
  const emails = named.flatMap((one): readonly string[] => {
    if (one === '*') return []
    if ('email' in one) return [one.email]
    const group = directory?.groups[one.group]
    return group && 'emails' in group ? group.emails : []
  })
  const own = level === 'review' ? call.principal?.email : undefined
  return [...new Set(emails)].filter((email) => email !== own).slice(0, MOST_NAMED)
}

function addedOf(added: AddedName, rule: string, nameOf: CardParts['nameOf']): WireAdded {
  const by = added.by && nameOf(added.by)
  const after = duration(added.after)
  const why = by
    ? `by ${by.email ?? by.subject}, before the ${after} of rule ${rule}`
    : `after ${after} without an answer, by rule ${rule}`
  const place = added.for === undefined ? '' : `, for places of ${added.for}`
  return { ...added, ...given({ by }), rule, ruleName: ruleName(rule), why: why + place }
}

function decisionOf(decision: Decision, { content, nameOf, form, shown }: CardParts): WireDecision {
  const own = content.filter(({ key }) => decision.content?.includes(key))
  const payload = latest(own, 'payload')
  const secrecy = { schema: form.isKnown ? form.form : undefined, known: shown.hidden }
  return {
    by: nameOf(decision.by),
    ...given({ for: decision.by.for?.map(nameOf) }),
    verdict: decision.verdict,
    at: decision.at,
    digest: decision.digest,
    assurance: decision.by.assurance,
    ...given({ reason: words(own, 'reason'), answer: words(own, 'answer') }),
    ...(payload === undefined ? {} : { payload: mask(payload, secrecy).value }),
    ...given({ void: decision.void, grant: decision.grant }),
  }
}

function words(content: readonly Content[], kind: 'reason' | 'answer'): string | undefined {
  const found = latest(content, kind)
  return typeof found === 'string' ? found : undefined
}

function outcomeOf(
  execution: NonNullable<Approval['execution']>,
  { content, nameOf, shown }: CardParts,
): WireOutcome {
  const { state, claimedAt, endedAt, result: key, noResult, resolvedBy } = execution
  const kept = key === undefined ? undefined : content.find((one) => one.key === key)
  return {
    state,
    claimedAt,
    ...given({ endedAt, resolvedBy: resolvedBy && nameOf(resolvedBy) }),
    ...(kept ? { result: mask(kept.value, { known: shown.hidden }).value } : {}),
    ...given({ noResult: noResult ?? (key !== undefined && !kept ? 'erased' : undefined) }),
  }
}
