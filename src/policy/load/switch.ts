import type { Ask, Defaults, Place, VerdictWord } from '../document.ts'
import { ALWAYS } from '../evaluate/condition.ts'
import { askLevel, type OwnerRule, ownerRule, wholeServerRule } from '../evaluate/declared.ts'
import { type Level, WORDS } from '../evaluate/verdict.ts'
import type { Policy } from '../policy.ts'

/** What an operator can switch in the inbox: one tool of a server, or all its other tools. */
export interface SwitchTarget {
  readonly server: string
  readonly tool?: string | undefined
}

/** The name a switch has in a policy. Neither part can hold a slash. */
export function switchName({ server, tool }: SwitchTarget): string {
  return tool === undefined ? server : `${server}/${tool}`
}

/** What setting a switch, or taking it away, would change. */
export interface SwitchEffect {
  /** A file has the say, so the switch would change nothing. */
  readonly fixedBy?: { readonly rule: string; readonly place: Place }
  /** The strictest the owner's layer can answer. */
  readonly before: VerdictWord
  readonly after: VerdictWord
  /** People would be asked less, or asked for less. */
  readonly lowers: boolean
}

/** Undefined where no file declares the server. `on` undefined: the switch is taken away. */
export function switchEffect(
  policy: Policy,
  target: SwitchTarget,
  on: boolean | undefined,
): SwitchEffect | undefined {
  const entry = policy.owner.servers.get(target.server)
  if (!entry) return undefined
  const { defaults } = policy.owner
  const was = ruleFor(policy, target)
  const will = ruleFor(withSwitch(policy, target, on), target)
  const fixed = fixedBy(policy, target)
  return {
    ...(fixed ? { fixedBy: { rule: fixed.rule, place: fixed.place } } : {}),
    before: wordOf(was, defaults),
    after: wordOf(will, defaults),
    lowers: isLower(was, will, defaults),
  }
}

/** As a policy that is looked at, not asked: its short cuts are those of the other one. */
export function withSwitch<P extends Pick<Policy, 'switches'>>(
  policy: P,
  target: SwitchTarget,
  on: boolean | undefined,
): P {
  const switches = new Map(policy.switches)
  if (on === undefined) switches.delete(switchName(target))
  else switches.set(switchName(target), on)
  return { ...policy, switches }
}

function ruleFor(policy: Policy, { server, tool }: SwitchTarget): OwnerRule {
  const entry = policy.owner.servers.get(server)
  return tool === undefined && entry
    ? wholeServerRule(policy, entry)
    : ownerRule(policy, { server, tool: tool ?? '', args: {} })
}

function fixedBy({ owner }: Policy, { server, tool }: SwitchTarget): SwitchEffect['fixedBy'] {
  const entry = owner.servers.get(server)
  if (!entry) return undefined
  if (tool === undefined) return entry.approval
  const allowed = entry.allowed?.get(tool)
  if (entry.allowed && !allowed) {
    return { rule: `${entry.rule}.allowed_tools`, place: entry.place }
  }
  return allowed?.approval
}

function wordOf(rule: OwnerRule, defaults: Defaults): VerdictWord {
  return WORDS[mostOf(rule, defaults)] ?? 'deny'
}

function mostOf(rule: OwnerRule, defaults: Defaults): Level {
  if (rule.kind === 'level') return rule.level
  return rule.declaration.asks === 'never' ? 0 : askLevel(rule.declaration, defaults)
}

/** People would hear of fewer calls, or fewer would have to say yes. */
function isLower(was: OwnerRule, will: OwnerRule, defaults: Defaults): boolean {
  const [from, to] = [mostOf(was, defaults), mostOf(will, defaults)]
  if (to !== from) return to < from
  if (from === 0 || isSame(was, will)) return false
  return hasTerms(was) || (isConditional(will) && !isConditional(was))
}

function isSame(one: OwnerRule, other: OwnerRule): boolean {
  if (one.kind === 'level' || other.kind === 'level') return one.kind === other.kind
  return one.declaration === other.declaration
}

/** Demands more than a plain approval, which a switch does not. */
function hasTerms(rule: OwnerRule): boolean {
  return Object.keys(askOf(rule) ?? {}).some((key) => !PLAIN.has(key))
}

const PLAIN: ReadonlySet<string> = new Set(['asks', 'rule', 'place', 'condition', 'template'])

function isConditional(rule: OwnerRule): boolean {
  return (askOf(rule)?.condition ?? ALWAYS) !== ALWAYS
}

function askOf(rule: OwnerRule): Ask | undefined {
  return rule.kind === 'declared' && rule.declaration.asks === 'when' ? rule.declaration : undefined
}
