import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Json } from '../../base/json/json.ts'
import { createSplitter } from '../../base/lines.ts'
import { isRecordName } from '../../store/records.ts'
import { assertMayKeep, type Capabilities } from './capabilities.ts'
import { type FetchOptions, guardedFetch } from './guarded-fetch.ts'
import {
  type FromChild,
  type Language,
  LIMITS,
  type Limits,
  type RunError,
  type ToChild,
} from './messages.ts'
import { type Secret, secretHider } from './secrets.ts'

export interface ToolCode {
  readonly source: string
  readonly language: Language
  readonly capabilities: Capabilities
}

/** Values a tool keeps between calls. */
export interface KeyValues {
  get(key: string): Promise<Json | undefined>
  set(key: string, value: Json): Promise<void>
  delete(key: string): Promise<void>
  keys(): Promise<readonly string[]>
}

export interface RunToolOptions extends Omit<FetchOptions, 'capabilities' | 'secrets' | 'word'> {
  readonly secrets: readonly Secret[]
  readonly kv: KeyValues
  readonly limits?: Partial<Limits>
  readonly signal?: AbortSignal | undefined
  readonly isTest?: boolean
}

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error'
  readonly text: string
}

export interface ToolRun {
  readonly logs: readonly LogLine[]
  readonly ms: number
  /** Absent where it ended with an error. */
  readonly result?: Json
  readonly error?: RunError
}

// Lines a child may send: one for each request and each line of its log, and one for its end.
const LONGEST_LINE = 1_048_576
const MOST_BYTES = 16 * 1_048_576

/**
 * Runs a tool once, in a process that is killed afterwards. Whatever it does ends at the latest with
 * that process: no state of it is left, and nothing of ours was in it.
 */
export function runTool(tool: ToolCode, args: Json, options: RunToolOptions): Promise<ToolRun> {
  const { capabilities } = tool
  const limits: Limits = { ...LIMITS, ...options.limits }
  const hide = secretHider(options.secrets)
  const word = randomBytes(16).toString('hex')
  const began = performance.now()
  const logs: LogLine[] = []
  const stop = new AbortController()

  return new Promise((resolve) => {
    const child = startChild()
    const splitter = createSplitter(LONGEST_LINE)
    let isOver = false
    let bytes = 0
    let requests = 0

    const end = (outcome: { result: Json } | { error: RunError }) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', onAbort)
      stop.abort()
      child.kill('SIGKILL')
      resolve({ logs, ms: Math.round(performance.now() - began), ...outcome })
    }
    const fail = (kind: RunError['kind'], message: string) => end({ error: { kind, message } })
    const timer = setTimeout(() => {
      fail('wall', `it took longer than ${limits.wall} ms`)
    }, limits.wall)
    const onAbort = () => fail('wall', 'the call was cancelled')
    options.signal?.addEventListener('abort', onAbort, { once: true })
    if (options.signal?.aborted) onAbort()

    child.on('error', () => fail('crashed', 'the sandbox could not be started'))
    child.on('close', () => fail('crashed', 'the sandbox ended: it may have run out of memory'))
    child.stdin?.on('error', () => {})
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MOST_BYTES) return fail('output', `it wrote more than ${MOST_BYTES} bytes`)
      for (const line of splitter.push(chunk)) {
        if (isOver) return
        if (line === undefined)
          return fail('output', `it wrote more than ${LONGEST_LINE} bytes at once`)
        hear(line)
      }
    })

    function hear(line: Uint8Array) {
      const message = readLine(line)
      if (!message) return fail('crashed', 'the sandbox said something that is no message')
      if (message.type === 'log') {
        if (logs.length >= limits.logLines) return
        const level = message.level === 'warn' || message.level === 'error' ? message.level : 'info'
        logs.push({ level, text: hide(message.text.slice(0, limits.logLine)) })
      } else if (message.type === 'host') {
        if (++requests > limits.requests) return fail('output', 'it makes too many requests')
        void answer(message)
      } else if ('error' in message) {
        end({ error: readError(message.error, hide) })
      } else finish(message.result)
    }

    function finish(text: string) {
      if (Buffer.byteLength(text) > limits.result) {
        return fail('result', `its result is larger than ${limits.result} bytes`)
      }
      try {
        end({ result: JSON.parse(hide(text)) as Json })
      } catch {
        fail('result', 'its result is no JSON')
      }
    }

    async function answer({ id, what, body }: FromChild & { type: 'host' }): Promise<void> {
      const reply = (said: { value: string } | { error: string }) => {
        if (!isOver) child.stdin?.write(`${JSON.stringify({ type: 'reply', id, ...said })}\n`)
      }
      try {
        // Secrets leave the answer before the tool gets to see it.
        reply({ value: hide(JSON.stringify(await perform(what, JSON.parse(body)))) })
      } catch (error) {
        reply({ error: hide(error instanceof Error ? error.message : 'it failed') })
      }
    }

    function perform(what: string, asked: unknown): Promise<unknown> {
      if (what === 'fetch') {
        return guardedFetch(asked, { ...options, capabilities, word }, stop.signal)
      }
      return keep(what, asked, capabilities, options.kv)
    }

    const { source, language } = tool
    const secrets = capabilities.secrets
    const isTest = options.isTest === true
    const written = JSON.stringify(args)
    const start: ToChild = {
      ...{ type: 'run', source, language, args: written },
      ...{ secrets, word, limits, isTest },
    }
    child.stdin?.write(`${JSON.stringify(start)}\n`)
  })
}

async function keep(
  what: string,
  asked: unknown,
  capabilities: Capabilities,
  kv: KeyValues,
): Promise<unknown> {
  assertMayKeep(capabilities)
  const { key, value } = (asked ?? {}) as { key?: unknown; value?: Json }
  if (what === 'kv.keys') return { keys: await kv.keys() }
  if (typeof key !== 'string' || key.length === 0 || key.length > 128) {
    throw new Error('a key has 1 to 128 characters')
  }
  // As for records, also where a draft or a test keeps nothing: what passes there works once published.
  if (!isRecordName(key)) throw new Error('a key holds no U+0000 and no half of a surrogate pair')
  if (what === 'kv.get') return { value: (await kv.get(key)) ?? null }
  if (what === 'kv.set') return kv.set(key, value ?? null).then(() => null)
  if (what === 'kv.delete') return kv.delete(key).then(() => null)
  throw new Error('there is no such request')
}

const KINDS: readonly RunError['kind'][] = ['thrown', 'syntax', 'cpu', 'stuck', 'result', 'crashed']
const LONGEST_ERROR = 4_000
const PLACE = /^tool\.js:\d{1,9}(:\d{1,9})?$/

function readError(said: RunError, hide: (text: string) => string): RunError {
  const kind = KINDS.find((one) => one === said.kind) ?? 'crashed'
  const message = hide(String(said.message)).slice(0, LONGEST_ERROR)
  const isPlace = typeof said.at === 'string' && PLACE.test(said.at)
  return { kind, message, ...(isPlace ? { at: said.at } : {}) }
}

/** Whatever is behind the pipe may say anything. */
function readLine(line: Uint8Array): FromChild | undefined {
  let said: Record<string, unknown>
  try {
    said = JSON.parse(new TextDecoder().decode(line))
  } catch {
    return undefined
  }
  if (typeof said !== 'object' || said === null) return undefined
  const { type, id, what, body, text, result, error } = said
  const isLog = type === 'log' && typeof text === 'string'
  const isHost =
    type === 'host' &&
    Number.isSafeInteger(id) &&
    typeof what === 'string' &&
    typeof body === 'string'
  const isEnd =
    type === 'end' &&
    (typeof result === 'string' || (typeof error === 'object' && error !== null && 'kind' in error))
  return isLog || isHost || isEnd ? (said as unknown as FromChild) : undefined
}

// As published, the interpreter is part of that file.
const isSource = import.meta.url.endsWith('.ts')
const CHILD = fileURLToPath(new URL(isSource ? './child.ts' : './child.js', import.meta.url))

let readable: readonly string[] | undefined

/** What the process may read: the interpreter and its own code. Nothing may be written. */
function readableFolders(): readonly string[] {
  if (readable) return readable
  const folders = [path.dirname(CHILD), ...(isSource ? interpreterFolders() : [])]
  readable = [...new Set(folders.flatMap((folder) => [folder, realpathSync(folder)]))]
  return readable
}

function interpreterFolders(): string[] {
  const core = createRequire(import.meta.url).resolve('quickjs-emscripten-core')
  return [
    ...foldersOf('quickjs-emscripten-core', import.meta.url),
    ...foldersOf('@jitl/quickjs-ng-wasmfile-release-sync', import.meta.url),
    ...foldersOf('@jitl/quickjs-ffi-types', core),
  ]
}

/** Where a package is, and where it is found: with pnpm, workspaces and `npm link` that is a link. */
function foldersOf(name: string, from: string): readonly string[] {
  const require = createRequire(from)
  const found = (require.resolve.paths(name) ?? [])
    .map((folder) => path.join(folder, name))
    .find((folder) => existsSync(folder))
  return [packageFolder(require.resolve(name)), ...(found === undefined ? [] : [found])]
}

/** Of the package that a file belongs to. */
function packageFolder(file: string): string {
  const folder = path.dirname(file)
  return existsSync(path.join(folder, 'package.json')) && path.basename(folder) !== 'dist'
    ? folder
    : packageFolder(folder)
}

function startChild(): ChildProcess {
  const reads = readableFolders().map((folder) => `--allow-fs-read=${folder}`)
  return spawn(
    process.execPath,
    [
      '--permission',
      ...reads,
      '--max-old-space-size=96',
      '--disallow-code-generation-from-strings',
      '--no-warnings',
      CHILD,
    ],
    { env: {}, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true, cwd: path.dirname(CHILD) },
  )
}
