import { realpathSync } from 'node:fs'
import path from 'node:path'
import type { Json, JsonObject } from '../../base/json.ts'
import type { HookInput } from './hook-input.ts'

/** What an agent must not touch: whoever can write these decides about itself. */
export interface OwnFiles {
  /** Files, and folders with everything in them. */
  readonly paths: readonly string[]
}

/** Tools that only look. Everything else that names a path is taken for writing it. */
const READERS = new Set(['Read', 'Glob', 'Grep', 'LS', 'NotebookRead'])
const SHELLS = new Set(['Bash', 'PowerShell', 'Monitor'])
const SETTINGS = /\.claude[\\/]+settings(?:\.local)?\.json/i

/**
 * Why a call would reach into Countersign itself, if it would. A shell line is text, and there is no
 * end of ways to write a name in it, so this stops the plain attempts; what an agent with a shell
 * under the same user can do all the same is said in SECURITY.md.
 */
export function touchesOwnFiles(
  { tool, server, args, cwd }: HookInput,
  own: OwnFiles,
): string | undefined {
  if (server === undefined && READERS.has(tool)) return undefined
  if (server === undefined && SHELLS.has(tool)) return inShell(args, own)
  for (const text of textsIn(args)) {
    if (text.length > 4_096 || /[\n\0]/.test(text)) continue
    const place = realPath(path.resolve(cwd, expandHome(text)))
    if (SETTINGS.test(place)) return 'it would change the settings that make Claude Code ask'
    if (own.paths.some((one) => isInside(place, realPath(one)))) {
      return 'it would change files that Countersign decides by'
    }
  }
  return undefined
}

function inShell(args: JsonObject, own: OwnFiles): string | undefined {
  const line = textsIn(args).join('\n')
  // Quotes and backslashes inside a word change nothing for a shell.
  const plain = line.replaceAll(/['"\\]/g, '')
  if (/countersign/i.test(plain)) return 'it names Countersign, which agents do not operate'
  if (SETTINGS.test(plain)) return 'it names the settings that make Claude Code ask'
  return own.paths.some((one) => plain.includes(one))
    ? 'it names files that Countersign decides by'
    : undefined
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap((one) => textsIn(one as Json))
}

function expandHome(text: string): string {
  return text.replace(/^~(?=[\\/]|$)/, process.env.HOME ?? '~')
}

/** With links followed as far as the path exists: a new file lies where its folder really is. */
function realPath(place: string): string {
  try {
    return realpathSync(place)
  } catch {
    const parent = path.dirname(place)
    return parent === place ? place : path.join(realPath(parent), path.basename(place))
  }
}

function isInside(place: string, folder: string): boolean {
  const way = path.relative(folder, place)
  return way === '' || !(way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way))
}
