import type { Mistake, PolicyDocument, ToolEntry } from '../document.ts'
import type { Policy } from '../policy.ts'
import { combinePolicy } from './combine.ts'
import { loadDeclaration, loadGovernance, loadOwner, policyError, type Source } from './load.ts'
import { keepTexts, type PolicyText } from './sources.ts'

export interface PolicySources {
  /** `countersign.yaml`, or an Agent Format file. */
  readonly owner?: Source
  /** Files from outside. They can only tighten. */
  readonly governance?: readonly Source[]
  /** Declarations in code, in the words of policy files: `{ pay: { approval: true } }`. */
  readonly code?: Readonly<Record<string, unknown>>
  /** Inbox switches: `alias` or `alias/tool`. */
  readonly switches?: Readonly<Record<string, boolean>>
}

/** Texts → one policy. Throws one `policy_invalid` that lists the mistakes of all files. */
export function parsePolicy({
  owner,
  governance = [],
  code = {},
  switches = {},
}: PolicySources): Policy {
  const mistakes: Mistake[] = []
  const keep = (loaded: ReturnType<typeof loadOwner>): PolicyDocument[] => {
    if (loaded.ok) return [loaded.document]
    mistakes.push(...loaded.mistakes)
    return []
  }
  const knownPolicies = new Set(governance.map(({ file }) => baseName(file)))
  const [ownerDocument] = owner ? keep(loadOwner(owner, { knownPolicies })) : []
  const documents = governance.flatMap((source) => keep(loadGovernance(source)))
  const entries = Object.entries(code).flatMap(([tool, value]): [string, ToolEntry][] => {
    const loaded = loadDeclaration(`code.${tool}`, value)
    if (loaded.ok) return [[tool, loaded.entry]]
    mistakes.push(...loaded.mistakes)
    return []
  })
  if (mistakes.length > 0) throw policyError(mistakes)
  const policy = combinePolicy({
    ...(ownerDocument ? { owner: ownerDocument } : {}),
    governance: documents,
    code: new Map(entries),
    switches: new Map(Object.entries(switches)),
  })
  // With code or switches the texts alone would ask less than the policy does.
  if (entries.length === 0 && policy.switches.size === 0) {
    keepTexts(policy, [
      ...(owner ? [textOf('owner', owner)] : []),
      ...governance.map((source) => textOf('governance', source)),
    ])
  }
  return policy
}

function textOf(role: PolicyText['role'], { file, text }: Source): PolicyText {
  return { role, file, text: typeof text === 'string' ? text : new TextDecoder().decode(text) }
}

/** The same policy under more governance. It can only become stricter. */
export function withGovernance(policy: Policy, governance: readonly Source[]): Policy {
  const loaded = governance.map((source) => loadGovernance(source))
  const mistakes = loaded.flatMap((one) => (one.ok ? [] : one.mistakes))
  if (mistakes.length > 0) throw policyError(mistakes)
  const added = loaded.flatMap((one) => (one.ok ? [one.document] : []))
  return combinePolicy({ ...policy, governance: [...policy.outside, ...added] })
}

/** `rules/finance.v2.yaml` is what `policy_ref: finance.v2` means. */
function baseName(file: string): string {
  return file.replace(/^.*[/\\]/, '').replace(/\.[^.]*$/, '')
}
