import path from 'node:path'
import { Readable } from 'node:stream'
import { codingAgent } from '../../../src/adapters/coding-agents/agents.ts'
import type { Approval } from '../../../src/approval/approval.ts'
import type { Person } from '../../../src/approval/people/person.ts'
import { answerHook } from '../../../src/cli/hook/answer-hook.ts'
import type { HookOptions } from '../../../src/cli/hook/options.ts'
import type { Output } from '../../../src/cli/shell.ts'
import { createGate } from '../../../src/gate/gate.ts'
import { localOperator } from '../../../src/server/identity/invite.ts'
import { openSqlite } from '../../../src/store/sqlite/open-store.ts'
import { policyOf } from '../../support/policy.ts'
import { folder } from '../countersign.ts'
import type { Call, Ended, Peer } from './peers.ts'

const { issuer, subject, roles } = localOperator()
const operator: Person = { issuer, subject, roles, groups: [], assurance: 'signed-in' }

export interface World {
  readonly cwd: string
  readonly call: Call
  /** The hook in this process: what the agent's process would see. */
  readonly hook: (input: object | string, options?: Partial<HookOptions>) => Promise<Ended>
  readonly decide: (answer?: object) => Promise<string>
  readonly read: (id: string) => Promise<Approval | undefined>
}

export function policyFor({ shell }: Pick<Peer, 'shell'>): string {
  return `version: 1
tools:
  ${shell}: { approval: { edit: [command, cwd, content] } }
  Danger: { approval: true }
governance:
  - { id: no-danger, match: { tool: Danger }, deny: Never. }
`
}

/** A project of one agent, with its own database. */
export function worldOf(peer: Peer, policy = policyFor(peer)): World {
  const cwd = folder({ 'countersign.yaml': policy })
  const call: Call = {
    session: 's1',
    cwd,
    tool: peer.shell,
    args: { command: 'git push' },
    id: 'call_1',
  }
  async function people() {
    const store = await openSqlite(path.join(cwd, '.countersign', 'approvals.db'), {
      head: path.join(cwd, '.countersign', 'head.json'),
    })
    return { store, gate: createGate({ policy: policyOf(policy), store }) }
  }
  async function opened<T>(use: (there: Awaited<ReturnType<typeof people>>) => Promise<T>) {
    const there = await people()
    try {
      return await use(there)
    } finally {
      await there.store.close()
    }
  }
  return {
    cwd,
    call,
    async hook(input, options = {}) {
      const out = collected()
      const err = collected()
      const stdin = Readable.from([
        Buffer.from(typeof input === 'string' ? input : JSON.stringify(input)),
      ])
      const shell = { out: out.output, err: err.output, stdin, env: { HOME: cwd }, cwd }
      const asked = { wait: '30s', project: cwd, ...options }
      const code = await answerHook(codingAgent(peer.agent), asked, shell)
      return { code, stdout: out.text(), stderr: err.text() }
    },
    decide: (answer = {}) =>
      opened(async ({ gate }) => {
        const [asked] = (await gate.approvals.list({ status: ['pending'] })).approvals
        if (!asked) throw new Error('nothing waits')
        const said = { by: operator, verdict: 'approve' as const, seen: asked.digest, ...answer }
        await gate.approvals.decide(asked.id, said)
        return asked.id
      }),
    read: (id) => opened(({ store }) => store.get(id)),
  }
}

function collected(): { output: Output; text: () => string } {
  const lines: string[] = []
  const write = (text: string) => {
    lines.push(text)
    return undefined
  }
  const output: Output = {
    paint: (_, text) => text,
    terminal: false,
    line: (text) => void write(`${text}\n`),
    json: (value) => void write(`${JSON.stringify(value)}\n`),
    write,
    closed: () => false,
  }
  return { output, text: () => lines.join('') }
}
