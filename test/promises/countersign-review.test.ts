import { expect } from 'vitest'
import { createGate } from '../../src/gate/gate.ts'
import { custom } from '../../src/policy/evaluate/mode.ts'
import { loadDeclaration } from '../../src/policy/load/load.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import {
  agentFormat,
  call,
  governanceMistakesOf,
  mistakesOf,
  policyOf,
  under,
} from '../support/policy.ts'
import { promise } from '../support/promise.ts'

const RENAMED = 'did you mean review? The verdict approve was renamed'
const ASKED_BY = '`approval: { approvers: [...] }` asks for it'

promise.each(
  ['CS-FILE-8'],
  'a file that says approve as a verdict is refused with its line and the new word',
  [
    ['defaults.undeclared', 'defaults:\n  undeclared: approve'],
    ['defaults.gateway', 'defaults:\n  gateway: approve'],
    ['defaults.gateway', 'defaults:\n  gateway: Approve'],
    ['tests[0].expect', 'tests:\n  - { name: a, call: { tool: pay, args: {} }, expect: approve }'],
  ],
  (path, text) => {
    const [mistake, ...others] = mistakesOf(text)
    expect(others).toEqual([])
    expect(mistake).toMatchObject({ path, kind: 'unknown_word', place: { line: 3 } })
    expect(mistake?.message).toContain('write one of allow, confirm, review, deny')
    expect(mistake?.message).toContain(RENAMED)
  },
)

const SERVER = 'mcp_servers:\n  - { alias: files, server_ref: x'

promise.each(
  ['CS-FILE-8'],
  'a verdict in place of an approval is refused, and the hint says what asks for it',
  [
    ['tools.pay.approval', 'tools:\n  pay: { approval: approve }'],
    ['mcp_servers[0].approval', `${SERVER}, approval: approve }`],
    [
      'mcp_servers[0].allowed_tools[0].approval',
      `${SERVER}, allowed_tools: [{ name: a, approval: approve }] }`,
    ],
    ['local_agents[0].approval', 'local_agents:\n  - { alias: clerk, approval: approve }'],
    [
      'remote_agents[0].approval',
      'remote_agents:\n  - { alias: b, url: "https://b.example", approval: approve }',
    ],
    ['governance[0].approval', 'governance:\n  - { id: g, approval: approve }'],
  ],
  (path, text) => {
    expect(mistakesOf(text)).toMatchObject([{ path, place: { line: 3 } }])
    expect(mistakesOf(text)[0]?.message).toContain('The verdict approve was renamed to review')
    expect(mistakesOf(text)[0]?.message).toContain(ASKED_BY)
    // The new word is a verdict, too, and no approval.
    const renamed = mistakesOf(text.replaceAll('approve', 'review'))
    expect(renamed).toMatchObject([{ path }])
    expect(renamed[0]?.message).toContain(ASKED_BY)
    expect(renamed[0]?.message).not.toContain('renamed')
  },
)

promise(['CS-FILE-8'], 'governance and Agent Format files are refused alike', () => {
  const agent = agentFormat('local_tools: [{ alias: pay, approval: approve }]')
  const governance = 'governance: [{ id: g, approval: approve }]'
  for (const [mistake] of [mistakesOf(agent), governanceMistakesOf(governance)]) {
    expect(mistake?.message).toContain('The verdict approve was renamed to review')
  }
})

promise(['CS-FILE-8'], 'so is a declaration in code', () => {
  const loaded = loadDeclaration('code.pay', { approval: 'approve' })
  expect(loaded).toMatchObject({ ok: false, mistakes: [{ path: 'code.pay.approval' }] })
  const gate = createGate({ store: memoryStore(), policy: policyOf(''), agent: 'bot' })
  expect(() => gate.declare('pay', { approval: 'approve' as never })).toThrow(
    expect.objectContaining({ code: 'policy_invalid', message: expect.stringContaining('review') }),
  )
})

promise(
  ['CS-FILE-8'],
  'a custom mode that answers approve is refused, and its call does not run',
  async () => {
    const answers = custom(async () => 'approve' as never)
    // Asking with a plain confirm instead would let the acting user say yes alone.
    await expect(under(answers, call('pay'), policyOf(''))).rejects.toMatchObject({
      code: 'mode_refused',
      message: expect.stringContaining('approve'),
      hint: expect.stringContaining("'review'"),
    })
    const ran: unknown[] = []
    const gate = createGate({
      store: memoryStore(),
      policy: policyOf(''),
      agent: 'bot',
      mode: answers,
    })
    const outcome = await gate.run({ tool: 'pay', args: {} }, (args) => ran.push(args))
    expect(outcome).toMatchObject({ ran: false, code: 'mode_refused' })
    expect(ran).toEqual([])
  },
)
