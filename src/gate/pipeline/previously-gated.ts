import type { Call } from '../../base/call.ts'
import { sha256 } from '../../base/json/digest.ts'
import { isPlainObject } from '../../base/json/json.ts'
import type { Mode } from '../../policy/evaluate/mode.ts'
import type { Policy } from '../../policy/policy.ts'
import type { StoredRecord } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import type { LockCopy } from '../admin/operator-state.ts'
import { policyName } from '../declared/policy-answer.ts'

/**
 * Which tools people were asked about, and under which rules. A call that the rules allow reaches no
 * store, and nearly all have nothing to find there: only where other rules asked about its tool
 * before can there be an answer to this very call, under its key.
 */
export interface AskedTools {
  /** What other rules asked about. Undefined: unknown without waiting. */
  others(policy: Policy, mode: Mode['kind']): Others | undefined
  /** Whether they asked about this tool, for callers that can wait. Throws when that is unknown. */
  byOthers(policy: Policy, mode: Mode['kind'], call: Tool): Promise<boolean>
  /** The tools they asked about: for gates elsewhere that judge by a copy of the policy. */
  namesByOthers(policy: Policy, mode: Mode['kind']): Promise<Others>
  /**
   * Written before any approver is asked. `byAgent`: code of an agent elsewhere declared the tool,
   * and may declare it otherwise next time.
   */
  note(policy: string, mode: Mode['kind'], call: Tool, byAgent?: boolean): Promise<void>
}

type Tool = Pick<Call, 'tool' | 'server'>

/** One tool that was asked about under one set of rules. */
export interface AskedTool {
  readonly tool: string
  readonly under: string
}

export const ASKED_RECORD = 'asked'
/** As long as a question lives at most, and its yes. */
const REMEMBERED_MS = 366 * 86_400_000
/** Names come from models. Rules that asked about more than this count as asking about all. */
const MOST_TOOLS = 500
const ANY_TOOL = '*'

/** Names of tools. */
type Others = ReadonlySet<string>

export function createAskedTools(store: Store, locks: LockCopy): AskedTools {
  const noted = new Set<string>()
  const found = new WeakMap<Policy, Map<string, { asked: readonly AskedTool[]; others: Others }>>()

  async function namesByOthers(policy: Policy, mode: Mode['kind']): Promise<Others> {
    await locks.current()
    const { asked } = locks
    const own = rulesName(await policyName(policy), mode)
    const others = new Set(asked.flatMap(({ tool, under }) => (under === own ? [] : [tool])))
    const byMode = found.get(policy) ?? new Map()
    found.set(policy, byMode.set(mode, { asked, others }))
    return others
  }

  return {
    others(policy, mode) {
      const known = found.get(policy)?.get(mode)
      return known && known.asked === locks.asked ? known.others : undefined
    },
    async byOthers(policy, mode, call) {
      return isAmong(await namesByOthers(policy, mode), call)
    },
    namesByOthers,
    async note(policy, mode, call, byAgent = false) {
      const under = byAgent ? `${rulesName(policy, mode)} declared` : rulesName(policy, mode)
      const tool = noted.size < MOST_TOOLS ? nameOf(call) : ANY_TOOL
      const id = await sha256(JSON.stringify([under, tool]))
      if (noted.has(id)) return
      const expiresAt = (await store.now()) + REMEMBERED_MS
      await store.records.put(ASKED_RECORD, id, { tool, under }, { expiresAt })
      noted.add(id)
      locks.renew()
    },
  }
}

/**
 * How a server names a tool to agents, who may only know the names of their own: so an agent can
 * tell whether its call was asked about, and is told nothing else.
 */
export async function disguised(name: string, salt: string): Promise<string> {
  return name === ANY_TOOL ? name : sha256(`${salt}\n${name}`)
}

export async function isDisguisedAmong(others: Others, call: Tool, salt: string): Promise<boolean> {
  return others.has(ANY_TOOL) || others.has(await disguised(nameOf(call), salt))
}

export function isAmong(others: Others, call: Tool): boolean {
  return others.has(nameOf(call)) || others.has(ANY_TOOL)
}

/** A mode may answer in the place of the owner, so it is part of the rules. */
function rulesName(policy: string, mode: Mode['kind']): string {
  return mode === 'annotated' ? policy : `${policy} ${mode}`
}

function nameOf({ server, tool }: Tool): string {
  return server === undefined ? tool : `${server}/${tool}`
}

/** An unreadable one stands for every tool under unknown rules. */
export function askedTool({ value }: StoredRecord): AskedTool {
  const { tool, under } = isPlainObject(value) ? value : {}
  return typeof tool === 'string' && typeof under === 'string'
    ? { tool, under }
    : { tool: ANY_TOOL, under: '' }
}

export function sameAsked(one: readonly AskedTool[], other: readonly AskedTool[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ tool, under }, at) => tool === other[at]?.tool && under === other[at]?.under)
  )
}
