import type { Command } from 'commander'
import { words } from '../../app/space-separated.ts'
import { nearest } from '../../policy/grammar/nearest.ts'
import { usage } from '../failure.ts'
import { governanceFromEnv } from '../files.ts'
import type { Shell } from '../shell.ts'
import { readSecretFile } from '../state/secret-files.ts'
import { type ConfigFile, type FileValue, readConfigFile } from './config-file.ts'
import { attributeOf, SETTINGS, type Setting, variableOf } from './settings.ts'

type Source = 'flag' | 'environment' | 'file' | 'default'

/** What a setting comes to, and what said so. */
export interface Effective {
  readonly setting: Setting
  readonly items: readonly string[]
  readonly source: Source | undefined
  /** `--port`, `COUNTERSIGN_PORT`, `countersign.config.yaml:3`; several where sources add up. */
  readonly from: readonly string[]
}

interface Configured {
  readonly shell: Shell
  readonly settings: readonly Effective[]
  /** Variables that look like settings and are none. */
  readonly strays: readonly string[]
}

interface Said {
  readonly source: Source
  readonly from: string
  readonly items: readonly string[]
}

/**
 * Flags before the environment, before the file. What the file says is handed on as if it stood in
 * the environment, and what has a flag as if it had been given.
 */
export function configure(command: Command, shell: Shell): Configured {
  const { config = shell.env.COUNTERSIGN_CONFIG } = command.optsWithGlobals<{ config?: string }>()
  const named = isOfHook(command) ? '' : (config ?? '')
  const file: ConfigFile = named === '' ? new Map() : readConfigFile(named, shell)
  const env: Record<string, string | undefined> = { ...shell.env }
  const settings = SETTINGS.map((setting): Effective => {
    const said = saidOf(setting, { command, shell, file })
    const counting = setting.adds ? said : said.slice(0, 1)
    const effective = {
      setting,
      items: counting.flatMap(({ items }) => items),
      source: counting[0]?.source,
      from: counting.map(({ from }) => from),
    }
    hand(setting, counting, { command, env })
    return effective
  })
  return { shell: { ...shell, env }, settings, strays: straysOf(shell) }
}

interface Given {
  readonly command: Command
  readonly shell: Shell
  readonly file: ConfigFile
}

/** Everything that was said, what counts first before the rest. A default only where nothing was. */
function saidOf(setting: Setting, { command, shell, file }: Given): Said[] {
  const { flag = '', kind, initially } = setting
  const said: Said[] = []
  const attribute = attributeOf(flag)
  const isHere = hasFlag(command, flag)
  if (isHere && command.getOptionValueSource(attribute) === 'cli') {
    const value: unknown = command.getOptionValue(attribute)
    const items = Array.isArray(value) ? value.map(String) : [String(value)]
    said.push({ source: 'flag', from: flag, items: kind === 'switch' ? items.map(onOff) : items })
  }
  const variable = fromEnvironment(setting, shell)
  if (variable) said.push(variable)
  const inFile = file.get(setting.name)
  if (inFile) said.push({ source: 'file', ...fromFile(setting, inFile) })
  if (said.length > 0) return said
  const usual: unknown = isHere ? command.getOptionValue(attribute) : undefined
  const text = kind === 'switch' ? (initially ?? 'off') : (initially ?? usual)
  return text === undefined ? [] : [{ source: 'default', from: 'default', items: [String(text)] }]
}

const onOff = (text: string) => (text === 'true' ? 'on' : 'off')

function fromEnvironment(setting: Setting, shell: Shell): Said | undefined {
  const name = variableOf(setting)
  const text = shell.env[name]
  const file = setting.isSecret ? shell.env[`${name}_FILE`] : undefined
  if (text && file && setting.name !== 'webhook_secret') {
    throw usage(
      `${name} and ${name}_FILE are both set`,
      'Set one of them, so that it is clear which counts.',
    )
  }
  if (file) {
    const isOwn = setting.name === 'webhook_secret'
    const items = isOwn ? ['(from the file)'] : [readSecretFile(`${name}_FILE`, file, shell.cwd)]
    return { source: 'environment', from: `${name}_FILE`, items }
  }
  if (!text) return undefined
  return { source: 'environment', from: name, items: itemsOf(setting, text, name) }
}

function itemsOf(setting: Setting, text: string, from: string): string[] {
  if (setting.name === 'governance') return governanceFromEnv({ COUNTERSIGN_GOVERNANCE: text })
  if (setting.kind === 'list') return words(text)
  if (setting.kind === 'switch') return [readSwitch(text, from)]
  if (setting.name === 'port' && text.startsWith('tcp://')) {
    throw usage(
      'COUNTERSIGN_PORT was set by Kubernetes, for a Service that is called countersign',
      'Set enableServiceLinks: false in the pod, or give the Service another name.',
    )
  }
  return [text]
}

function fromFile(setting: Setting, { items, at, isFileName }: FileValue) {
  if (!isFileName) {
    return { from: at, items: setting.kind === 'switch' ? [readSwitch(items[0] ?? '', at)] : items }
  }
  const [file = ''] = items
  const isOwn = setting.name === 'webhook_secret'
  return { from: at, items: isOwn ? items : [readSecretFile(at, file, '/')] }
}

function readSwitch(text: string, from: string): string {
  if (['1', 'true', 'on', 'yes'].includes(text)) return 'on'
  if (['0', 'false', 'off', 'no'].includes(text)) return 'off'
  throw usage(`${from} is neither on nor off`, 'Write on or off.')
}

/** To where the code that uses a setting looks for it. */
function hand(setting: Setting, counting: readonly Said[], { command, env }: Hands): void {
  // A flag is with its command already, and a default is its own.
  const own = counting.filter(({ source }) => source === 'environment' || source === 'file')
  if (own.length === 0) return
  const items = own.flatMap((one) => one.items)
  const { name, flag = '', kind, isSecret } = setting
  const variable = variableOf(setting)
  if (name === 'webhook_secret') {
    // Its file holds one secret on each line, and is read where webhooks are made.
    const inFile = own.find(({ source }) => source === 'file')
    if (inFile) env[`${variable}_FILE`] = inFile.items[0]
  } else if (setting.inEnvironment) {
    const texts = kind === 'switch' ? items.map((item) => (item === 'on' ? '1' : '0')) : items
    env[variable] = texts.join(name === 'governance' ? ',' : ' ')
    if (isSecret) delete env[`${variable}_FILE`]
  } else if (hasFlag(command, flag)) {
    const value = kind === 'switch' ? items[0] === 'on' : kind === 'list' ? items : items[0]
    command.setOptionValueWithSource(attributeOf(flag), value, 'config')
  }
}

interface Hands {
  readonly command: Command
  readonly env: Record<string, string | undefined>
}

/** A hook gets nothing by this: it runs in folders that agents write to, and loads little. */
function isOfHook({ parent }: Command): boolean {
  return parent?.name() === 'hook'
}

function hasFlag(command: Command, flag: string): boolean {
  return !isOfHook(command) && command.options.some(({ long }) => long === flag)
}

/** Set for Kubernetes, for tests, for clients or for the configuration itself. */
const OTHERS = /^COUNTERSIGN_(?:SERVICE_|PORT_|URL$|TOKEN$|CONFIG$|SEED$)/

function straysOf({ env }: Shell): string[] {
  const known = SETTINGS.flatMap((setting) => {
    const name = variableOf(setting)
    return setting.isSecret ? [name, `${name}_FILE`] : [name]
  })
  return Object.keys(env)
    .filter((name) => name.startsWith('COUNTERSIGN_') && !OTHERS.test(name))
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = nearest(name, known)
      return meant === undefined ? name : `${name} (did you mean ${meant}?)`
    })
}
