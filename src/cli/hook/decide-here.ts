import { afterTool, beforeTool } from '../../adapters/claude-code/hook.ts'
import { type HookOutput, stillWaits } from '../../adapters/claude-code/hook-output.ts'
import { composeCountersign } from '../../app/create-countersign.ts'
import { strictest, strictness } from '../../app/hook/strictest.ts'
import { findInbox } from '../../server/http/read-inbox.ts'
import { localOperator } from '../../server/identity/invite.ts'
import { recordedPolicy } from '../../server/policy/recorded-policy.ts'
import type { Store } from '../../store/store.ts'
import { reportFailure } from '../failure.ts'
import { sharedInbox } from '../shared-inbox.ts'
import type { Shell } from '../shell.ts'
import { openLog } from '../state/audit-source.ts'
import { openStore } from '../state/open-store.ts'
import { type LoadedPolicy, loadPolicy } from '../state/policy-files.ts'
import { filesOf, parseServed } from '../state/served-policy.ts'
import { signingKeys } from '../state/signing-keys.ts'
import type { HookOptions } from './options.ts'
import type { Prepared } from './prepare.ts'

export interface Wait {
  /** In milliseconds. */
  readonly for: number
  /** The question that a server waited for before. */
  readonly waited?: string | undefined
}

/** On the database itself, without a server. Everything heavy is loaded for this alone. */
export async function decideHere(
  { input, project, place }: Prepared,
  options: HookOptions,
  shell: Shell,
  wait: Wait,
): Promise<HookOutput> {
  const { root, policies } = project
  const [first, ...further] = policies.map((named) => loadPolicy(named, root))
  const there = { ...shell, cwd: root }
  const signing = await signingKeys(place, there)
  const store = await openStore(place, options)
  const loaded = await withKept(store, [first as LoadedPolicy, ...further])
    .then((all) => strictest(all, input))
    .catch(async (error: unknown) => {
      await store.close()
      throw error
    })
  const { countersign, internals } = composeCountersign(
    {
      store,
      policy: filesOf(() => loaded, root),
      ...signing,
      audit: (wanted) => openLog(options.db, wanted, there),
      inbox: findInbox(),
    },
    { policy: 'fixed' },
  )
  await countersign.ready()
  const { server } = internals()
  const inbox = sharedInbox(place, options.tenant, countersign)
  try {
    // People who may be asked must have an account first. Calls that need no approval skip this.
    if (strictness(loaded.policy, input) > 0 || loaded.policy.pdps.length > 0) {
      await server.inviteOperator()
    }
    // The person at the keyboard is who the agent works for; only they or an approver confirm.
    const { issuer, subject } = localOperator()
    const hooked = {
      gate: server.gate.with({ door: 'hook', agent: input.agent, principal: { issuer, subject } }),
      store,
      waitFor: wait.for,
      waited: wait.waited,
      onPending: ({ id }: { readonly id: string }) => {
        void inbox.url().then(
          (url) => shell.err.line(waitingLine(url, id)),
          (error: unknown) => reportFailure(error, shell.err),
        )
      },
    }
    if (input.event !== 'PreToolUse') {
      await afterTool(input, hooked)
      return undefined
    }
    const said = await beforeTool(input, hooked)
    return 'output' in said ? said.output : stillWaits(input.tool, said.pending.id)
  } finally {
    await inbox.close()
    await countersign.close()
    await store.close()
  }
}

/**
 * The policy in force on this database stays in force without a server, and for calls too large to
 * send to one: a file that is looser counts once an admin applied it.
 */
async function withKept(
  store: Store,
  policies: readonly [LoadedPolicy, ...LoadedPolicy[]],
): Promise<readonly [LoadedPolicy, ...LoadedPolicy[]]> {
  const kept = await recordedPolicy(store)
  return kept ? [parseServed(await kept.files()), ...policies] : policies
}

export function waitingLine(inbox: string, id: string): string {
  return `countersign: waits for a person, at ${inbox}approvals/${id}`
}
