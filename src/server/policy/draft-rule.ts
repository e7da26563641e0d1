import type { RuleBody, RuleDraft } from '../../api/policy/rules.ts'
import { isCountersignError } from '../../base/errors.ts'
import { sha256 } from '../../base/json/digest.ts'
import { given } from '../../base/json/json.ts'
import { replayPolicy } from '../../gate/admin/policy-replay.ts'
import type { RecordedCall } from '../../gate/admin/recorded-calls.ts'
import type { Mistake, PolicyDocument } from '../../policy/document.ts'
import { NEW_POLICY } from '../../policy/rules/policy-text.ts'
import { freeId, placesFor, ruleIn } from '../../policy/rules/read-rule.ts'
import type { RuleSubject, RuleWish } from '../../policy/rules/rule-wish.ts'
import { withRule, withTests } from '../../policy/rules/write-rule.ts'
import type { Services } from '../services.ts'
import type { PolicyState } from './active-policy.ts'
import { testsFrom } from './example-tests.ts'
import { replayView, ruleSentences, testable } from './rule-view.ts'

/**
 * A rule for calls like this one: put into the text from the form, or read from the text for the
 * form, and tried on recorded calls. Writes nothing.
 */
export async function draftRule(
  { active, store, policyNow, inForce }: Services,
  recorded: RecordedCall,
  body: RuleBody,
): Promise<RuleDraft> {
  const { kind, tool, server, agent } = recorded.approval.call
  const subject: RuleSubject = { kind, tool, ...given({ server }) }
  const owner = active.owner()
  const disk = owner?.text ?? ''
  const base = {
    base: await sha256(disk),
    disk,
    file: owner?.file ?? 'countersign.yaml',
    canSave: active.edit !== undefined,
    call: { tool, kind, agent, ...given({ server }), ...testable(recorded) },
  }
  const edited = body.text ?? (disk.trim() === '' ? NEW_POLICY : disk)
  const before = tried(active, edited)
  const refused = (text: string, mistakes: readonly Mistake[]): RuleDraft => ({
    ...base,
    text,
    places: [],
    details: [],
    groups: [],
    tests: 0,
    mistakes: mistakes.map(({ place, path, message }) => ({
      ...{ line: place.line, column: place.column, path, message },
    })),
  })
  if ('mistakes' in before) return refused(edited, before.mistakes)
  const wanted = wishFor(before.state.running.policy.owner, subject, recorded, body)
  const text = wanted.rule ? withRule(edited, subject, wanted.rule) : edited
  const after = text === edited ? before : tried(active, text)
  if ('mistakes' in after)
    return { ...refused(text, after.mistakes), ...given({ rule: wanted.rule }) }
  const { policy } = after.state.running
  const replayed = await replayPolicy(
    { store, before: await policyNow(), after: inForce(policy) },
    subject,
  )
  const tests = body.tests === true ? testsFrom(policy, subject, recorded, replayed.examples) : []
  const tested = tests.length > 0 ? withTests(text, tests) : text
  const final = tests.length > 0 ? tried(active, tested) : after
  if ('mistakes' in final) return refused(tested, final.mistakes)
  const document = final.state.running.policy.owner
  const rule = ruleIn(document, subject, wanted.at)
  return {
    ...base,
    text: tested,
    ...given({ rule }),
    places: placesFor(document, subject),
    ...ruleSentences(document, subject, wanted.at),
    mistakes: [],
    groups: [...document.groups.keys()],
    replay: replayView(replayed),
    tests: tests.length,
  }
}

interface Wanted {
  /** To be written. */
  readonly rule?: RuleWish
  readonly at: Pick<RuleWish, 'place' | 'id'>
}

/** What is being edited: as the form has it, as the text has it, or a first suggestion. */
function wishFor(
  owner: PolicyDocument,
  subject: RuleSubject,
  { approval }: RecordedCall,
  { rule, at }: RuleBody,
): Wanted {
  if (rule) return { rule, at: { place: rule.place, ...given({ id: rule.id }) } }
  if (at) return { at: { place: at.place, ...given({ id: at.id }) } }
  if (ruleIn(owner, subject, { place: 'tool' })) return { at: { place: 'tool' } }
  const extra = { place: 'extra', id: freeId(owner, subject) } as const
  return {
    at: extra,
    // Asks no less than the call was asked about.
    rule: { ...extra, verdict: approval.level, when: [], approvers: [], quorum: [] },
  }
}

type Tried = { readonly state: PolicyState } | { readonly mistakes: readonly Mistake[] }

function tried(active: Services['active'], text: string): Tried {
  try {
    return { state: active.tried(text) }
  } catch (error) {
    if (!isCountersignError(error, 'policy_invalid')) throw error
    const { mistakes = [] } = (error.details ?? {}) as { mistakes?: readonly Mistake[] }
    if (mistakes.length === 0) throw error
    return { mistakes }
  }
}
