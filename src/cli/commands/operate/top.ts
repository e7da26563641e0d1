import type { Command } from 'commander'
import { parseDuration } from '../../../base/duration.ts'
import { usage } from '../../failure.ts'
import { printable } from '../../print/printable.ts'
import type { Run, Shell } from '../../shell.ts'
import { databasePlace } from '../../state/database.ts'
import { type DatabaseOptions, takesDatabase } from '../../state/open-store.ts'
import { readServerFile } from '../../state/server-file.ts'
import { Reading } from '../../watch/samples.ts'
import { type TopLine, type TopState, topLines } from '../../watch/top-lines.ts'

interface Options extends DatabaseOptions {
  readonly url?: string
  readonly every: string
  readonly once?: boolean
}

export function addTop(program: Command, run: Run): void {
  takesDatabase(program.command('top'))
    .description('Watch a server in this terminal: what waits, rates, time to decision, lags.')
    .option('--url <address>', 'the server; else COUNTERSIGN_URL, or the one on this database')
    .option('--every <duration>', 'how often to read', '2s')
    .option('--once', 'read twice, print it and end')
    .addHelpText(
      'after',
      '\nReads /metrics and nothing else. From another machine it needs COUNTERSIGN_METRICS_TOKEN,' +
        '\nwhich opens nothing else.\n\nExample:\n  $ countersign top',
    )
    .action((options: Options) => run((shell) => top(options, shell)))
}

async function top(options: Options, shell: Shell): Promise<number> {
  const every = parseDuration(options.every)
  if (!every.ok) throw usage(`--every: ${every.problem}`, 'Use a duration such as 2s.')
  const url = addressOf(options, shell)
  const { stdin, screen, out, env } = shell
  const isLive = out.terminal && screen !== undefined && options.once !== true
  if (!isLive && options.once !== true) {
    throw usage('top draws on a terminal', 'Run it in one, or add --once.')
  }
  const stop = new AbortController()
  const read = () => readFrom(url, env.COUNTERSIGN_METRICS_TOKEN, stop.signal)
  let state: TopState = { url: printable(url), at: Date.now() }
  const look = async () => {
    try {
      const now = await read()
      state = { url: state.url, now, at: Date.now(), ...(state.now ? { before: state.now } : {}) }
    } catch (error) {
      state = { ...state, problem: printable((error as Error).message), at: Date.now() }
    }
  }
  if (!isLive) {
    await look()
    await pause(every.value, stop.signal)
    await look()
    for (const { text } of topLines(state, out.columns ?? 120, 60).slice(0, -1)) out.line(text)
    return state.problem === undefined ? 0 : 7
  }
  const end = openScreen(stdin, shell, () => stop.abort())
  try {
    while (!stop.signal.aborted) {
      await look()
      if (!stop.signal.aborted) draw(state, shell)
      await pause(every.value, stop.signal)
    }
  } finally {
    end()
  }
  return 0
}

function addressOf({ url, db, tenant }: Options, shell: Shell): string {
  const given = url ?? shell.env.COUNTERSIGN_URL
  const server = given === undefined ? readServerFile(databasePlace(db, shell), tenant) : undefined
  const found = given ?? server?.local ?? server?.url
  if (found !== undefined && URL.canParse(found)) return new URL(found).origin
  throw usage(
    found === undefined ? 'no Countersign runs on this database' : `${found} is not an address`,
    'Run `countersign start`, or name a server: --url https://approvals.example.com',
  )
}

async function readFrom(
  url: string,
  token: string | undefined,
  signal: AbortSignal,
): Promise<Reading> {
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
  const late = AbortSignal.any([signal, AbortSignal.timeout(5_000)])
  const answer = await fetch(new URL('/metrics', url), { headers, signal: late }).catch(() => {
    throw new Error('The server does not answer; trying again.')
  })
  if (answer.ok) return new Reading(await answer.text(), Date.now())
  throw new Error(
    answer.status === 404 || answer.status === 401
      ? `The server answers ${answer.status}: from another machine, set COUNTERSIGN_METRICS_TOKEN.`
      : `The server answers ${answer.status}; trying again.`,
  )
}

/** Resolves early when it is over. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const onAbort = () => {
    clearTimeout(timer)
    resolve()
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return promise
}

const LOOKS: Readonly<Record<TopLine['look'], string>> = {
  plain: '',
  bold: '\x1b[1m',
  dim: '\x1b[2m',
  warn: '\x1b[33m',
  bad: '\x1b[31m',
}

function draw(state: TopState, { screen, env }: Shell): void {
  const { columns = 80, rows = 24 } = (screen ?? {}) as { columns?: number; rows?: number }
  const isPlain = (env.NO_COLOR ?? '') !== ''
  const lines = topLines(state, columns, rows).map(({ text, look }) =>
    isPlain || look === 'plain' ? `${text}\x1b[K` : `${LOOKS[look]}${text}\x1b[0m\x1b[K`,
  )
  screen?.write(`\x1b[H${lines.join('\r\n')}\x1b[J`)
}

/** Ctrl-C and Escape come as characters: the terminal is raw. */
const QUITS = ['q', 'Q', '\x03', '\x1b']

/** The screen as before comes back with what this returns. */
function openScreen(stdin: Shell['stdin'], { screen }: Shell, quit: () => void): () => void {
  const keys = stdin as NodeJS.ReadStream
  const onKey = (chunk: Buffer) => {
    if (QUITS.some((key) => String(chunk).includes(key))) quit()
  }
  keys.setRawMode?.(true)
  keys.on('data', onKey)
  process.once('SIGINT', quit).once('SIGTERM', quit)
  screen?.write('\x1b[?1049h\x1b[?25l\x1b[2J')
  return () => {
    screen?.write('\x1b[?25h\x1b[?1049l')
    process.off('SIGINT', quit).off('SIGTERM', quit)
    keys.off('data', onKey)
    keys.setRawMode?.(false)
    keys.pause()
  }
}
