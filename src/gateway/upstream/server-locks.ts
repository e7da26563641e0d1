import { lockOn } from '../../approval/locks/lock.ts'
import { lockCopy } from '../../gate/admin/operator-state.ts'
import { lockable } from '../../gate/identity.ts'
import type { SessionOptions } from '../downstream/session-options.ts'

/** Whether locks keep a client from hearing a server, for what the server says of its own accord. */
export interface ServerLocks {
  /** Nothing is locked: what servers say needs no look at the store. */
  readonly isClear: boolean
  /** True also where it is unknown. */
  isLocked(server: string): Promise<boolean>
}

export function createServerLocks({
  store,
  agent,
}: Pick<SessionOptions, 'store' | 'agent'>): ServerLocks {
  const locks = lockCopy(store)
  return {
    get isClear() {
      return locks.isClear
    },
    async isLocked(server) {
      const said = lockable({ server, agent, tool: '', args: {} })
      try {
        return lockOn(await locks.current(), said, locks.now()) !== undefined
      } catch {
        return true
      }
    },
  }
}
