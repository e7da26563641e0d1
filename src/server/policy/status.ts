import type { JsonObject } from '../../base/json/json.ts'
import type {
  AgentEntry,
  DecisionPoint,
  Declaration,
  Defaults,
  Mistake,
  Place,
  PolicyDocument,
  ServerEntry,
  ToolEntry,
} from '../../policy/document.ts'
import { askLevel } from '../../policy/evaluate/declared.ts'
import { WORDS } from '../../policy/evaluate/verdict.ts'
import type { Governed, Policy } from '../../policy/policy.ts'
import { fileDetails, serverDetails, toolDetails } from '../../policy/words/entry-words.ts'
import {
  askDetails,
  declarationWords,
  governanceDetails,
  governanceWords,
} from '../../policy/words/rule-words.ts'

/** Whether a file on disk is still what was loaded. `new`: it was not there at the start. */
export type FileState = 'active' | 'changed' | 'removed' | 'new'

export interface FileStatus {
  readonly file: string
  readonly role: 'owner' | 'governance'
  readonly state: FileState
}

/** What runs, as the page about the policy shows it. */
export interface Status {
  readonly version: string
  /** ISO 8601 */
  readonly loadedAt: string
  readonly files: readonly FileStatus[]
  readonly counts: Readonly<Record<'tools' | 'servers' | 'agents' | 'governance' | 'tests', number>>
  readonly rules: readonly ShownRule[]
  readonly groups: readonly ShownGroup[]
  readonly warnings: readonly {
    readonly place: string
    readonly path: string
    readonly message: string
  }[]
  readonly examples: readonly {
    readonly name: string
    readonly call: JsonObject
    readonly expect: string
  }[]
}

/** A group that rules name: its members, or the claim of the sign-in provider that says who is one. */
type ShownGroup =
  | { readonly name: string; readonly emails: readonly string[] }
  | { readonly name: string; readonly claim: string }

/** One row of the list of rules. */
export interface ShownRule {
  readonly source: 'tool' | 'server' | 'agent' | 'skill' | 'governance' | 'default'
  readonly name: string
  /** When it asks, for people. */
  readonly words: string
  /** Who decides, how many, how long: a sentence for each. */
  readonly details: readonly string[]
  /** The names it has in records. */
  readonly names: readonly string[]
  /** What it asks for where it holds. */
  readonly asks: string
  readonly risk?: string
  readonly place?: string
  /** The call to try it with. */
  readonly call?: { readonly kind: string; readonly tool: string; readonly server?: string }
}

export interface Running {
  readonly version: string
  readonly loadedAt: Date
  readonly policy: Policy
  /** The owner's file, if there is one, and all governance files. */
  readonly documents: readonly PolicyDocument[]
  readonly warnings: readonly Mistake[]
  /** Looks at the disk, so it is asked anew each time. */
  readonly files: () => readonly FileStatus[]
}

export function statusOf(running: Running): Status {
  const { version, loadedAt, policy, documents, warnings, files } = running
  const { owner, governance, pdps } = policy
  return {
    version,
    loadedAt: loadedAt.toISOString(),
    files: files(),
    counts: {
      tools: owner.tools.size,
      servers: owner.servers.size,
      agents: owner.localAgents.size + owner.remoteAgents.size,
      governance: governance.length,
      tests: documents.reduce((sum, { tests }) => sum + tests.length, 0),
    },
    rules: [...governance.map(governedRow), ...pdps.map(pdpRow), ...ownerRows(owner)],
    groups: [...policy.groups].map(([name, group]) =>
      'claim' in group ? { name, claim: group.claim } : { name, emails: group.emails },
    ),
    warnings: warnings.map(({ place, path, message }) => ({
      place: showPlace(place) ?? '',
      path,
      message,
    })),
    examples: documents
      .flatMap(({ tests }) => tests)
      .map(({ name, call, expect }) => ({ name, call, expect })),
  }
}

function governedRow({ rule, defaults }: Governed): ShownRule {
  const asks = 'deny' in rule.then ? 'deny' : (WORDS[askLevel(rule.then.ask, defaults)] ?? 'deny')
  return {
    source: 'governance',
    name: rule.id,
    words: governanceWords(rule),
    details: governanceDetails(rule, defaults),
    names: [rule.rule],
    asks,
    ...at(rule.place),
  }
}

/** It only tightens, as governance does. */
function pdpRow({ rule, url, timeout, onError, place }: DecisionPoint): ShownRule {
  return {
    source: 'governance',
    name: rule,
    words: `every call, when ${new URL(url).host} denies it`,
    details: [
      `Asked at ${url} about every call, for at most ${timeout / 1_000} s.`,
      onError === 'deny'
        ? 'While it cannot be asked, calls are denied.'
        : 'While it cannot be asked, people review calls.',
    ],
    names: [rule],
    asks: 'deny',
    ...at(place),
  }
}

function ownerRows(owner: PolicyDocument): ShownRule[] {
  const { defaults } = owner
  const tools = [...owner.tools.values()].map((entry) => toolRow(entry, defaults))
  const servers = [...owner.servers.values()].flatMap((one) => serverRows(one, 'tool', defaults))
  const agents = [...owner.localAgents.values()].map((one) => agentRow(one, defaults))
  const remote = [...owner.remoteAgents.values()].flatMap((one) =>
    serverRows(one, 'skill', defaults),
  )
  return [...tools, ...servers, ...agents, ...remote, ...defaultRows(owner)]
}

function toolRow(entry: ToolEntry, defaults: Defaults): ShownRule {
  const { name, approval, risk, description, place } = entry
  const byRisk = risk === 'L0' ? 'allow' : defaults.approvers ? 'review' : 'confirm'
  const fallback = risk === undefined ? (defaults.undeclared ?? 'allow') : byRisk
  return {
    source: 'tool',
    name,
    words: withDescription(
      declarationWords(approval) ?? (risk === undefined ? BY_DEFAULT : 'by its risk'),
      description,
    ),
    details: [...declaredDetails(approval, defaults), ...toolDetails(entry)],
    names: [...namesOf(approval), entry.riskRule],
    asks: asked(approval, defaults, fallback),
    ...(risk === undefined ? {} : { risk }),
    ...at(place),
    call: { kind: 'tool', tool: name },
  }
}

const BY_DEFAULT = 'left to the defaults'

function serverRows(entry: ServerEntry, kind: 'tool' | 'skill', defaults: Defaults): ShownRule[] {
  const { alias, approval, allowed, risk, place } = entry
  const { gateway = 'confirm' } = defaults
  const blanket = declarationWords(approval) ?? BY_DEFAULT
  const only = allowed ? '; only what is listed may be called' : ''
  const row: ShownRule = {
    source: kind === 'tool' ? 'server' : 'agent',
    name: alias,
    words: withDescription(`${blanket}${only}`, entry.description),
    details: [...declaredDetails(approval, defaults), ...serverDetails(entry)],
    names: namesOf(approval),
    // Handing work over is no call of a server: without an approval it is undeclared.
    asks: asked(approval, defaults, kind === 'skill' ? (defaults.undeclared ?? 'allow') : gateway),
    ...(risk === undefined ? {} : { risk }),
    ...at(place),
    ...(kind === 'skill' ? { call: { kind: 'agent', tool: alias } } : {}),
  }
  const inside = [...(allowed?.values() ?? [])].map(
    (one): ShownRule => ({
      source: kind,
      name: `${alias}/${one.name}`,
      words: declarationWords(one.approval) ?? `as ${alias}: ${blanket}`,
      details: declaredDetails(one.approval, defaults),
      names: namesOf(one.approval),
      asks: asked(one.approval ?? approval, defaults, gateway),
      ...(one.risk === undefined ? {} : { risk: one.risk }),
      ...at(one.place),
      call: { kind, tool: one.name, server: alias },
    }),
  )
  return [row, ...inside]
}

function agentRow(entry: AgentEntry, defaults: Defaults): ShownRule {
  const { alias, approval, description, place } = entry
  return {
    source: 'agent',
    name: alias,
    words: withDescription(declarationWords(approval) ?? BY_DEFAULT, description),
    details: declaredDetails(approval, defaults),
    names: namesOf(approval),
    asks: asked(approval, defaults, defaults.undeclared ?? 'allow'),
    ...at(place),
    call: { kind: 'agent', tool: alias },
  }
}

function declaredDetails(approval: Declaration | undefined, defaults: Defaults): string[] {
  return approval?.asks === 'when' ? askDetails(approval, defaults) : []
}

function namesOf(approval: Declaration | undefined): string[] {
  return approval?.asks === 'when' ? [approval.rule] : []
}

function defaultRows(owner: PolicyDocument): ShownRule[] {
  const { undeclared = 'allow', gateway = 'confirm', approvers } = owner.defaults
  const details = fileDetails(owner)
  const others: ShownRule = {
    source: 'default',
    name: 'terms',
    words: 'rules that say nothing else',
    details,
    names: [],
    asks: approvers ? 'review' : 'confirm',
  }
  return [
    ...(details.length > 0 ? [others] : []),
    {
      source: 'default',
      name: 'undeclared',
      words: 'undeclared tools and agents',
      details: [],
      names: ['defaults.undeclared'],
      asks: undeclared,
    },
    {
      source: 'default',
      name: 'gateway',
      words: 'servers that say nothing about approval',
      details: [],
      names: ['defaults.gateway'],
      asks: gateway,
    },
  ]
}

/** What a declaration asks for where it holds; without one, what answers in its place. */
function asked(approval: Declaration | undefined, defaults: Defaults, otherwise: string): string {
  if (!approval) return otherwise
  return approval.asks === 'never' ? 'allow' : (WORDS[askLevel(approval, defaults)] ?? 'deny')
}

function withDescription(words: string, description: string | undefined): string {
  return description === undefined ? words : `${words}. ${description}`
}

function at(place: Place): { place?: string } {
  const shown = showPlace(place)
  return shown === undefined ? {} : { place: shown }
}

function showPlace({ file, line }: Place): string | undefined {
  return line > 0 ? `${file}:${line}` : undefined
}
