import path from 'node:path'
import { nearest } from '../../policy/grammar/nearest.ts'
import { createReport } from '../../policy/read/read-report.ts'
import type { Tree, TreeEntry } from '../../policy/read/read-tree.ts'
import { readYaml } from '../../policy/read/yaml.ts'
import { usage } from '../failure.ts'
import { readPolicyBytes } from '../files.ts'
import type { Shell } from '../shell.ts'
import { SETTINGS, type Setting } from './settings.ts'

/** What a file says about one setting. */
export interface FileValue {
  /** One text, or the items of a list. */
  readonly items: readonly string[]
  /** `countersign.config.yaml:3`. */
  readonly at: string
  /** The secret is in the file that this names. */
  readonly isFileName: boolean
}

export type ConfigFile = ReadonlyMap<string, FileValue>

const LIKE = 'Look at the table in docs/operate/configure.md.'

/**
 * Only a file that is named is read: one that is found by its place could be written by an agent
 * that works in that folder.
 */
export function readConfigFile(named: string, { cwd }: Pick<Shell, 'cwd'>): ConfigFile {
  const file = path.resolve(cwd, named)
  const report = createReport()
  const tree = readYaml(named, bytesOf(), report)
  const [mistake] = report.mistakes()
  if (mistake)
    throw refusal(mistake.place.line, mistake.message.replace('; start it with `version: 1`', ''))
  if (tree?.kind !== 'map') throw refusal(1, 'it is not a list of `name: value`')
  const said = new Map<string, FileValue>()
  for (const entry of tree.entries) {
    const [name, value] = read(entry)
    if (said.has(name)) throw refusal(entry.place.line, `${name} is set twice`, 'Keep one of them.')
    said.set(name, value)
  }
  return said

  function read(entry: TreeEntry): [string, FileValue] {
    const { setting, isFileName } = find(entry)
    const at = `${named}:${entry.place.line}`
    const items = itemsOf(entry, setting, isFileName)
    if (isFileName) {
      const [secretFile = ''] = items
      return [setting.name, { items: [beside(secretFile)], at, isFileName }]
    }
    if (setting.isSecret && !items.every(isOpenAddress)) {
      throw refusal(
        entry.place.line,
        `${setting.name} holds a secret, which does not belong into this file`,
        `Put it alone into a file of its own and write ${setting.name}_file: /path/of/that/file.`,
      )
    }
    const there = setting.isPath || setting.name === 'db' ? items.map(beside) : items
    return [setting.name, { items: there, at, isFileName }]
  }

  function bytesOf(): Uint8Array {
    try {
      return readPolicyBytes(file, cwd)
    } catch (error) {
      throw usage(
        error instanceof Error ? error.message : `${named} cannot be read`,
        'Check --config or COUNTERSIGN_CONFIG, and that this user may read the file.',
      )
    }
  }

  /** As in other configuration files, a path begins where the file is. */
  function beside(text: string): string {
    if (/^postgres(ql)?:/.test(text)) return text
    const [, scheme = '', named = text] = /^(sqlite:)(.*)$/s.exec(text) ?? []
    return scheme + path.resolve(path.dirname(file), named.replace(/^\/\/(?=\/)/, ''))
  }

  function find({ key, place }: TreeEntry): { setting: Setting; isFileName: boolean } {
    const setting = SETTINGS.find(({ name }) => name === key)
    if (setting) return { setting, isFileName: false }
    const secret = SETTINGS.find(({ name, isSecret }) => isSecret && `${name}_file` === key)
    if (secret) return { setting: secret, isFileName: true }
    const known = SETTINGS.flatMap(({ name, isSecret }) =>
      isSecret ? [name, `${name}_file`] : [name],
    )
    const meant = nearest(key, known)
    throw refusal(
      place.line,
      `there is no setting ${key}`,
      meant === undefined ? LIKE : `Did you mean ${meant}?`,
    )
  }

  function itemsOf({ value, place }: TreeEntry, { name, kind }: Setting, isFileName: boolean) {
    const isList = kind === 'list' && !isFileName
    const trees: readonly Tree[] = value.kind === 'list' && isList ? value.items : [value]
    return trees.map((tree) => {
      if (tree.kind !== 'scalar' || tree.value === null || tree.value === '') {
        throw refusal(
          place.line,
          `${name} has no value`,
          isList ? 'Write one text, or a list of texts.' : 'Write one value behind the colon.',
        )
      }
      const text = typeof tree.value === 'string' ? tree.value : tree.source
      // In the environment lists are separated by spaces.
      if (!/[\0\r\n]/.test(text) && !(isList && /\s/.test(text))) return text
      throw refusal(
        place.line,
        `${name} holds a space or a line break`,
        'Write each item by itself.',
      )
    })
  }

  function refusal(line: number, problem: string, hint = LIKE) {
    return usage(`${named}:${line}: ${problem}`, hint)
  }
}

/** A database that is opened without a password that stands in its address. */
function isOpenAddress(text: string): boolean {
  if (text.startsWith('sqlite:')) return true
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) return false
  const { password, searchParams } = new URL(text)
  return password === '' && !searchParams.has('password')
}
