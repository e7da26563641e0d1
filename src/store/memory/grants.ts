import { type Grant, isOver } from '../../approval/grants/grant.ts'
import type { Plan } from '../engine/plan.ts'
import {
  type GrantCall,
  type Grants,
  grantLimit,
  grantPage,
  grantsBefore,
  MAX_CANDIDATES,
  type StoredUse,
} from '../grants.ts'

export function createMemoryGrants(clock: () => number, apply: Grants['apply']) {
  const grants = new Map<string, Grant>()
  const uses: StoredUse[] = []

  const reads: Grants = {
    apply,
    get: async (id) => grants.get(id),
    async list({ state, agent, tool } = {}, { limit, after } = {}) {
      const before = grantsBefore(after)
      const most = grantLimit(limit)
      const found = [...grants.values()]
        .map((item, index) => ({ item, position: index + 1 }))
        .filter(({ position }) => position < before)
        .filter(({ item }) => state === undefined || state.includes(item.state))
        .filter(({ item: { scope } }) => agent === undefined || agent === scope.agent)
        .filter(({ item: { scope } }) => tool === undefined || tool === scope.tool)
        .reverse()
      const { items, ...rest } = grantPage(found, most)
      return { grants: items, ...rest }
    },
    async uses(id, { limit, after } = {}) {
      const before = grantsBefore(after)
      const found = uses
        .filter(({ grant, n }) => grant === id && n < before)
        .map((item) => ({ item, position: item.n }))
        .reverse()
      const { items, ...rest } = grantPage(found, grantLimit(limit))
      return { uses: items, ...rest }
    },
    async due(limit = 100) {
      const now = clock()
      return [...grants.values()]
        .filter(({ state, endsAt }) => state === 'live' && endsAt <= now)
        .slice(0, limit)
    },
  }

  return {
    reads,
    /** Those that could cover a call: the ones that end first come first. */
    candidates({ agent, tool, server }: GrantCall): Grant[] {
      const now = clock()
      return [...grants.values()]
        .filter((grant) => !isOver(grant, now))
        .filter(({ scope }) => scope.agent === agent && scope.tool === tool)
        .filter(({ scope }) => scope.server === server)
        .sort((a, b) => a.endsAt - b.endsAt)
        .slice(0, MAX_CANDIDATES)
    },
    /** Over for long enough, and still holding what they were about. */
    erasable: (before: number) =>
      [...grants.values()]
        .filter(({ state, endsAt, erased }) => state !== 'live' && endsAt < before && !erased)
        .map(({ id }) => id),
    named: (ids: readonly string[]) => ids.flatMap((id) => grants.get(id) ?? []),
    keep(plan: Plan): void {
      for (const { after } of plan.grants) grants.set(after.id, after)
      uses.push(...plan.uses)
    },
  }
}
