import type { PolicyReplay, RuleDraft } from '../../api/policy/rules.ts'
import { given } from '../../base/json/json.ts'
import { leavesOf, pathText } from '../../base/json/leaves.ts'
import type { ReplayedPolicy } from '../../gate/admin/policy-replay.ts'
import type { RecordedCall } from '../../gate/admin/recorded-calls.ts'
import type { PolicyDocument } from '../../policy/document.ts'
import type { RuleSubject, RuleWish } from '../../policy/rules/rule-wish.ts'
import {
  askDetails,
  declarationWords,
  governanceDetails,
  governanceWords,
} from '../../policy/words/rule-words.ts'

const MOST_ARGUMENTS = 100

/** Arguments that a condition can test, without what is hidden. */
export function testable({
  call,
  masked,
}: RecordedCall): Pick<RuleDraft['call'], 'args' | 'hidden'> {
  const hidden = new Set(masked.map((keys) => JSON.stringify(keys)))
  const isHidden = (keys: readonly string[]) =>
    keys.some((_, depth) => hidden.has(JSON.stringify(keys.slice(0, depth + 1))))
  const args = leavesOf(call.args)
    .filter(({ keys }) => !isHidden(keys))
    .slice(0, MOST_ARGUMENTS)
    .map(({ keys, value }) => ({ path: pathText(keys), value }))
  return { args, hidden: masked.length }
}

/** What the rule says, for people. */
export function ruleSentences(
  owner: PolicyDocument,
  { tool, server }: RuleSubject,
  { place, id }: Pick<RuleWish, 'place' | 'id'>,
): Pick<RuleDraft, 'words' | 'details'> {
  const { defaults } = owner
  if (place === 'extra') {
    const rule = owner.governance.find((one) => one.id === id)
    if (!rule) return { details: [] }
    const verb = 'deny' in rule.then ? 'denies' : 'asks about'
    return {
      words: `${verb} ${governanceWords(rule)}`,
      details: governanceDetails(rule, defaults),
    }
  }
  const entry =
    server === undefined ? owner.tools.get(tool) : owner.servers.get(server)?.allowed?.get(tool)
  const approval = entry?.approval
  return {
    ...given({ words: declarationWords(approval) }),
    details: approval?.asks === 'when' ? askDetails(approval, defaults) : [],
  }
}

export function replayView({ examples, ...numbers }: ReplayedPolicy): PolicyReplay {
  return {
    ...numbers,
    examples: examples.map(({ recorded: { approval }, change, before, after }) => {
      const { id, call, askedAt, status, digest, askedDigest } = approval
      const { tool, server, agent } = call
      return {
        ...{ id, tool, agent, askedAt, status, change, before, after },
        ...given({ server }),
        edited: digest !== askedDigest,
      }
    }),
  }
}
