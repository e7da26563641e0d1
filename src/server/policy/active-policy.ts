import type { PolicyBundle } from '../../api/agent.ts'
import type { PolicyDraft } from '../../api/policy.ts'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { policyName } from '../../gate/declared/policy-answer.ts'
import type { Policy } from '../../policy/policy.ts'
import { rulesText } from '../../policy/tooling/rules-text.ts'
import { type Running, statusOf } from './status.ts'

/** A policy as its files had it at one moment. */
export interface PolicyState {
  readonly running: Running
  readonly sources: PolicyBundle['files']
}

/** Writes what `change` makes of the owner's file; undefined: there is none. Throws where it would not load. */
export type EditPolicy = (
  change: (owner: PolicyBundle['files'][number] | undefined) => string,
) => void

/** What is in force, and how something else comes into force: never by itself. */
export interface ActivePolicy {
  now(): Policy
  state(): PolicyState
  /** Its files without how servers are reached. */
  rules(): PolicyBundle['files']
  /** What the files would be if they were applied now; null without files. Changes nothing. */
  draft(): Promise<PolicyDraft | null>
  /** Writes the owner's file and nothing else: what it says stays a draft. Absent: it cannot be written. */
  readonly edit: EditPolicy | undefined
  /**
   * Puts what is on disk into force, if it still is what the caller looked at. `record` runs first:
   * no record, no change. A file with mistakes changes nothing. Returns the draft afterwards.
   */
  apply(
    name: string,
    record: (from: string, next: PolicyState) => Promise<void>,
  ): Promise<PolicyDraft>
  /** Put into force elsewhere; or why it is unknown here what is in force, and then nothing is. */
  adopt(next: PolicyState | unknown): void
}

export function createActivePolicy(
  first: PolicyState,
  /** Reads the files again; throws when they are broken. Absent: they cannot be read again. */
  reload: (() => PolicyState) | undefined,
  edit?: EditPolicy | undefined,
): ActivePolicy {
  let current = first
  let shown: { readonly of: PolicyState; readonly files: PolicyBundle['files'] } | undefined
  let unknown: { readonly why: unknown } | undefined

  async function draftOf(read: () => PolicyState): Promise<PolicyDraft> {
    const active = await policyName(current.running.policy)
    try {
      const { running } = read()
      const name = await policyName(running.policy)
      return { active, name, changed: name !== active, ...difference(current.running, running) }
    } catch (error) {
      if (!isCountersignError(error)) throw error
      return { active, changed: true, problem: { code: error.code, message: error.message } }
    }
  }

  return {
    now() {
      if (unknown) throw unknown.why
      return current.running.policy
    },
    state: () => current,
    rules() {
      if (shown?.of !== current) {
        const files = current.sources.map((source) => ({ ...source, text: rulesText(source) }))
        shown = { of: current, files }
      }
      return shown.files
    },
    edit,
    draft: async () => (reload ? draftOf(reload) : null),
    async apply(name, record) {
      if (!reload) throw new CountersignError('not_found', 'this server has no policy files')
      const next = reload()
      const found = await policyName(next.running.policy)
      if (found !== name) {
        throw new CountersignError('policy_changed', 'the files are not what was looked at', {
          hint: 'Look at what they say now, then apply that.',
        })
      }
      const from = await policyName(current.running.policy)
      if (from !== found || unknown) await record(from, next)
      current = next
      unknown = undefined
      return draftOf(reload)
    },
    adopt(next) {
      const isState = typeof next === 'object' && next !== null && 'running' in next
      if (isState) current = next as PolicyState
      unknown = isState ? undefined : { why: next }
    },
  }
}

/** Rules that come, go or read differently. */
function difference(before: Running, after: Running): Pick<PolicyDraft, 'added' | 'removed'> {
  const [old, fresh] = [before, after].map((one) =>
    statusOf(one).rules.map(({ source, name, words, asks }) => ({ source, name, words, asks })),
  )
  const texts = (rules: typeof old) => new Set(rules?.map((rule) => JSON.stringify(rule)))
  const [known, wanted] = [texts(old), texts(fresh)]
  return {
    added: (fresh ?? []).filter((rule) => !known.has(JSON.stringify(rule))),
    removed: (old ?? []).filter((rule) => !wanted.has(JSON.stringify(rule))),
  }
}
