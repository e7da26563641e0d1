import path from 'node:path'
import { foldedText } from './own-names.ts'
import { type IsOwn, isInside, type OwnFiles, realPath, resolved } from './own-places.ts'
import { readShellLine, type ShellCommand } from './shell-line.ts'

interface Where {
  readonly cwd: string
  readonly own: OwnFiles
  readonly isOwn: IsOwn
}

// A hook that runs out of time lets the call run, so what takes long to read is not read.
const LONGEST_LINE = 100_000
/** Each may reach to the end of the line: reading 50,000 of them takes many seconds. */
const MOST_BRACES = 5_000
const MOST_WORDS = 20_000
const MOST_LOOKS = 100_000
const TOO_LONG = 'it is too long to see what it names'
const SETTINGS =
  /(?:\.claude|\.gemini|\.github[\\/]+copilot|\.copilot)[\\/]+settings(?:\.[\w-]+)*\.json|\.(?:codex|cursor)[\\/]+hooks\.json|\.codex[\\/]+config\.toml|\.(?:github|copilot)[\\/]+hooks[\\/]|\.opencode[\\/]+plugins?[\\/]/

/** Why a shell line would reach into Countersign itself, as far as it shows. */
export function shellTouches(line: string, asked: Where): string | undefined {
  const { own, isOwn } = asked
  if (line.length > LONGEST_LINE || line.split('{').length > MOST_BRACES) return TOO_LONG
  const where = { ...asked, cwd: startOf(line, asked) }
  const { cwd } = where
  const known = { PWD: cwd, ...(own.home === undefined ? {} : { HOME: own.home }) }
  const { readings, sequences } = readShellLine(line, known)
  const commands = sequences.flat()
  const texts = readings.map(foldedText)
  if (texts.some((text) => text.includes('countersign'))) {
    return 'it names Countersign, which agents do not operate'
  }
  if (texts.some((text) => SETTINGS.test(text))) {
    return 'it names the settings that make a coding agent ask'
  }
  const words = [...new Set(commands.flatMap((command) => [command.verb, ...command.words]))]
  if (words.length > MOST_WORDS) return TOO_LONG
  const folders = new Set([cwd, ...sequences.flatMap((commands) => foldersOf(commands, asked))])
  if (words.length * folders.size > MOST_LOOKS) return TOO_LONG
  const places = own.paths.map(realPath)
  for (const folder of folders) {
    if (words.some((word) => isOwn(resolved(word, folder, own)))) return NAMES
    if (commands.some((command) => reaches(command, folder, { ...where, places }))) return COVERS
  }
  return undefined
}

const NAMES = 'it names files that Countersign decides by'
const COVERS =
  'it would change or remove files that Countersign decides by along with others; name the files one by one'

/** `cd sub && …` runs nothing behind it anywhere else. */
function startOf(line: string, { cwd, own }: Omit<Where, 'isOwn'>): string {
  const [whole, folder] = /^\s*cd\s+([\w./~-]+)\s*&&/.exec(line) ?? []
  if (whole === undefined || folder === undefined || folder.startsWith('-')) return cwd
  return startOf(line.slice(whole.length), { cwd: resolved(folder, cwd, own), own })
}

/** Where the line may be when it names a file: `cd`, `pushd`, and options such as `git -C`. */
function foldersOf(commands: readonly ShellCommand[], { cwd, own }: Where): string[] {
  const folders: string[] = []
  let here = cwd
  for (const { verb, operands, tokens } of commands) {
    if (verb === 'cd' || verb === 'pushd') {
      here = resolved(operands[0] ?? own.home ?? cwd, here, own)
      folders.push(here)
    }
    const at = tokens.indexOf('-C')
    if (at !== -1) folders.push(resolved(tokens[at + 1] ?? '', here, own))
  }
  return folders
}

interface Reach extends Where {
  /** What must stay, with links followed. */
  readonly places: readonly string[]
}

const PATTERN = /[*?[]/
const ALWAYS_WRITES =
  /^(?:rm|rmdir|mv|cp|tee|truncate|dd|chmod|chown|chgrp|chattr|ln|install|rsync|unlink|shred|srm|touch)$/
const GIT_WRITES = /^(?:checkout|restore|rm|mv|clean|apply)$/

function writes({ verb, options, operands }: ShellCommand): boolean {
  if (verb === 'git') return operands.some((word) => GIT_WRITES.test(word))
  if (verb === 'sed' || verb === 'perl' || verb === 'ruby') {
    return options.some((option) => /^(?:-\w*i|--in-place)/.test(option))
  }
  return ALWAYS_WRITES.test(verb)
}

/** Whether a command changes files of ours that it does not name: by a pattern, or with their folder. */
function reaches(command: ShellCommand, folder: string, reach: Reach): boolean {
  const { verb, operands, targets } = command
  const { own, places } = reach
  const matches = (word: string) =>
    PATTERN.test(word) &&
    places.some((one) => patternCovers(realPath(resolved(word, folder, own)), one))
  if (targets.some(matches) || (writes(command) && operands.some(matches))) return true
  if (fillsSettings(command, (word) => realPath(resolved(word, folder, own)))) return true
  const covered = (word: string) =>
    places.some((one) => isInside(one, realPath(resolved(word, folder, own))))
  if (verb === 'find') return findReaches(command, covered)
  if (verb === 'git') return cleans(command) && operands.slice(-1).concat('.').some(covered)
  return removedBy(command).some((word) => !PATTERN.test(word) && covered(word))
}

const FILLS = /^(?:cp|mv|install|rsync|ln|scp)$/
const SETTINGS_FOLDER =
  /(?:^|[\\/])(?:\.(?:claude|gemini|codex|cursor|copilot|opencode)|\.(?:github|copilot)[\\/]hooks)$/
const UNPACKS = /^(?:tar|bsdtar|unzip|7z|cpio)$/

/** Whether it puts files that it does not name into a folder that holds settings, or links to it. */
function fillsSettings({ verb, words }: ShellCommand, place: (word: string) => string): boolean {
  const isSettings = (word: string) => SETTINGS_FOLDER.test(foldedText(place(word)))
  if (UNPACKS.test(verb)) return words.concat('.').some(isSettings)
  return FILLS.test(verb) && words.some(isSettings)
}

/** Operands that the command takes away or changes as a whole. */
function removedBy({ verb, operands, options }: ShellCommand): readonly string[] {
  const isDeep = options.some((option) => /^(?:-\w*[rR]|--recursive)/.test(option))
  if (verb === 'mv') return operands.slice(0, -1)
  if (verb === 'rm' || verb === 'chmod' || verb === 'chown') return isDeep ? operands : []
  if (verb === 'rsync') return options.includes('--delete') ? operands.slice(-1) : []
  return []
}

function cleans({ operands, options }: ShellCommand): boolean {
  return operands.includes('clean') && options.some((option) => /^(?:-\w*f|--force)/.test(option))
}

const DECIDES = [
  ...['countersign.yaml', '.countersign', 'approvals.db', 'countersign.json', 'countersign.js'],
  ...['settings.json', 'hooks.json', '.claude', '.codex', '.gemini', '.cursor', '.opencode'],
]

/** `find . -delete` takes everything; with `-name` only what fits. */
function findReaches(
  { operands, options, tokens }: ShellCommand,
  covered: (word: string) => boolean,
): boolean {
  const changes = options.some((option) => /^-(?:delete|exec|execdir|ok|okdir|fprint)/.test(option))
  if (!changes || !operands.concat('.').some(covered)) return false
  const names = tokens.flatMap((token, at) =>
    /^-i?(?:name|path|wholename|regex)$/.test(token) ? (tokens[at + 1] ?? '') : [],
  )
  return names.length === 0 || names.some((name) => DECIDES.some((one) => fits(name, one)))
}

/** Whether a pattern matches the path itself, or a folder above it. */
function patternCovers(pattern: string, place: string): boolean {
  const wanted = pattern.split(path.sep)
  const parts = place.split(path.sep)
  if (wanted.includes('**')) return fits(wanted.at(-1) ?? '', parts.at(-1) ?? '')
  return wanted.length <= parts.length && wanted.every((one, at) => fits(one, parts[at] ?? ''))
}

/** `*` and `?` as a shell has them; a bracket is any character. In time of pattern times name. */
function fits(pattern: string, name: string): boolean {
  const wanted = [...foldedText(pattern.replaceAll(/\[!?[^\]]*\]/g, '?'))]
  const letters = [...foldedText(name)]
  let at = 0
  let star = -1
  let behind = 0
  for (let letter = 0; letter < letters.length; ) {
    if (wanted[at] === '*') {
      star = at++
      behind = letter
    } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === letters[letter])) {
      at++
      letter++
    } else if (star !== -1) {
      at = star + 1
      letter = ++behind
    } else return false
  }
  return wanted.slice(at).every((one) => one === '*')
}
