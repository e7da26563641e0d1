import { open as openFile } from 'node:fs/promises'
import path from 'node:path'
import type { Command } from 'commander'
import { parseStrict } from '../../../base/json/strict-json.ts'
import { createSplitter, type Line } from '../../../base/lines.ts'
import type { Policy } from '../../../policy/policy.ts'
import { type Replayed, replayLine } from '../../../policy/tooling/replay.ts'
import { usage } from '../../failure.ts'
import { why } from '../../files.ts'
import { type Paint, VERDICT_STYLE } from '../../print/colour.ts'
import { jsonText, printable } from '../../print/printable.ts'
import type { Run, Shell } from '../../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../../state/open-store.ts'
import { loadPolicy } from '../../state/policy-files.ts'
import { recordedCalls } from '../../state/recorded-calls.ts'

interface Options extends DatabaseOptions {
  readonly calls?: string
  readonly recorded?: boolean
  readonly json?: boolean
}

const CHUNK = 65_536
const LONGEST_LINE = 4 * 1_048_576
const LIMITS = { bytes: LONGEST_LINE, depth: 66 }

export function addReplay(policy: Command, run: Run): void {
  takesDatabase(policy.command('replay'))
    .description(
      'Evaluate recorded calls with these files, one line each and in order, to compare policies.',
    )
    .argument('<owner>', 'the policy file')
    .argument('[governance...]', 'files whose rules can only tighten')
    .option('--calls <file>', 'one call as JSON per line; - reads standard input')
    .option('--recorded', 'the calls that were recorded while observing')
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      '\nExample:\n  $ countersign policy replay draft.yaml --calls calls.jsonl --json > verdicts.jsonl',
    )
    .action((owner: string, governance: string[], options: Options) =>
      run((shell) => {
        const { policy: loaded } = loadPolicy({ owner, governance }, shell.cwd)
        return replay(loaded, options, shell)
      }),
    )
}

/** Reads and writes as a stream: a recording of any size takes the memory of its longest line. */
async function replay(policy: Policy, options: Options, shell: Shell): Promise<number> {
  const { json = false } = options
  const chunks = source(options, shell)
  const { out } = shell
  const tally = new Map<string, number>()
  const splitter = createSplitter(LONGEST_LINE)
  let index = 0
  const answer = (lines: readonly Line[]): string => {
    let text = ''
    for (const line of lines) {
      const replayed = replayBytes(policy, index++, line)
      const word = 'verdict' in replayed ? replayed.verdict : 'error'
      tally.set(word, (tally.get(word) ?? 0) + 1)
      text += `${json ? jsonText(replayed) : showReplayed(replayed, out.paint)}\n`
    }
    return text
  }
  const exitCode = () => (tally.has('error') ? 1 : 0)
  for await (const chunk of chunks) {
    await out.write(answer(splitter.push(chunk)))
    if (out.closed()) return exitCode()
  }
  await out.write(answer(splitter.end()))
  if (!json) out.line(showTally(tally, index, out.paint))
  return exitCode()
}

function source(options: Options, shell: Shell): AsyncGenerator<Uint8Array> {
  const { calls, recorded = false } = options
  if ((calls === undefined) !== recorded) {
    throw usage(
      'replay needs either --calls or --recorded',
      'Name a file, or use what was recorded.',
    )
  }
  return calls === undefined ? recordedCalls(options, shell) : open(calls, shell)
}

/** Chunks of the recording; each is gone when the next is asked for. */
async function* open(calls: string, { stdin, cwd }: Shell): AsyncGenerator<Uint8Array> {
  if (calls === '-') {
    for await (const chunk of stdin) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    return
  }
  try {
    const file = await openFile(path.resolve(cwd, calls))
    try {
      // One buffer for all: a new one for each chunk piles up faster than it is collected.
      const chunk = new Uint8Array(CHUNK)
      for (;;) {
        const { bytesRead } = await file.read(chunk)
        if (bytesRead === 0) return
        yield chunk.subarray(0, bytesRead)
      }
    } finally {
      await file.close()
    }
  } catch (error) {
    throw usage(
      `${calls} cannot be read: ${why(error)}`,
      'Name a file with one call as JSON per line.',
    )
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const parse = (text: string): unknown => parseStrict(text, LIMITS)

function replayBytes(policy: Policy, index: number, line: Line): Replayed {
  if (line === undefined) {
    const message = `the line is longer than ${LONGEST_LINE} bytes`
    return { index, error: { code: 'too_large', message } }
  }
  let text: string
  try {
    text = utf8.decode(line)
  } catch {
    return { index, error: { code: 'invalid_unicode', message: 'the line is not UTF-8' } }
  }
  return replayLine(policy, index, text, parse)
}

function showReplayed(replayed: Replayed, paint: Paint): string {
  const number = paint('gray', String(replayed.index).padStart(7))
  if ('error' in replayed) {
    const { code, message } = replayed.error
    return `${number}  ${paint(['bold', 'red'], 'error  ')}  ${code}: ${printable(message)}`
  }
  const { verdict, message, reasons } = replayed
  const word = paint(VERDICT_STYLE[verdict], verdict.padEnd(7))
  const rule = reasons[0] ? `  ${printable(reasons[0].rule)}` : ''
  return `${number}  ${word}${rule}${message === '' ? '' : paint('gray', `  ${printable(message)}`)}`
}

function showTally(tally: ReadonlyMap<string, number>, total: number, paint: Paint): string {
  const parts = ['allow', 'confirm', 'review', 'deny', 'error']
    .filter((word) => tally.has(word))
    .map((word) => `${tally.get(word)} ${word}`)
  return paint(
    'bold',
    `${total} ${total === 1 ? 'call' : 'calls'}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`,
  )
}
