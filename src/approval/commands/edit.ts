import type { ErrorCode } from '../../base/errors.ts'
import { isPlainObject, type Json } from '../../base/json/json.ts'
import type { Approval } from '../approval.ts'
import type { Edit } from '../command.ts'
import {
  forbiddenChange,
  mergeRequirements,
  mergeTerms,
  strictestLevel,
} from '../people/requirement.ts'

/** The part of an approval that an edit may change. */
export type Revised = Pick<
  Approval,
  'digest' | 'edited' | 'level' | 'requirements' | 'terms' | 'policy'
>

type Edited =
  | { readonly ok: true; readonly call: Revised }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string }

/** The call after an edit: demands of both versions together, never fewer. */
export function editOf(approval: Approval, edit: Edit): Edited {
  if (edit.digest === approval.digest) return { ok: true, call: approval }
  const { answer, changed } = edit
  if (answer.verdict === 'deny') {
    return { ok: false, code: 'edit_denied', message: 'the policy denies the edited call' }
  }
  const requirements = mergeRequirements(approval.requirements, answer.requirements)
  const terms = mergeTerms(approval.terms, answer.terms)
  const forbidden = forbiddenChange(terms.edit, changed)
  if (forbidden) {
    const message = `${forbidden.join('.') || 'the arguments'} may not be changed by an approver`
    return { ok: false, code: 'edit_not_allowed', message }
  }
  const call = {
    digest: edit.digest,
    edited: union(approval.edited, changed),
    level: strictestLevel(requirements),
    requirements,
    terms,
    policy: answer.policy,
  }
  return { ok: true, call }
}

function union(
  known: readonly (readonly string[])[],
  added: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  const all = new Map([...known, ...added].map((path) => [JSON.stringify(path), path]))
  return [...all.values()]
}

/**
 * Where two sets of arguments differ, as deep as objects go. A list is one value: changing an
 * item changes the list.
 */
export function changedPaths(before: Json, after: Json): string[][] {
  if (!isPlainObject(before) || !isPlainObject(after)) {
    return same(before, after) ? [] : [[]]
  }
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...keys].sort().flatMap((key) => {
    const [one, other] = [own(before, key), own(after, key)]
    if (one === undefined || other === undefined) return [[key]]
    return changedPaths(one, other).map((path) => [key, ...path])
  })
}

function own(value: object, key: string): Json | undefined {
  return Object.hasOwn(value, key) ? (value as Record<string, Json>)[key] : undefined
}

function same(a: Json, b: Json): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => same(item, b[index] ?? null))
  }
  if (isPlainObject(a) && isPlainObject(b)) return changedPaths(a as Json, b as Json).length === 0
  return a === b
}
