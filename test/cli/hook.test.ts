import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'vitest'
import type { Person } from '../../src/approval/people/person.ts'
import { createGate, type Gate } from '../../src/gate/gate.ts'
import { localOperator } from '../../src/server/identity/invite.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { BIN, cleanEnv, countersign, folder } from './countersign.ts'

const POLICY = `version: 1
tools:
  Bash: { approval: { message_template: "Run {{tool_args.command}}", edit: [command] } }
  Danger: { approval: true }
governance:
  - { id: no-danger, match: { tool: Danger }, deny: Never. }
`

/** Who the hook takes for the one at the keyboard. */
const { issuer, subject, roles } = localOperator()
const operator: Person = { issuer, subject, roles, groups: [], assurance: 'signed-in' }

interface Project {
  readonly cwd: string
  readonly hook: (more?: object, args?: readonly string[]) => ReturnType<typeof countersign>
  /** The same database, as a person at the inbox has it. */
  readonly people: () => Promise<{ store: Store; gate: Gate }>
}

function project(policy = POLICY): Project {
  const cwd = folder({ 'countersign.yaml': policy })
  return {
    cwd,
    hook: (more = {}, args = []) =>
      countersign(['hook', 'claude-code', ...args], {
        cwd,
        stdin: JSON.stringify({
          session_id: 's1',
          cwd,
          hook_event_name: 'PreToolUse',
          tool_name: 'Bash',
          tool_input: { command: 'git push' },
          tool_use_id: 'toolu_1',
          ...more,
        }),
      }),
    async people() {
      const store = await openSqlite(path.join(cwd, '.countersign', 'approvals.db'), {
        head: path.join(cwd, '.countersign', 'head.json'),
      })
      return { store, gate: createGate({ policy: policyOf(policy), store }) }
    },
  }
}

async function decideFirst({ people }: Project, answer: object): Promise<string> {
  const { store, gate } = await people()
  try {
    for (;;) {
      const [approval] = (await gate.approvals.list({ status: ['pending'] })).approvals
      if (approval) {
        const said = { by: operator, verdict: 'approve' as const, seen: approval.digest, ...answer }
        await gate.approvals.decide(approval.id, said)
        return approval.id
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  } finally {
    await store.close()
  }
}

function said(stdout: string) {
  return JSON.parse(stdout).hookSpecificOutput
}

promise(
  ['CS-HOOK-2'],
  'approved with a change: it runs once, as approved, and the end is on record',
  async () => {
    const here = project()
    // Makes the database, and a question that waits on: the next call joins it.
    const early = await here.hook({}, ['--wait', '1s'])
    expect(said(early.stdout)).toMatchObject({ permissionDecision: 'deny' })
    expect(said(early.stdout).permissionDecisionReason).toMatch(/still waits .* has not run/)
    const asking = here.hook({ tool_use_id: 'toolu_2' })
    const id = await decideFirst(here, { args: { command: 'git push --dry-run' } })
    const answered = await asking
    expect(answered.code).toBe(0)
    expect(said(answered.stdout)).toMatchObject({
      permissionDecision: 'allow',
      updatedInput: { command: 'git push --dry-run' },
    })
    const second = await here.hook({ hook_event_name: 'PostToolUse', tool_use_id: 'toolu_2' })
    expect(second).toMatchObject({ code: 0, stdout: '' })
    const { store } = await here.people()
    const approval = await store.get(id)
    await store.close()
    expect(approval?.execution?.state).toBe('succeeded')
  },
)

promise(['CS-HOOK-2'], 'two that ask for the same call at once: one runs it', async () => {
  const here = project()
  await here.hook({}, ['--wait', '1s'])
  const both = [here.hook({ tool_use_id: 'a' }), here.hook({ tool_use_id: 'b' })]
  await decideFirst(here, {})
  const decisions = (await Promise.all(both)).map(({ stdout }) => said(stdout).permissionDecision)
  expect(decisions.sort()).toEqual(['allow', 'deny'])
})

promise(['CS-HOOK-1'], 'what asks nobody says nothing, what is denied says why', async () => {
  const here = project()
  expect(await here.hook({ tool_name: 'Read' })).toEqual({ code: 0, stdout: '', stderr: '' })
  const never = await here.hook({ tool_name: 'Danger' })
  expect(said(never.stdout)).toMatchObject({
    permissionDecision: 'deny',
    permissionDecisionReason: expect.stringMatching(/not allowed by policy .* Never\./),
  })
  const own = await here.hook({ tool_input: { command: 'countersign approve 1' } })
  expect(said(own.stdout).permissionDecision).toBe('deny')
})

promise.each(
  ['CS-HOOK-1'],
  'any doubt blocks',
  [
    ['input that is not JSON', {}, { stdin: 'no' }],
    ['another event', { hook_event_name: 'SessionStart' }, {}],
    ['a policy with a mistake', {}, { policy: 'version: 2\n' }],
    ['a database that cannot be opened', {}, { args: ['--db', 'sqlite:/dev/null/no.db'] }],
    ['an option nobody knows', {}, { args: ['--fast'] }],
  ] as const,
  async (_, more, given: { stdin?: string; policy?: string; args?: readonly string[] }) => {
    const here = project(given.policy)
    const ran =
      given.stdin === undefined
        ? await here.hook(more, given.args)
        : await countersign(['hook', 'claude-code'], { cwd: here.cwd, stdin: given.stdin })
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(/^\w+: .+\n.+/)
  },
)

promise(
  ['CS-HOOK-4'],
  'init claude-code writes a policy that passes its tests, and settings',
  async () => {
    const cwd = folder({ '.claude/settings.json': '{"model":"x"}' })
    expect(await countersign(['init', 'claude-code'], { cwd })).toMatchObject({ code: 0 })
    const settings = JSON.parse(readFileSync(path.join(cwd, '.claude/settings.json'), 'utf8'))
    expect(settings).toMatchObject({ model: 'x', hooks: { PreToolUse: [{ matcher: '*' }] } })
    expect(await countersign(['policy', 'test'], { cwd })).toMatchObject({ code: 0 })
    expect(await countersign(['policy', 'check'], { cwd })).toMatchObject({ code: 0 })
    const sound = await countersign(['doctor'], { cwd })
    expect(sound.stdout).toContain('Claude Code: every call goes through the hook')
    const open = { ...settings, disableAllHooks: true }
    writeFileSync(path.join(cwd, '.claude/settings.json'), JSON.stringify(open))
    const found = await countersign(['doctor'], { cwd })
    expect(found.code).toBe(1)
    expect(found.stdout).toContain('disableAllHooks is on')
    const broken = folder({ '.claude/settings.json': '{' })
    const refused = await countersign(['init', 'claude-code'], { cwd: broken })
    expect(refused).toMatchObject({ code: 2 })
    expect(readFileSync(path.join(broken, '.claude/settings.json'), 'utf8')).toBe('{')
  },
)

promise(['CS-HOOK-4'], 'init claude-code starts an installed package without npx', async () => {
  const bin = 'node_modules/countersign/bin/countersign.js'
  const cwd = folder({ [bin]: '', 'packages/app/a.txt': '' })
  const commands = (place: string) =>
    readFileSync(path.join(place, '.claude/settings.json'), 'utf8').match(/"command": ".*"/g) ?? []
  expect((await countersign(['init', 'claude-code'], { cwd })).stdout).not.toContain('npx')
  expect(commands(cwd)).toHaveLength(3)
  for (const line of commands(cwd)) {
    expect(line).toContain(`node \\"$CLAUDE_PROJECT_DIR\\"/${bin} hook claude-code`)
    expect(line).toContain('--project \\"$CLAUDE_PROJECT_DIR\\"')
  }
  const app = path.join(cwd, 'packages/app')
  await countersign(['init', 'claude-code'], { cwd: app })
  expect(commands(app)[0]).toContain(`/../../${bin} hook claude-code`)
  const alone = folder()
  const said = await countersign(['init', 'claude-code'], { cwd: alone })
  expect(said.stdout).toContain('npm install --save-dev countersign')
  expect(commands(alone)[0]).toContain('"npx countersign hook claude-code --project')
  expect((await countersign(['doctor'], { cwd: alone })).stdout).toContain('starts through npx')
})

promise(['CS-HOOK-4'], 'doctor finds what makes the hook block every call', async () => {
  const bin = 'node_modules/countersign/bin/countersign.js'
  const cwd = folder({ [bin]: '' })
  await countersign(['init', 'claude-code'], { cwd })
  rmSync(path.join(cwd, 'node_modules'), { recursive: true })
  rmSync(path.join(cwd, 'countersign.yaml'))
  const found = await countersign(['doctor'], { cwd })
  expect(found.code).toBe(1)
  expect(found.stdout).toContain(`the hook starts ${bin}, which is not there`)
  expect(found.stdout).toContain('Claude Code: there is no countersign.yaml')
})

promise(['CS-HOOK-4'], 'the command that init writes works as a shell runs it', async () => {
  const cwd = folder({ 'with space/countersign.yaml': POLICY })
  const place = path.join(cwd, 'with space')
  mkdirSync(path.join(place, 'node_modules'), { recursive: true })
  symlinkSync(path.resolve(BIN, '../..'), path.join(place, 'node_modules/countersign'), 'junction')
  await countersign(['init', 'claude-code'], { cwd: place })
  const { hooks } = JSON.parse(readFileSync(path.join(place, '.claude/settings.json'), 'utf8'))
  const line: string = hooks.PreToolUse[0].hooks[0].command
  const ran = (env: Record<string, string>, more: object = {}) =>
    spawnSync('sh', ['-c', line], {
      cwd: tmpdir(),
      encoding: 'utf8',
      env: { ...cleanEnv(), PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`, ...env },
      input: JSON.stringify({
        session_id: 's1',
        cwd: tmpdir(),
        hook_event_name: 'PreToolUse',
        tool_name: 'Danger',
        tool_input: {},
        tool_use_id: 'toolu_1',
        ...more,
      }),
    })
  const denied = ran({ CLAUDE_PROJECT_DIR: place })
  expect(denied.status).toBe(0)
  expect(said(denied.stdout).permissionDecisionReason).toMatch(/Never\./)
  expect(ran({ CLAUDE_PROJECT_DIR: place }, { tool_name: 'Read' })).toMatchObject({
    status: 0,
    stdout: '',
  })
  // Without the variable, and where the package is gone, nothing runs.
  expect(ran({ CLAUDE_PROJECT_DIR: '' }, { tool_name: 'Read' }).status).toBe(2)
  expect(ran({ CLAUDE_PROJECT_DIR: tmpdir() }, { tool_name: 'Read' }).status).toBe(2)
})
