import type { Command } from 'commander'
import { configure, type Effective } from '../config/effective.ts'
import type { Setting } from '../config/settings.ts'
import { printable } from '../print/printable.ts'
import type { Run, Shell } from '../shell.ts'
import { takesStart } from './start.ts'

interface Options {
  readonly json?: boolean
  readonly all?: boolean
}

export function addConfig(program: Command, run: Run): void {
  const config = program
    .command('config')
    .description('Show what the server would be started with.')
    .helpCommand(false)
  const print = config.command('print')
  takesStart(print)
    .description('Print every setting, its value and what set it. Secrets are not shown.')
    .option('--all', 'also what is not set')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ countersign --config /etc/countersign/config.yaml config print',
    )
    .action((options: Options) => run((shell) => printSettings(print, options, shell)))
}

function printSettings(command: Command, { json, all }: Options, shell: Shell): number {
  const { out, err } = shell
  const { settings, strays } = configure(command, shell)
  const shown = settings.filter(({ items }) => all === true || items.length > 0)
  if (json) {
    out.json({ settings: shown.map(asJson), unknown: strays })
    return 0
  }
  const wide = Math.max(...shown.map(({ setting }) => setting.name.length))
  const values = shown.map((one) => shownItems(one).join(' ') || '(not set)')
  const broad = Math.min(40, Math.max(...values.map((text) => text.length)))
  for (const [index, { setting, from }] of shown.entries()) {
    const value = printable(values[index] ?? '').padEnd(broad)
    out.line(`${setting.name.padEnd(wide)}  ${value}  ${printable(from.join(', '))}`.trimEnd())
  }
  for (const stray of strays) err.line(`warning: ${printable(stray)} is not a setting`)
  return 0
}

/** Those that are set, without secrets. */
export function settingsShown(settings: readonly Effective[]) {
  return settings.filter(({ items }) => items.length > 0).map(asJson)
}

function asJson(one: Effective) {
  const { setting, source, from } = one
  const items = shownItems(one)
  const isList = setting.kind === 'list'
  return {
    name: setting.name,
    value: isList ? items : (items[0] ?? null),
    source: source ?? null,
    from,
    ...(setting.isSecret ? { secret: true } : {}),
  }
}

const HIDDEN = '(hidden)'

function shownItems({ setting, items }: Effective): string[] {
  return items.map((item) => shownValue(item, setting))
}

/** What stands in an address beside its place may open it. */
function shownValue(text: string, { isSecret, isCapability, name }: Setting): string {
  const isDatabase = name === 'db' || name === 'db_direct'
  if (isSecret && !isDatabase) return HIDDEN
  if (!URL.canParse(text) || !text.includes('://')) return text
  const url = new URL(text)
  if (isCapability) return url.pathname === '/' ? url.origin : `${url.origin}/${HIDDEN}`
  if (url.password !== '') url.password = 'hidden'
  // The password of a database may stand there, too.
  for (const key of url.searchParams.keys()) {
    if (!SHOWN_PARAMETERS.has(key)) url.searchParams.set(key, 'hidden')
  }
  return url.href
}

const SHOWN_PARAMETERS = new Set(['sslmode', 'sslrootcert', 'application_name', 'host', 'port'])
