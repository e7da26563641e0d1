import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { lineOf, recordsOf } from '../src/gate/audit/audit-records.ts'
import { policyInForce } from '../src/server/policy/policy-in-force.ts'
import { openAuditLog } from '../src/store/sqlite/audit-log.ts'
import { temporaryFolder } from './audit/record.ts'
import { POLICY, running, stateOf } from './server/harness.ts'
import { openSqlite } from './stores/place.ts'
import { promise } from './support/promise.ts'

promise(
  ['CS-EVIDENCE-4'],
  'the program in the documentation ties arguments, edits and policy texts to what was decided',
  async () => {
    const folder = temporaryFolder()
    const db = path.join(folder, 'approvals.db')
    const store = await openSqlite(db)
    const files = stateOf(POLICY)
    await policyInForce({ store, files, parse: () => files, apply: false })
    const { send, person, agent } = running({ store })
    const [bot, ana] = [await agent('bot'), await person('ana@example.com')]
    const claimed = async (key: string, edit?: Readonly<Record<string, unknown>>) => {
      const call = { tool: 'pay', run: 'r', key, args: { amount: 500.5, to: 'Zoë "Z" 😀' } }
      const asked = await send('/v1/calls', { as: bot, body: call })
      const id = asked.at('id')
      const yes = {
        verdict: 'approve',
        digest: asked.at('digest'),
        ...(edit ? { edit: { arguments: edit } } : {}),
      }
      await send(`/v1/approvals/${id}/decisions`, { as: ana, body: yes })
      const { body } = await send(`/v1/approvals/${id}`, { as: bot })
      const { digest } = body as { digest: string }
      const claim = await send(`/v1/approvals/${id}/claim`, { as: bot, body: { digest } })
      expect(claim.status).toBe(200)
    }
    await claimed('1')
    await claimed('2', { amount: 200, to: 'Zoë "Z" 😀' })
    const lines: string[] = []
    const log = await openAuditLog(db, { content: true })
    for await (const record of recordsOf(log, { at: 1 })) lines.push(lineOf(record))
    await log.close()

    const page = readFileSync(
      path.resolve(import.meta.dirname, '../docs/reference/audit.md'),
      'utf8',
    )
    const [, code = ''] = /```js\n(import \{ hash \}[\s\S]*?)```/.exec(page) ?? []
    const program = path.join(folder, 'digests.mjs')
    writeFileSync(program, code)
    const run = (text: string) => {
      const file = path.join(folder, 'audit.jsonl')
      writeFileSync(file, text)
      const { status, stdout } = spawnSync(process.execPath, [program, file], { encoding: 'utf8' })
      return { status, said: stdout.trimEnd().split('\n') }
    }
    const text = `${lines.join('\n')}\n`
    expect(run(text)).toEqual({
      status: 0,
      said: [
        expect.stringMatching(/^ok policy\.loaded [0-9a-f]{64}$/),
        expect.stringMatching(/^ok \S+ pay \{"amount":500\.5,"to":"Zoë/),
        expect.stringMatching(/^ok \S+ pay \{"amount":200,"to":"Zoë/),
      ],
    })
    expect(run(text.replace('\\"amount\\":500.5', '\\"amount\\":5'))).toMatchObject({ status: 1 })
    expect(run(text.replaceAll('no-wipes', 'no-ropes')).said[0]).toMatch(/^WRONG policy\.loaded/)
  },
)
