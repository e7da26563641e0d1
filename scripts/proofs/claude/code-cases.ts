import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { openSqlite } from '../../../src/store/sqlite/open-store.ts'
import { root } from '../../tool.ts'
import type { Installed } from './install.ts'
import { environment, type Place, place } from './place.ts'
import { prove, until } from './prove.ts'
import { type ScriptedModel, scriptedModel, type ToolUse, type Turn } from './scripted-model.ts'

/** Claude Code itself: with our hook in its settings, and as a client of the gateway. */
export async function proveClaudeCode(installed: Installed): Promise<void> {
  await proveHook(installed)
  await proveGateway(installed)
}

async function proveHook({ claude }: Installed): Promise<void> {
  const here = projectPlace()
  const made = path.join(here.project, 'made.txt')
  const write = (id: string): Turn => [
    { id, name: 'Bash', input: { command: 'echo hi >> made.txt' } },
  ]
  const go = (model: ScriptedModel) => print(claude, here, model, ['--allowedTools', 'Bash'])
  try {
    await ran(here, 'npx countersign init claude-code')
    const settings = readFileSync(path.join(here.project, '.claude/settings.json'), 'utf8')
    assert.ok(!settings.includes('npx'), 'the installed package is started without npx')
    const inbox = await startInbox(here)
    try {
      await prove('Claude Code waits for its hook, and runs what was approved, once', async () => {
        const model = await scriptedModel([write('b1')])
        const going = go(model)
        const asked = await inbox.waiting('Bash')
        assert.ok(!existsSync(made))
        await inbox.decide(asked, { verdict: 'approve' })
        await going
        assert.equal(readFileSync(made, 'utf8'), 'hi\n')
        assert.equal(await inbox.execution(asked.id), 'succeeded')
      })
      await prove('Claude Code is told why its hook said no', async () => {
        const model = await scriptedModel([write('b2')])
        const going = go(model)
        const reason = 'Not on a Monday'
        await inbox.decide(await inbox.waiting('Bash'), { verdict: 'deny', reason })
        await going
        assert.equal(readFileSync(made, 'utf8'), 'hi\n')
        assert.match(
          model.read('b2'),
          /denied by a person and did not run\. Reason: Not on a Monday/,
        )
      })
    } finally {
      await inbox.stop()
    }
    await prove('Claude Code writes no policy of its own beside that of the project', async () => {
      const file_path = path.join(here.project, 'sub', 'countersign.yaml')
      const input = { file_path, content: 'version: 1\n' }
      const model = await scriptedModel([[{ id: 'b4', name: 'Write', input }]])
      await print(claude, here, model, ['--allowedTools', 'Write'])
      assert.ok(!existsSync(file_path))
      assert.match(model.read('b4'), /files that Countersign decides by/)
    })
    await prove('Claude Code runs nothing when its hook cannot read the policy', async () => {
      writeFileSync(path.join(here.project, 'countersign.yaml'), 'version: 1\ntools: [nonsense\n')
      const model = await scriptedModel([write('b3')])
      await go(model)
      assert.equal(readFileSync(made, 'utf8'), 'hi\n')
      assert.match(model.read('b3'), /hook/)
    })
    await prove('Claude Code runs nothing in a project without a policy', async () => {
      rmSync(path.join(here.project, 'countersign.yaml'))
      const model = await scriptedModel([write('b5')])
      await go(model)
      assert.equal(readFileSync(made, 'utf8'), 'hi\n')
      assert.match(model.read('b5'), /there is no countersign\.yaml/)
    })
  } finally {
    here.remove()
  }
}

async function proveGateway({ claude }: Installed): Promise<void> {
  const readme = readFileSync(path.join(root, 'README.md'), 'utf8')
  const [added = ''] = /^claude mcp add .*$/m.exec(readme) ?? []
  const [, config = ''] = /^\/\/ Claude Desktop.*\n([\s\S]*?)\n```/m.exec(readme) ?? []
  const file = (here: Place) => path.join(here.project, 'hello.txt')
  const write = (here: Place, name: string): ToolUse => ({
    id: 'w1',
    name,
    input: { path: file(here), content: 'hi' },
  })

  const ways: [string, (here: Place) => Promise<string[]>][] = [
    [
      'by the line of the README',
      async (here) => {
        await ran(here, added.replace(/^claude/, quoted(claude)))
        return []
      },
    ],
    [
      'by the configuration of the README',
      async (here) => {
        // As a reader would: with a folder of their own. The server ends where it is not there.
        const own = config.replace('/path/to/your/folder', here.project)
        writeFileSync(path.join(here.project, 'servers.json'), own)
        return ['--mcp-config', 'servers.json']
      },
    ],
  ]
  for (const [how, configure] of ways) {
    await prove(`Claude Code asks through the gateway, ${how}`, async () => {
      const here = projectPlace()
      try {
        const more = await configure(here)
        const tool = 'mcp__files__write_file'
        const model = await scriptedModel([[write(here, tool)]])
        const going = print(claude, here, model, ['--allowedTools', tool, ...more])
        const inbox = await signedIn(here)
        const asked = await inbox.waiting('write_file')
        assert.equal(asked.server, 'server-filesystem')
        assert.ok(!existsSync(file(here)))
        await inbox.decide(asked, { verdict: 'approve' })
        await going
        assert.equal(readFileSync(file(here), 'utf8'), 'hi')
        assert.match(model.read('w1'), /Successfully wrote/)
        await tellRung(here, asked.id)
      } finally {
        here.remove()
      }
    })
  }

  await prove('Claude Code asks through /mcp over HTTP', async () => {
    const here = projectPlace()
    writeFileSync(
      path.join(here.project, 'countersign.yaml'),
      `version: 1
mcp_servers:
  - { alias: files, command: npx, args: [-y, "@modelcontextprotocol/server-filesystem", "."], approval: true }
`,
    )
    const inbox = await startInbox(here)
    try {
      const token = (await ran(here, 'npx countersign token create --agent claude')).trim()
      const header = quoted(`Authorization: Bearer ${token}`)
      const url = `${inbox.url}mcp`
      await ran(here, `${quoted(claude)} mcp add --transport http all ${url} --header ${header}`)
      const tool = 'mcp__all__files_write_file'
      const model = await scriptedModel([[write(here, tool)]])
      const going = print(claude, here, model, ['--allowedTools', tool])
      const asked = await inbox.waiting('write_file')
      assert.equal(asked.server, 'files')
      await inbox.decide(asked, { verdict: 'approve' })
      await going
      assert.equal(readFileSync(file(here), 'utf8'), 'hi')
      assert.match(model.read('w1'), /Successfully wrote/)
      await tellRung(here, asked.id)
    } finally {
      await inbox.stop()
      here.remove()
    }
  })
}

/** Packages that a project would have installed, so that `npx` finds them here. */
const PACKAGES = {
  countersign: { at: root, bin: 'bin/countersign.js' },
  '@modelcontextprotocol/server-filesystem': {
    at: path.join(root, 'node_modules/@modelcontextprotocol/server-filesystem'),
    bin: 'dist/index.js',
  },
}

function projectPlace(): Place {
  const empty = place()
  const here: Place = {
    ...empty,
    remove() {
      for (const pid of running) process.kill(-pid, 'SIGKILL')
      empty.remove()
    },
  }
  const modules = path.join(here.project, 'node_modules')
  mkdirSync(path.join(modules, '@modelcontextprotocol'), { recursive: true })
  mkdirSync(path.join(modules, '.bin'))
  writeFileSync(path.join(here.project, 'package.json'), '{ "private": true }')
  for (const [name, { at, bin }] of Object.entries(PACKAGES)) {
    symlinkSync(at, path.join(modules, name), 'junction')
    const command = name === 'countersign' ? name : 'mcp-server-filesystem'
    symlinkSync(path.join(at, bin), path.join(modules, '.bin', command))
  }
  return here
}

/** `claude -p`: one prompt, and everything the scripted model wants. */
async function print(claude: string, here: Place, model: ScriptedModel, args: readonly string[]) {
  const line = [claude, '-p', 'go', '--model', 'claude-sonnet-4-5', ...args].map(quoted).join(' ')
  try {
    return await ran(here, line, model.url)
  } finally {
    await model.close()
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** As typed into a shell in the project. */
async function ran(here: Place, line: string, model = 'http://127.0.0.1:9'): Promise<string> {
  const child = started(here, line, model)
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  if (code !== 0) throw new Error(`${line} ended with ${code}\n${stdout}\n${stderr}`)
  return stdout
}

function started(here: Place, line: string, model: string): ChildProcess {
  const env = {
    ...environment(here, model),
    npm_config_cache: npmCache(),
    npm_config_offline: 'true',
  }
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  const child = spawn('sh', ['-c', line], {
    cwd: here.project,
    env,
    stdio: [...stdio],
    detached: true,
  })
  const { pid } = child
  if (pid !== undefined) {
    running.add(pid)
    child.on('close', () => running.delete(pid))
  }
  return child
}

/** Groups of processes that a case has left behind when it failed. */
const running = new Set<number>()

function npmCache(): string {
  return process.env.npm_config_cache ?? path.join(process.env.HOME ?? '', '.npm')
}

interface Asked {
  readonly id: string
  readonly digest: string
  readonly status: string
  readonly tool: string
  readonly server?: string
}

interface Inbox {
  readonly url: string
  waiting(tool: string): Promise<Asked>
  decide(asked: Asked, answer: object): Promise<void>
  execution(id: string): Promise<string | undefined>
}

/** `countersign start`, and its operator signed in. */
async function startInbox(here: Place): Promise<Inbox & { stop(): Promise<void> }> {
  const child = started(here, 'npx countersign start --port 0 --json', '')
  let said = ''
  child.stdout?.on('data', (chunk) => {
    said += chunk
  })
  await until(() => /"url": "([^"]+)"/.exec(said) ?? undefined)
  const inbox = await signedIn(here)
  return {
    ...inbox,
    async stop() {
      const closed = new Promise((resolve) => child.on('close', resolve))
      process.kill(-(child.pid ?? 0), 'SIGTERM')
      await closed
    },
  }
}

/** Somebody who follows the link that `countersign open` prints, once there is an inbox. */
async function signedIn(here: Place): Promise<Inbox> {
  const link = await until(() => ran(here, 'npx countersign open').then(linkIn, () => undefined))
  const { origin, hash } = new URL(link)
  const json = { 'content-type': 'application/json' }
  const answer = await fetch(new URL('/v1/session', origin), {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ token: hash.replace('#signin=', '') }),
  })
  const { csrf } = (await answer.json()) as { csrf: string }
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const headers = { ...json, cookie, 'x-countersign-csrf': csrf }
  async function get<T>(at: string): Promise<T> {
    return (await (await fetch(new URL(at, origin), { headers })).json()) as T
  }
  return {
    url: `${origin}/`,
    waiting: (tool) =>
      until(async () => {
        const { approvals } = await get<{ approvals: Asked[] }>('/v1/approvals?status=pending')
        return approvals.find((one) => one.status === 'pending' && one.tool === tool)
      }),
    async decide({ id, digest }, said) {
      const response = await fetch(new URL(`/v1/approvals/${id}/decisions`, origin), {
        method: 'POST',
        headers,
        body: JSON.stringify({ digest, ...said }),
      })
      assert.ok(response.ok, `${response.status} ${await response.text()}`)
    },
    async execution(id) {
      const shown = await get<Record<string, unknown>>(`/v1/approvals/${id}`)
      return JSON.stringify(shown).match(/"execution":(?:\{"state":)?"(\w+)"/)?.[1]
    },
  }
}

function linkIn(text: string): string | undefined {
  return /http:\S+#signin=[\w-]+/.exec(text)?.[0]
}

/** How Claude Code was kept waiting, as the gateway has written it down. */
async function tellRung(here: Place, id: string): Promise<void> {
  const folders = [here.project, here.home].map((one) => path.join(one, '.countersign'))
  const folder = folders.find((one) => existsSync(path.join(one, 'approvals.db')))
  assert.ok(folder)
  const store = await openSqlite(path.join(folder, 'approvals.db'))
  try {
    const { value } = await until(async () => store.records.get('mcp wait', id))
    process.stdout.write(`       it waited so: ${JSON.stringify(value)}\n`)
  } finally {
    await store.close()
  }
}
