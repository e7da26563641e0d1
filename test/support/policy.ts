import type { Call } from '../../src/base/call.ts'
import { settleMode } from '../../src/gate/pipeline/resolve-mode.ts'
import type { Mistake, PolicyDocument, ToolEntry } from '../../src/policy/document.ts'
import { evaluate } from '../../src/policy/evaluate/evaluate.ts'
import type { Mode, SettledMode } from '../../src/policy/evaluate/mode.ts'
import type { Asks, Verdict } from '../../src/policy/evaluate/verdict.ts'
import { combinePolicy } from '../../src/policy/load/combine.ts'
import {
  type Loaded,
  loadDeclaration,
  loadGovernance,
  loadOwner,
} from '../../src/policy/load/load.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { policyError } from '../../src/policy/read/read-report.ts'

/** Where a policy comes from; files as their text. */
export interface Sources {
  readonly owner?: string
  readonly governance?: readonly string[]
  /** What tools declare in code, by tool. */
  readonly code?: { readonly [tool: string]: unknown }
  /** Inbox switches: `alias` or `alias/tool`. */
  readonly switches?: { readonly [name: string]: boolean }
}

/** An owner's file and governance from outside, all as text, loaded as a user's files are. */
export function policyOf(owner: string, ...governance: string[]): Policy {
  return policyFrom({ owner, governance })
}

export function policyFrom({ owner, governance = [], code = {}, switches = {} }: Sources): Policy {
  const declared = Object.entries(code).map(
    ([tool, value]) => [tool, declaration(tool, value)] as const,
  )
  return combinePolicy({
    ...(owner === undefined ? {} : { owner: document(loadOwner(ownerFile(owner))) }),
    governance: governance.map((text, index) =>
      document(loadGovernance(governanceFile(text, index))),
    ),
    code: new Map(declared),
    switches: new Map(Object.entries(switches)),
  })
}

/** The mistakes of an owner's file; none when it loads. */
export function mistakesOf(owner: string): readonly Mistake[] {
  return refused(loadOwner(ownerFile(owner)))
}

/** The mistakes of a governance file. */
export function governanceMistakesOf(text: string): readonly Mistake[] {
  return refused(loadGovernance(governanceFile(text, 0)))
}

/** A call with what a test leaves out. */
export function call(tool: string, args: Call['args'] = {}, more: Partial<Call> = {}): Call {
  return { tool, args, ...more }
}

/** The verdict's word. */
export function verdictOf(policy: Policy, asked: Call, mode?: SettledMode): Verdict['verdict'] {
  return evaluate(policy, asked, mode).verdict
}

/** The verdict of a call that asks somebody; fails the test for any other. */
export function askedOf(policy: Policy, asked: Call, mode?: SettledMode): Asks {
  const verdict = evaluate(policy, asked, mode)
  if (verdict.verdict === 'confirm' || verdict.verdict === 'review') return verdict
  throw new Error(`expected a question, got ${verdict.verdict}: ${verdict.message}`)
}

/** An Agent Format file with this action space, and more top-level keys if wanted. */
export function agentFormat(actionSpace: string, more = ''): string {
  const head = 'schema_version: "1.0.0"\nmetadata: { id: clerk_v1 }\naction_space:\n'
  return `${head}${indent(dedent(actionSpace))}\n${dedent(more)}`
}

/** As the gate does it: the predicate of a custom mode first, then the policy. */
export async function under(mode: Mode, asked: Call, policy: Policy): Promise<Verdict> {
  return evaluate(policy, asked, await settleMode(mode, policy, asked))
}

/** The file as a user writes it. */
export function ownerFile(text: string) {
  const body = dedent(text)
  const agentFormat = /^schema_version:/m.test(body)
  return { file: agentFormat ? 'agent.agf.yaml' : 'countersign.yaml', text: versioned(body) }
}

function governanceFile(text: string, index: number) {
  return { file: `governance-${index}.yaml`, text: versioned(dedent(text)) }
}

function document(loaded: Loaded): PolicyDocument {
  if (loaded.ok) return loaded.document
  throw policyError(loaded.mistakes)
}

function refused(loaded: Loaded): readonly Mistake[] {
  return loaded.ok ? [] : loaded.mistakes
}

function declaration(tool: string, value: unknown): ToolEntry {
  const loaded = loadDeclaration(`code.${tool}`, value)
  if (loaded.ok) return loaded.entry
  throw policyError(loaded.mistakes)
}

/** Every test would begin with the same line. */
function versioned(text: string): string {
  return /^(?:schema_)?version:/m.test(text) ? text : `version: 1\n${text}`
}

/** Text as if it stood at the left margin, so that tests can be indented like code. */
function dedent(text: string): string {
  const lines = text.replace(/^\n/, '').split('\n')
  const margins = lines.filter((line) => line.trim()).map((line) => line.search(/\S/))
  const margin = Math.min(...margins)
  return Number.isFinite(margin) ? lines.map((line) => line.slice(margin)).join('\n') : text
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ')
}
