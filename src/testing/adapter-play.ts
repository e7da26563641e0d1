import assert from 'node:assert/strict'
import type { Approval } from '../approval/approval.ts'
import type { Person } from '../approval/people/person.ts'
import type { JsonObject } from '../base/json/json.ts'
import type {
  AdapterHarness,
  AgentSetup,
  CaseTool,
  CaseWorld,
  ModelCall,
  ModelTurn,
  ScriptedAgent,
  Turned,
} from './adapter-harness.ts'

const ISSUER = 'https://id.example.com'

/** A person with the approver role, a member of finance, and the person the agent works for. */
export const kim = person('kim', { roles: ['approver'] })
export const ana = person('ana', { roles: ['approver'], groups: ['finance'] })
export const uma = person('uma', { roles: [] })

function person(subject: string, facts: Pick<Person, 'roles'> & Partial<Person>): Person {
  const email = `${subject}@example.com`
  const known = { issuer: ISSUER, subject, email, emailVerified: true, groups: [] }
  return { ...known, assurance: 'signed-in', ...facts }
}

/** One agent of the SDK, its tools, and everything they really ran with. */
export interface Played {
  readonly agent: ScriptedAgent
  readonly ran: { readonly tool: string; readonly args: JsonObject }[]
}

const SCHEMA: JsonObject = {
  type: 'object',
  properties: { amount: { type: 'number' } },
  required: ['amount'],
  additionalProperties: false,
}

const TOOLS = ['pay', 'wire', 'read', 'nuke', 'constructor'] as const

export function play(
  harness: AdapterHarness,
  world: CaseWorld,
  turns: readonly ModelTurn[],
  more: Partial<AgentSetup> & {
    readonly ran?: Played['ran']
    /** What the tools give back, in place of what they did. */
    readonly result?: unknown
  } = {},
): Played {
  const { ran = [], result, ...setup } = more
  const tools: Record<string, CaseTool> = {}
  for (const tool of TOOLS) {
    tools[tool] = {
      description: `does ${tool}`,
      schema: SCHEMA,
      run(args) {
        ran.push({ tool, args: structuredClone(args) })
        return result === undefined ? { did: tool, amount: args.amount ?? null } : result
      },
    }
  }
  const mode = harness.supports.suspend ? 'suspend' : 'block'
  const agent = harness.agent({ gate: world.gate, run: 'chat-1', mode, tools, turns, ...setup })
  return { agent, ran }
}

export function call(id: string, tool: string, amount: number): ModelCall {
  return { id, tool, args: { amount } }
}

/** The calls of one turn, and then a last word. */
export function turn(...calls: readonly ModelCall[]): ModelTurn[] {
  return [{ calls }, { says: 'done' }]
}

/** Starts, lets people answer what waits, and goes on: by resuming, or because it waited inside. */
export async function through(
  harness: AdapterHarness,
  world: CaseWorld,
  { agent }: Played,
  questions: number,
  answer: (waiting: readonly Approval[]) => Promise<void>,
  mode: AgentSetup['mode'] = harness.supports.suspend ? 'suspend' : 'block',
): Promise<Turned> {
  if (mode === 'block') {
    const ending = agent.start()
    await answer(await waiting(world, questions))
    return ending
  }
  const paused = await agent.start()
  assert.equal(paused.status, 'paused')
  await answer(await waiting(world, questions))
  return agent.resume()
}

/** Looks until this many questions wait. Oldest first. */
export async function waiting(world: CaseWorld, questions: number): Promise<readonly Approval[]> {
  for (let look = 0; ; look += 1) {
    const { approvals } = await world.approvals.list({ status: ['pending'] })
    const oldest = [...approvals].sort((a, b) => (a.id < b.id ? -1 : 1))
    if (oldest.length === questions) return oldest
    assert.ok(look < 2_000, `${oldest.length} questions wait, not ${questions}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

export async function say(
  world: CaseWorld,
  approval: Approval | undefined,
  verdict: 'approve' | 'deny',
  more: { readonly by?: Person; readonly reason?: string; readonly args?: JsonObject } = {},
): Promise<void> {
  assert.ok(approval, 'there is a question')
  const { by = kim, ...words } = more
  await world.approvals.decide(approval.id, { by, verdict, seen: approval.digest, ...words })
}

export function textOf({ told }: Turned, id: string): string {
  const found = told.filter((one) => one.id === id)
  assert.equal(found.length, 1, `the model was told once about ${id}`)
  return found[0]?.text ?? ''
}

export const NOT_RUN = /did not run|has not run|ran nothing/
