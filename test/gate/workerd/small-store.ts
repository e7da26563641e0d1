import type { Approval } from '../../../src/approval/approval.ts'
import { step } from '../../../src/approval/step.ts'
import type { Content } from '../../../src/approval/transition.ts'
import { CountersignError } from '../../../src/base/errors.ts'
import type { Store } from '../../../src/store/store.ts'

/** As much of a store as one call needs, with nothing of Node's: the real ones have a disk. */
export function smallStore(): Store {
  const approvals = new Map<string, Approval>()
  const content = new Map<string, readonly Content[]>()
  const waiting = new Map<string, (approval: Approval) => void>()
  const missing = () =>
    Promise.reject(new CountersignError('internal', 'this store has no such thing'))
  return {
    name: 'small',
    tenant: 'default',
    instance: 'worker-1',
    quarantine: undefined,
    lost: new AbortController().signal,
    warnings: [],
    vault: {} as Store['vault'],
    outbox: {} as Store['outbox'],
    observations: {} as Store['observations'],
    statistics: {} as Store['statistics'],
    records: {
      get: async () => undefined,
      put: async () => undefined,
      list: async () => ({ records: [] }),
      remove: async () => undefined,
    },
    grants: {
      apply: missing,
      get: async () => undefined,
      list: async () => ({ grants: [] }),
      uses: async () => ({ uses: [] }),
      due: async () => [],
    },
    async apply(id, command) {
      const done = step(approvals.get(id), command, Date.now())
      if (!done.ok) throw new CountersignError(done.code, done.message)
      approvals.set(id, done.approval)
      content.set(id, [...(content.get(id) ?? []), ...done.content])
      waiting.get(id)?.(done.approval)
      return { approval: done.approval, joined: false, events: [] }
    },
    amend: missing,
    get: async (id) => approvals.get(id),
    getMany: async (ids) => ids.flatMap((id) => approvals.get(id) ?? []),
    find: async () => undefined,
    before: async () => ({ approval: undefined, denied: [], grants: [] }),
    findByDigest: async () => undefined,
    counts: missing,
    async list({ status, digest }) {
      const found = [...approvals.values()]
        .filter((one) => status === undefined || status.includes(one.status))
        .filter((one) => digest === undefined || digest === one.askedDigest)
      return { approvals: found }
    },
    events: missing,
    eventsSince: missing,
    eventsBefore: missing,
    newestPolicyEvent: async () => undefined,
    subscribe: () => () => {},
    onAmended: () => () => {},
    async waitFor(id, revision, signal) {
      const now = approvals.get(id)
      if (now && now.revision > revision) return now
      return new Promise((resolve, reject) => {
        waiting.set(id, resolve)
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
    },
    due: async () => [],
    content: async (id) => [...(content.get(id) ?? [])],
    contentOf: missing,
    erase: async () => 0,
    eraseThose: async () => ({ erased: 0, kept: 0 }),
    instances: async () => [],
    assertWritable: async () => {},
    now: async () => Date.now(),
    close: async () => {},
  }
}
