import { compiled } from '../compiled/fast-path.ts'
import { type Group, type Mistake, NO_DOCUMENT, type PolicyDocument } from '../document.ts'
import type { Governed, Policy, PolicyParts, Rules } from '../policy.ts'
import { policyError } from './load.ts'
import { groupMistakes, inCode } from './people.ts'

/** The owner's file and governance from outside, as one policy. Throws `policy_invalid`. */
export function combinePolicy(parts: PolicyParts): Policy {
  const { owner = NO_DOCUMENT, governance: outside = [] } = parts
  const { code = new Map(), switches = new Map(), called } = parts
  const mistakes = [...redefinedGroups(owner, outside), ...repeatedIds([owner, ...outside])]
  const groups = mergeGroups(owner, outside)
  mistakes.push(...groupMistakes([owner, ...outside], inCode(code, called), groups))
  if (mistakes.length > 0) throw policyError(mistakes)

  const governance: Governed[] = [
    ...owner.governance.map((rule) => ({ rule, defaults: owner.defaults })),
    ...outside.flatMap((file) => file.governance.map((rule) => ({ rule, defaults: {} }))),
  ]
  const rules: Rules = {
    owner,
    outside,
    governance,
    code,
    ...(called ? { called } : {}),
    switches,
    groups,
    pdps: [owner, ...outside].flatMap(({ pdp }) => pdp ?? []),
    // Groups of other files are known by now, so warnings that they might not be are settled.
    warnings: [owner, ...outside]
      .flatMap(({ warnings }) => warnings)
      .filter(({ kind }) => kind !== 'group_not_here'),
  }
  return { ...rules, ...compiled(rules) }
}

function mergeGroups(
  owner: PolicyDocument,
  outside: readonly PolicyDocument[],
): ReadonlyMap<string, Group> {
  return new Map([owner, ...outside].flatMap(({ groups }) => [...groups]))
}

/** A group that governance defines is not the owner's to change. */
function redefinedGroups(owner: PolicyDocument, outside: readonly PolicyDocument[]): Mistake[] {
  const seen = new Map<string, string>()
  const mistakes: Mistake[] = []
  for (const file of [...outside, owner]) {
    for (const name of file.groups.keys()) {
      const first = seen.get(name)
      if (first === undefined) seen.set(name, file.file)
      else {
        mistakes.push({
          place: { file: file.file, line: 1, column: 1 },
          path: `people.groups.${name}`,
          kind: 'group_redefined',
          message: `group "${name}" is already defined by ${first}; use another name`,
        })
      }
    }
  }
  return mistakes
}

function repeatedIds(files: readonly PolicyDocument[]): Mistake[] {
  const seen = new Map<string, string>()
  const mistakes: Mistake[] = []
  for (const { id, place } of files.flatMap(({ governance }) => governance)) {
    const first = seen.get(id)
    if (first === undefined) seen.set(id, `${place.file}:${place.line}`)
    else {
      mistakes.push({
        place,
        path: `governance.${id}`,
        kind: 'duplicate_id',
        message: `rule id "${id}" is already used at ${first}; ids are unique over all files`,
      })
    }
  }
  return mistakes
}
