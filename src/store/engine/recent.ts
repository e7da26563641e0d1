import type { Approval } from '../../approval/approval.ts'

const KEPT = 1_000

export interface Recent {
  /** The approval, if what the database holds has still the seal that we wrote. */
  get(id: string, readSeal: () => unknown): Approval | undefined
  keep(approval: Approval, seal: string): void
}

/** The approvals this process wrote last, so that their bodies need not be read and parsed again. */
export function createRecent(): Recent {
  const kept = new Map<string, { readonly approval: Approval; readonly seal: string }>()
  return {
    get(id, readSeal) {
      const found = kept.get(id)
      return found && readSeal() === found.seal ? found.approval : undefined
    },
    keep(approval, seal) {
      kept.delete(approval.id)
      kept.set(approval.id, { approval, seal })
      const [oldest] = kept.size > KEPT ? kept.keys() : []
      if (oldest !== undefined) kept.delete(oldest)
    },
  }
}
