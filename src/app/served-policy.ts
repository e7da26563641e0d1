import { CountersignError } from '../base/errors.ts'
import { combinePolicy } from '../policy/load/combine.ts'
import { parsePolicy } from '../policy/load/parse-policy.ts'
import { type PolicyText, textsOf } from '../policy/load/sources.ts'
import type { Policy } from '../policy/policy.ts'
import type { PolicyState } from '../server/policy/active-policy.ts'
import type { FileStatus } from '../server/policy/status.ts'
import { demoTools } from './demo-agent.ts'
import { packageVersion } from './version.ts'

/** Policy files that can be read again, so that an admin can apply what changed in them. */
export interface PolicyFiles {
  /** Reads the files now. Throws where one cannot be read or has mistakes. */
  read(): Policy
  /** Whether each file still holds what was read. */
  states(texts: readonly PolicyText[]): readonly FileStatus[]
  /**
   * Replaces the owner's file, if it still holds `before`; where there is none, makes it. Absent:
   * these files are not written here.
   */
  replaceOwner?(before: PolicyText | undefined, text: string): void
}

/** How the policy of a server is read, again if need be, and shown. */
export interface ServedPolicy {
  /** As given, or as the files have it now. */
  read(): PolicyState
  /** Absent where the policy was given in code and cannot be read again. */
  readonly reload?: () => PolicyState
  /** Writes another text for the owner's file. What it says is a draft like every other change. */
  readonly edit?: (change: (owner: PolicyText | undefined) => string) => void
  /** Texts that were put into force once, by this or another server. */
  parse(texts: readonly PolicyText[]): PolicyState
}

export function servedPolicy(given: Policy | PolicyFiles, isDemo: boolean): ServedPolicy {
  const files = isFiles(given) ? given : undefined
  // Of a policy given in code no file can differ.
  const states =
    files?.states ??
    ((texts: readonly PolicyText[]) =>
      texts.map(({ file, role }): FileStatus => ({ file, role, state: 'active' })))

  function stateOf(policy: Policy): PolicyState {
    const texts = textsOf(policy) ?? refuseWithoutTexts()
    const isOwned = texts.some(({ role }) => role === 'owner')
    const { owner, outside, warnings } = policy
    return {
      running: {
        version: packageVersion(),
        loadedAt: new Date(),
        policy: isDemo ? withDemo(policy) : policy,
        documents: [...(isOwned ? [owner] : []), ...outside],
        warnings,
        files: () => states(texts),
      },
      sources: texts,
    }
  }

  const read = () => stateOf(isFiles(given) ? given.read() : given)
  const parse = (texts: readonly PolicyText[]) => stateOf(parseTexts(texts))

  function edit(change: (owner: PolicyText | undefined) => string): void {
    const { sources } = read()
    const owner = sources.find(({ role }) => role === 'owner')
    const text = change(owner)
    // A file with mistakes could not be applied, so it is not written.
    const rest = sources.filter((one) => one !== owner)
    parse([{ role: 'owner', file: owner?.file ?? 'countersign.yaml', text }, ...rest])
    files?.replaceOwner?.(owner, text)
  }

  return {
    read,
    ...(files ? { reload: read } : {}),
    ...(files?.replaceOwner ? { edit } : {}),
    parse,
  }
}

function isFiles(given: Policy | PolicyFiles): given is PolicyFiles {
  return 'read' in given
}

function parseTexts(texts: readonly PolicyText[]): Policy {
  const owner = texts.find(({ role }) => role === 'owner')
  const governance = texts.filter(({ role }) => role === 'governance')
  return parsePolicy({ ...(owner ? { owner } : {}), governance })
}

/** The demo agent declares its tools in code; what the files say still counts. */
function withDemo({ owner, outside }: Policy): Policy {
  return combinePolicy({ owner, governance: outside, code: demoTools() })
}

/** Agents over HTTP evaluate the texts: what stands only in code would not hold for them. */
function refuseWithoutTexts(): never {
  throw new CountersignError('policy_invalid', 'a server needs the texts of its policy', {
    hint: 'Pass what loadPolicy, parsePolicy or definePolicy returned, without code, switches or added governance.',
  })
}
