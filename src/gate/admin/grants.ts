import type { Approval } from '../../approval/approval.ts'
import type { Grant, GrantLimits, GrantRefusal, GrantScope } from '../../approval/grants/grant.ts'
import type { NewGrant } from '../../approval/grants/grant-command.ts'
import { refuseGrant, refuseMinter } from '../../approval/grants/grant-step.ts'
import type { Person } from '../../approval/people/person.ts'
import type { CallKind } from '../../base/call.ts'
import { CountersignError } from '../../base/errors.ts'
import { newId } from '../../base/id.ts'
import type { Json } from '../../base/json/json.ts'
import { declaredRisk } from '../../policy/evaluate/declared.ts'
import { parsePath } from '../../policy/evaluate/path.ts'
import { readCondition } from '../../policy/load/read-condition.ts'
import type { Grants as StoredGrants } from '../../store/grants.ts'
import { digestDefinition } from '../content/binding.ts'
import type { GateContext } from '../context.ts'
import { agentName } from '../identity.ts'
import { personNow } from '../people.ts'
import { notedTool } from '../tools/tool-notes.ts'
import { withAbsent } from './stand-ins.ts'

/** How far a permission should reach. Everything left out is as narrow as it can be. */
export interface GrantWish {
  /** What arguments may be, in the words of policy files; all exactly equal unless set. */
  readonly condition?: Json
  /** How often; 10 unless set. */
  readonly uses?: number
  /** How long, in milliseconds; an hour unless set. */
  readonly lasts?: number
  /** The most that one argument may add up to. */
  readonly budget?: { readonly path: string; readonly most: number }
  /** True: any run of this agent. Else only the run of the call it is made from. */
  readonly anyRun?: boolean
  readonly reason?: string
}

/** One that is made from no call: so it says itself what it is about. */
export interface GrantByHand extends Omit<GrantWish, 'anyRun'> {
  readonly kind?: CallKind
  readonly tool: string
  readonly server?: string
  readonly agent: string
  readonly run?: string
  readonly condition: Json
}

/** The rule that would be written down, or why none can be. */
export interface GrantProposal {
  readonly scope: GrantScope
  readonly limits: GrantLimits
  readonly lasts: number
  readonly refusal?: GrantRefusal
}

export const GRANT_USES = 10
export const GRANT_LASTS = 3_600_000

/** What people do with grants. Refusals are thrown as `CountersignError`. */
export interface Grants extends Omit<StoredGrants, 'apply' | 'candidates' | 'due'> {
  /** What a grant from this approval would say, for the person who wants to make it. */
  propose(approval: Approval, by: Person, wish?: GrantWish): GrantProposal
  /** From an approval that has its yes. */
  mintFrom(id: string, by: Person, wish?: GrantWish): Promise<Grant>
  mint(by: Person, wish: GrantByHand): Promise<Grant>
  revoke(id: string, by: Person): Promise<Grant>
  /** Why it would not count now, whatever the call; undefined when it is live. */
  whyNot(grant: Grant): Promise<string | undefined>
}

export function createGrants(core: GateContext): Grants {
  const { store } = core
  const { grants } = store

  async function mint(maker: Person, grant: NewGrant, from?: string): Promise<Grant> {
    const by = await withAbsent(core, maker)
    return grants.apply(grant.id, {
      type: 'mint',
      commandId: crypto.randomUUID(),
      ...grant,
      tenant: core.tenant,
      by,
      ...(from === undefined ? {} : { from }),
    })
  }

  return {
    get: grants.get,
    list: grants.list,
    uses: grants.uses,
    propose(approval, by, wish = {}) {
      const { id: _, ...grant } = grantFrom(approval, wish)
      const refusal = refuseGrant(approval, by, wish.reason)
      return { ...grant, ...(refusal ? { refusal } : {}) }
    },
    async mintFrom(id, by, wish = {}) {
      const approval = await store.get(id)
      if (!approval) throw new CountersignError('approval_not_found', `there is no approval ${id}`)
      if (approval.status !== 'approved') {
        throw new CountersignError('not_approved', 'a grant is made from an approval with its yes')
      }
      refuse(refuseGrant(approval, await withAbsent(core, by), wish.reason))
      return mint(by, grantFrom(approval, wish), id)
    },
    async mint(by, wish) {
      refuse(refuseMinter(by))
      if (!by.roles.includes('approver')) {
        throw new CountersignError('not_permitted', 'a grant is made by approvers')
      }
      return mint(by, await grantByHand(core, wish))
    },
    revoke: (id, by) => grants.apply(id, { type: 'revoke', commandId: crypto.randomUUID(), by }),
    async whyNot(grant) {
      const { state, endsAt, by } = grant
      if (state !== 'live') return state
      if ((await store.now()) >= endsAt) return 'expired'
      return (await personNow(core, by)).locked ? 'its maker is gone or locked' : undefined
    },
  }
}

function refuse(refusal: GrantRefusal | undefined): void {
  if (refusal) throw new CountersignError(refusal.code, refusal.message)
}

/** Everything that names the call is fixed; of the run and the arguments, what was wished for. */
export function grantFrom(
  { call, digest }: Pick<Approval, 'call' | 'digest'>,
  wish: GrantWish,
): NewGrant {
  const { kind, tool, server, agent, run, door, definition, principal } = call
  const isOneRun = run !== undefined && wish.anyRun !== true
  const scope: GrantScope = {
    kind,
    tool,
    ...(server === undefined ? {} : { server }),
    agent,
    ...(isOneRun ? { run } : {}),
    door,
    definition,
    principal: principal ?? null,
  }
  return { ...newGrant(wish), scope, limits: limitsOf(wish, digest, kind) }
}

async function grantByHand(core: GateContext, wish: GrantByHand): Promise<NewGrant> {
  const { kind = 'tool', tool, server, agent, run, condition } = wish
  if (condition === undefined) {
    throw new CountersignError('invalid_value', 'a grant made by hand needs a condition')
  }
  const key = { kind, tool, ...(server === undefined ? {} : { server }) }
  if (declaredRisk(core.policy(), { ...key, args: {} }) === 'L5') {
    throw new CountersignError('not_grantable', 'calls of risk L5 are asked about each time')
  }
  const here = [agentName(agent), undefined].map((one) =>
    core.registry.definitionOf({ agent: one }, key),
  )
  const known = here.find((one) => one !== undefined)
  const digest = known
    ? await digestDefinition(known)
    : (await notedTool(core.store, key, agent))?.digest
  const scope: GrantScope = {
    ...key,
    agent,
    ...(run === undefined ? {} : { run }),
    // A tool that says something else tomorrow is not the one this was made for.
    ...(digest ? { definition: digest } : {}),
  }
  return {
    ...newGrant(wish),
    scope,
    limits: limitsOf(wish, undefined, kind),
  }
}

function newGrant(wish: GrantWish) {
  const { lasts = GRANT_LASTS, reason } = wish
  return { id: newId(), lasts, ...(reason?.trim() ? { reason } : {}) }
}

function limitsOf(
  { condition, uses = GRANT_USES, budget }: GrantWish,
  digest: string | undefined,
  kind: CallKind,
): GrantLimits {
  if (condition !== undefined) readCondition(condition, { delegation: kind === 'agent' })
  const what = condition === undefined ? { digest } : { condition }
  return { ...what, uses, ...(budget ? { budget: budgetOf(budget) } : {}) } as GrantLimits
}

function budgetOf({ path, most }: NonNullable<GrantWish['budget']>) {
  const parsed = parsePath(path)
  if (!parsed.ok) throw new CountersignError('invalid_value', `budget: ${parsed.problem}`)
  return { path, keys: parsed.value.keys, most }
}
