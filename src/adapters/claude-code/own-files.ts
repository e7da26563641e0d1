import { fileURLToPath } from 'node:url'
import type { Json, JsonObject } from '../../base/json/json.ts'
import { codingAgent } from '../coding-agents/agents.ts'
import type { HookInput } from './hook-input.ts'
import { isInside, type OwnFiles, ownPlaces, realPath, resolved } from './own-places.ts'
import { shellTouches } from './own-shell.ts'

const COMMAND = /^(?:commands?|cmds?|command_?line|script|shell|argv|args)$/i
/** Where a patch says which file it is about. Codex takes such a line with padding too. */
const PATCHED =
  /^[\t\v\f \u0085\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\ufeff]*(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |--- |\+\+\+ |(?:rename|copy) (?:from|to) |diff --git )(.+)$/gm
const MOVES = /move|rename|delete|remove|trash|unlink|\brm\b/i

/**
 * Why a call would reach into Countersign itself, if it would. Paths are resolved, so they are known
 * exactly. A shell line is text, and there is no end of ways to write a name in it: what is
 * recognised there, and what is not, stands in docs/guides/claude-code.md. A tool that is not known
 * to write no file is taken for writing every path it names.
 */
export function touchesOwnFiles(
  { agent, tool, server, args, cwd }: HookInput,
  own: OwnFiles,
): string | undefined {
  const isBuiltIn = server === undefined
  const { readers, shells, editors, contents, patchers } = codingAgent(agent).tools
  if (isBuiltIn && readers.has(tool)) return undefined
  const isOwn = ownPlaces(own)
  if (isBuiltIn && shells.has(tool)) return shellTouches(linesIn(args), { cwd, own, isOwn })
  // What these put into a file may well speak of a policy.
  const isEditor = isBuiltIn && (editors.has(tool) || patchers.has(tool))
  const texts = textsIn(args)
  const parts = texts.flatMap(({ key, text }) => (COMMAND.test(key) ? text : []))
  // A list may hold lines, or the words of one.
  for (const line of isEditor || parts.length === 0 ? [] : [parts.join('\n'), parts.join(' ')]) {
    const why = shellTouches(line, { cwd, own, isOwn })
    if (why !== undefined) return why
  }
  for (const { key, text } of texts) {
    if (isEditor && contents.has(key)) continue
    for (const named of pathsIn(text)) {
      const place = resolved(named, cwd, own)
      if (isOwn(place)) return 'it would change files that Countersign decides by'
      if (MOVES.test(tool) && own.paths.some((one) => isInside(realPath(one), place))) {
        return 'it would move or remove a folder with files that Countersign decides by'
      }
    }
  }
  return undefined
}

function pathsIn(text: string): string[] {
  const trimmed = text.trim()
  if (/\n/.test(trimmed)) {
    return [...text.matchAll(PATCHED)].flatMap(([, named = '']) => patchedFiles(named))
  }
  const [scheme] = /^[a-z][a-z0-9+.-]+:\/\//i.exec(trimmed) ?? []
  if (scheme !== undefined) return scheme.toLowerCase() === 'file://' ? fileOf(trimmed) : []
  // Programs in C end a path at the first NUL.
  const spelled = [trimmed, text, trimmed.split('\0')[0] ?? '', decoded(trimmed)]
  return [...new Set(spelled)].filter((one) => one !== '')
}

/** A date may follow behind a tab, quotes may stand around it, and `diff --git` names two. */
function patchedFiles(named: string): string[] {
  const [file = ''] = named.split('\t')
  return [file, ...file.split(' ')].map((one) =>
    one
      .trim()
      .replaceAll('"', '')
      .replace(/^[ab]\//, ''),
  )
}

/** Some servers take a path as they would take a URL. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function fileOf(url: string): string[] {
  try {
    return [fileURLToPath(url)]
  } catch {
    return [url.slice('file://'.length)]
  }
}

interface Text {
  readonly key: string
  readonly text: string
}

function textsIn(value: Json, key = ''): Text[] {
  if (typeof value === 'string') return [{ key, text: value }]
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one as Json, key))
  return Object.entries(value).flatMap(([name, one]) => textsIn(one as Json, name))
}

function linesIn(args: JsonObject): string {
  return textsIn(args)
    .map(({ text }) => text)
    .join('\n')
}
