import type { PolicyBundle } from '../../api/agent.ts'
import type { PolicyDraft } from '../../api/policy.ts'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { type LockCopy, switchedPolicy } from '../../gate/admin/operator-state.ts'
import { policyName } from '../../gate/declared/policy-answer.ts'
import type { Policy } from '../../policy/policy.ts'
import { rulesText } from '../../policy/tooling/rules-text.ts'
import { draftDifference } from './draft-difference.ts'
import type { Running } from './status.ts'

/** A policy as its files had it at one moment. */
export interface PolicyState {
  readonly running: Running
  readonly sources: PolicyBundle['files']
}

/** Writes what `change` makes of the owner's file; undefined: there is none. Throws where it would not load. */
export type EditPolicy = (
  change: (owner: PolicyBundle['files'][number] | undefined) => string,
) => void

/** Rules for tools that are written here and stand in no file. */
export interface HostedRules {
  /** The policy with them, as of the last look. The same one while both say the same. */
  over(policy: Policy): Policy
  /** Looks. */
  current(): Promise<void>
}

export interface PolicyParts {
  /** Reads the files again; throws when they are broken. Absent: they cannot be read again. */
  readonly reload: (() => PolicyState) | undefined
  readonly edit: EditPolicy | undefined
  /** Reads a policy from texts. Absent: this server reads none. */
  readonly parse: ((files: PolicyBundle['files']) => PolicyState) | undefined
  readonly hosted: HostedRules | undefined
  /** What operators switched. */
  readonly locks: Pick<LockCopy, 'current' | 'switches'>
}

/** What is in force, and how something else comes into force: never by itself. */
export interface ActivePolicy {
  /** In force now, with what operators switched as of the last look at it. */
  now(): Policy
  /** The same, after looking. */
  current(): Promise<Policy>
  /** Without what operators switched: for the gate, which looks at that for each call. */
  unswitched(): Policy
  /** What the policy of these files would be with studio tools and switches over it. */
  inForce(files: Policy): Policy
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
  /** The owner's file as it is on disk now; as it was read where it cannot be read again. */
  owner(): PolicyBundle['files'][number] | undefined
  /** What would be in force with this text in place of the owner's. Throws where it has mistakes. */
  tried(text: string): PolicyState
  /** Put into force elsewhere; or why it is unknown here what is in force, and then nothing is. */
  adopt(next: PolicyState | unknown): void
}

export function createActivePolicy(
  first: PolicyState,
  { reload, edit, parse, hosted, locks }: PolicyParts,
): ActivePolicy {
  let current = first
  let shown: { readonly of: PolicyState; readonly files: PolicyBundle['files'] } | undefined
  let unknown: { readonly why: unknown } | undefined

  async function draftOf(read: () => PolicyState): Promise<PolicyDraft> {
    const active = await policyName(current.running.policy)
    try {
      const { running } = read()
      const name = await policyName(running.policy)
      return {
        active,
        name,
        changed: name !== active,
        ...draftDifference(current.running, running),
      }
    } catch (error) {
      if (!isCountersignError(error)) throw error
      return { active, changed: true, problem: { code: error.code, message: error.message } }
    }
  }

  const withHosted = (files: Policy) => (hosted ? hosted.over(files) : files)

  function unswitched(): Policy {
    if (unknown) throw unknown.why
    return withHosted(current.running.policy)
  }

  const now = () => switchedPolicy(unswitched(), locks.switches)

  return {
    now,
    async current() {
      await Promise.all([locks.current(), hosted?.current()])
      return now()
    },
    unswitched,
    inForce: (files) => switchedPolicy(withHosted(files), locks.switches),
    state: () => current,
    rules() {
      if (shown?.of !== current) {
        const files = current.sources.map((source) => ({ ...source, text: rulesText(source) }))
        shown = { of: current, files }
      }
      return shown.files
    },
    edit,
    owner: () => ownerOf(reload ? reload() : current),
    tried(text) {
      if (!parse) throw new CountersignError('not_found', 'this server reads no policy texts')
      const state = reload ? reload() : current
      const owner = ownerOf(state)
      const rest = state.sources.filter((one) => one !== owner)
      return parse([{ role: 'owner', file: owner?.file ?? 'countersign.yaml', text }, ...rest])
    },
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

function ownerOf({ sources }: PolicyState): PolicyBundle['files'][number] | undefined {
  return sources.find(({ role }) => role === 'owner')
}
