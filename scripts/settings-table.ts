/** `npm run settings`: writes the table of settings in docs/operate/configure.md from the code. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Command } from 'commander'
import { takesStart } from '../src/cli/commands/start.ts'
import { SETTING_GROUPS, type Setting } from '../src/cli/config/settings.ts'
import { root } from './tool.ts'

export const PAGE = path.join(root, 'docs', 'operate', 'configure.md')
const MARK = '<!-- settings: npm run settings -->'

const start = takesStart(new Command('start'))

export function pageWithTable(page: string): string {
  const [before = ''] = page.split(MARK)
  const tables = Object.entries(SETTING_GROUPS).flatMap(([heading, settings]) => [
    `### ${heading}`,
    '',
    '| Key | Flag | Sets | Default |',
    '|---|---|---|---|',
    ...settings.map(row),
    '',
  ])
  return `${before}${MARK}\n\n${tables.join('\n')}`
}

function row(setting: Setting): string {
  const { name, flag = '', about, isSecret, adds } = setting
  const notes = [...(isSecret ? ['secret'] : []), ...(adds ? ['adds up'] : [])]
  const said = notes.length === 0 ? about : `${about} (${notes.join(', ')})`
  const cells = [`\`${name}\``, flag === '' ? '' : `\`${flag}\``, said, defaultOf(setting)]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function defaultOf({ flag, kind, initially }: Setting): string {
  const option = start.options.find(({ long }) => long === flag)
  const text = initially ?? (kind === 'switch' ? 'off' : option?.defaultValue)
  return text === undefined ? '' : `\`${text}\``
}

if (import.meta.main) {
  const page = readFileSync(PAGE, 'utf8')
  const next = pageWithTable(page)
  if (next !== page) writeFileSync(PAGE, next)
  process.stdout.write(`docs/operate/configure.md ${next === page ? 'is up to date' : 'written'}\n`)
}
