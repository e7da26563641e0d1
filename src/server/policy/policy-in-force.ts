import type { PolicyBundle } from '../../api/agent.ts'
import { OPERATOR } from '../../approval/transition.ts'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { isPassing } from '../../gate/background/background.ts'
import { policyName } from '../../gate/declared/policy-answer.ts'
import type { Store } from '../../store/store.ts'
import type { ActivePolicy, PolicyState } from './active-policy.ts'
import type { KeptPolicy } from './kept-policy.ts'
import { policyAmendment } from './policy-amendment.ts'
import { recordedPolicy } from './recorded-policy.ts'

export interface Choosing<S extends PolicyState> {
  readonly store: Store
  /** As the files have it now. */
  readonly files: S
  /** Reads texts that were files once. */
  readonly parse: (files: PolicyBundle['files']) => S
  /** The operator who starts the server wants what the files say. */
  readonly apply: boolean
}

/**
 * What a server that starts goes by: what was last put into force on its database. A file that
 * changed since is as far from being in force as it was before the restart.
 */
export async function policyInForce<S extends PolicyState>(
  choosing: Choosing<S>,
): Promise<{ readonly state: S; readonly isFile: boolean }> {
  const { store, files, parse, apply } = choosing
  const name = await policyName(files.running.policy)
  const kept = await recordedPolicy(store).catch((error: unknown) => {
    // Starting the server says that the files count, whatever the database holds.
    if (apply && isCountersignError(error, 'store_damaged')) return 'damaged' as const
    throw error
  })
  const { sources } = files
  if (kept === 'damaged') {
    const code = 'store_damaged'
    await store.amend(
      await policyAmendment({ type: 'policy.applied', by: OPERATOR, name, code, files: sources }),
    )
    return { state: files, isFile: true }
  }
  if (kept?.name === name) return { state: files, isFile: true }
  const isRenamed = kept !== undefined && (await saysTheSame(kept, sources))
  if (kept && !apply && !isRenamed) return { state: await parsed(kept, parse), isFile: false }
  const isDone = await store.amend(
    await policyAmendment({
      type: kept ? 'policy.applied' : 'policy.loaded',
      by: OPERATOR,
      name,
      from: kept?.name,
      files: sources,
      expect: kept?.revision ?? 'absent',
    }),
  )
  // Another server was faster: what it put into force is looked at like anything else.
  return isDone ? { state: files, isFile: true } : policyInForce(choosing)
}

/** Another version may give the same files another name. */
async function saysTheSame(kept: KeptPolicy, sources: PolicyBundle['files']): Promise<boolean> {
  const texts = (files: PolicyBundle['files']) =>
    JSON.stringify(files.map(({ role, text }) => [role, text]))
  try {
    return texts(await kept.files()) === texts(sources)
  } catch (error) {
    if (isCountersignError(error, 'store_damaged')) return false
    throw error
  }
}

async function parsed<S>(kept: KeptPolicy, parse: (files: PolicyBundle['files']) => S): Promise<S> {
  const files = await kept.files().catch((error: unknown) => {
    throw isPassing(error) ? error : unreadable(error)
  })
  try {
    return parse(files)
  } catch (error) {
    throw unreadable(error)
  }
}

function unreadable(cause: unknown): CountersignError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new CountersignError(
    'policy_invalid',
    `the policy in force cannot be read by this version: ${why}`,
    {
      hint: 'Nothing is served by guesswork. Check the file, then `countersign start --apply-policy`.',
      cause,
    },
  )
}

/** How long after a look that failed the next one is made. */
const LOOK_AGAIN_MS = 1_000

/** Another server put another policy into force: it holds here as well. Returns the way out. */
export function followPolicy(
  store: Store,
  active: ActivePolicy,
  parse: (files: PolicyBundle['files']) => PolicyState,
): () => void {
  let looking = Promise.resolve()
  let again: ReturnType<typeof setTimeout> | undefined
  let isOver = false

  async function look(): Promise<void> {
    try {
      const kept = await recordedPolicy(store)
      if (!kept || kept.name === (await policyName(active.state().running.policy))) return
      active.adopt(await parsed(kept, parse))
    } catch (error) {
      // A database that is away says nothing about the policy; the next look finds out.
      if (isPassing(error)) throw error
      active.adopt(error)
    }
  }

  function lookNow(): void {
    clearTimeout(again)
    looking = looking.then(look).catch(() => {
      // What it would have found may be stricter, and nothing else may ever make us look.
      if (!isOver) again = setTimeout(lookNow, LOOK_AGAIN_MS)
    })
  }

  const leave = store.onAmended(lookNow)
  return () => {
    isOver = true
    clearTimeout(again)
    leave()
  }
}
