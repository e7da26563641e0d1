import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../../tool.ts'

/** The SDK is not free software and brings 400 MB: it is installed for this proof alone. */
export interface Installed {
  readonly folder: string
  /** Claude Code itself. */
  readonly claude: string
  readonly sdk: Sdk
}

/** As much of the SDK as is called here. */
export interface Sdk {
  query(params: { prompt: string; options: object }): AsyncGenerator<SdkMessage, void>
  tool(
    name: string,
    description: string,
    shape: object,
    run: (args: never) => Promise<object>,
    extras?: object,
  ): unknown
  createSdkMcpServer(options: { name: string; version: string; tools: unknown[] }): unknown
}

export interface SdkMessage {
  readonly type: string
  readonly session_id?: string
  readonly stop_reason?: string
}

const FILES = ['package.json', 'package-lock.json']

export async function install(): Promise<Installed> {
  const folder = path.join(root, 'node_modules', '.cache', 'countersign-claude')
  const own = (file: string) => path.join(import.meta.dirname, file)
  const done = path.join(folder, 'installed')
  const wanted = FILES.map((file) => readFileSync(own(file), 'utf8')).join('')
  if (!existsSync(done) || readFileSync(done, 'utf8') !== wanted) {
    mkdirSync(folder, { recursive: true })
    for (const file of FILES) copyFileSync(own(file), path.join(folder, file))
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
    const windows = process.platform === 'win32'
    const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'inherit', shell: windows })
    if (status !== 0) throw new Error('the Claude Agent SDK could not be installed')
    writeFileSync(done, wanted)
  }
  const packages = path.join(folder, 'node_modules', '@anthropic-ai')
  const claude = readdirSync(packages)
    .flatMap((name) => ['claude', 'claude.exe'].map((file) => path.join(packages, name, file)))
    .find((file) => existsSync(file))
  if (claude === undefined) throw new Error('the SDK has no Claude Code for this platform')
  const entry = path.join(packages, 'claude-agent-sdk', 'sdk.mjs')
  return { folder, claude, sdk: (await import(pathToFileURL(entry).href)) as Sdk }
}
