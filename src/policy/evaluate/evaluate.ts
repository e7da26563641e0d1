import { agentAlias, agentId, type Call } from '../../base/call.ts'
import { isCountersignError } from '../../base/errors.ts'
import { mask, type Secrecy } from '../../base/secrets/mask.ts'
import type { ToolEntry } from '../document.ts'
import { leavesUseBy, mergeMemory, mergeTerms, requirementOf } from '../load/merge.ts'
import type { Policy } from '../policy.ts'
import { shownArguments } from '../tooling/shown.ts'
import { type Judgement, judge, type Looked } from './judge.ts'
import { ANNOTATED, type SettledMode } from './mode.ts'
import { DEFAULT_TEMPLATE, type Rendered, render, type Scope } from './template.ts'
import { ALLOW, type Asks, type Deny, type Reason, type Verdict, WORDS } from './verdict.ts'

/**
 * Allow, confirm, review or deny, and why. Synchronous, total, the same for every door. `secrecy`:
 * what is known of secrets besides the policy, such as the tool's schema; it stays out of the words.
 * `agents`: what a remote agent declares of its tool.
 */
export function evaluate(
  policy: Policy,
  call: Call,
  mode: SettledMode = ANNOTATED,
  secrecy?: Secrecy,
  agents?: ToolEntry,
): Verdict {
  if (agents === undefined && policy.level(call, mode) === 0) return ALLOW
  return verdictFrom(policy, call, judge(policy, call, mode, agents), secrecy)
}

/** The verdict's word alone: cheaper than `evaluate` when the reasons do not matter. */
export function verdictWord(policy: Policy, call: Call, mode: SettledMode = ANNOTATED) {
  return WORDS[policy.level(call, mode)] ?? 'deny'
}

/** The strictest answer wins; who said it first never matters. */
export function verdictFrom(
  policy: Policy,
  call: Call,
  { looked, risk }: Judgement,
  secrecy?: Secrecy,
): Verdict {
  const against = looked.filter(({ level }) => level > 0).sort(strictestFirst)
  const [first] = against
  if (!first) return ALLOW
  const reasons = against.map(reasonOf)
  if (first.level === 3) return denied(first.why ?? '', reasons)
  try {
    const { message, missing } = renderMessage(against, scopeOf(policy, call, secrecy))
    const memory = mergeMemory(against, policy.owner.defaults)
    const verdict: Asks = {
      verdict: first.level === 2 ? 'review' : 'confirm',
      message,
      missing,
      reasons,
      requirements: against.map(requirementOf),
      terms: mergeTerms(against, policy.owner.defaults, risk),
      ...(leavesUseBy(against, policy.owner.defaults) ? { leavesUseBy: true } : {}),
      ...(memory === 'run' ? {} : { rememberNo: memory }),
    }
    return verdict
  } catch (error) {
    // Arguments without a canonical form cannot be shown, so no approval can be asked for them.
    if (!isCountersignError(error)) throw error
    return denied(`The arguments cannot be shown to a person: ${error.message}.`, reasons)
  }
}

function denied(message: string, reasons: readonly Reason[]): Deny {
  return { verdict: 'deny', message, missing: [], reasons }
}

function strictestFirst(a: Looked, b: Looked): number {
  if (a.level !== b.level) return b.level - a.level
  if (a.layer !== b.layer) return a.layer === 'owner' ? -1 : 1
  return a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0
}

function reasonOf({ source, rule, answer }: Looked): Reason {
  return { source, rule, answer: answer === 'unknown' ? 'unknown' : 'yes' }
}

/** An agent's words stand beside the question, which shows the arguments itself. */
const AGENT_WORDS = 4_000

/**
 * Files and governance word the question; the gate's own program does where they do not. A remote
 * agent never does: what it says is quoted after the default question, as its own words.
 */
function renderMessage(against: readonly Looked[], scope: Scope): Rendered {
  const templateOf = (worded: Looked['worded']) =>
    against.find((one) => one.worded === worded && one.ask?.template)?.ask?.template
  const template = templateOf(undefined) ?? templateOf('code')
  if (template) return render(template, scope)
  const question = render(DEFAULT_TEMPLATE, scope)
  const agents = templateOf('agent')
  if (!agents) return question
  const { message, missing } = render(agents, scope, AGENT_WORDS)
  // As a JSON string: it cannot end its own quotation, nor begin a line.
  return { message: `${question.message} The agent says: ${JSON.stringify(message)}`, missing }
}

function scopeOf(policy: Policy, call: Call, secrecy: Secrecy | undefined): Scope {
  const { owner } = policy
  const { kind = 'tool', tool, server } = call
  const { value: args } = shownArguments(policy, call, secrecy)
  const remote = kind === 'skill' ? server : owner.remoteAgents.has(tool) ? tool : undefined
  return {
    tool_name: tool,
    tool_args: args,
    agent_alias: kind === 'agent' ? tool : agentAlias(call),
    agent_id: agentId(call) ?? owner.agentId,
    skill_id: kind === 'skill' ? tool : undefined,
    skill_args: kind === 'skill' ? args : undefined,
    mcp_server_alias: kind === 'tool' ? server || undefined : undefined,
    remote_agent_alias: kind === 'tool' ? undefined : remote,
    'parent.input': kind === 'agent' ? mask(call.parent?.input).value : undefined,
  }
}
