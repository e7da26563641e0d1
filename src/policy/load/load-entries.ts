import { type Risk, riskRank } from '../../base/call.ts'
import { isHeaderName, isSecretName } from '../../base/secrets/secret-name.ts'
import { secretSpans } from '../../base/secrets/secret-text.ts'
import type {
  AccessWord,
  AgentEntry,
  AllowedEntry,
  Connection,
  Place,
  ServerEntry,
  ToolEntry,
} from '../document.ts'
import type { Approval } from '../grammar/grammar-approval.ts'
import type { Allowed, ToolSection } from '../grammar/grammar-entries.ts'
import { plainWord } from '../grammar/nearest.ts'
import type { Placed, TableRow } from '../read/read-shape.ts'
import { type Around, declarationOf, dropUndefined, type Subject } from './load-approval.ts'

/** Sections of a file → entries of the document. Both kinds of file end here. */

export function toolOf(
  name: string,
  section: ToolSection,
  place: Place,
  rule: string,
  around: Around,
): ToolEntry {
  const { values, path } = section
  if (section.places.size === 0) {
    around.report.warn(place, path, 'says_nothing', 'this entry says nothing about the tool')
  }
  const approval = declarationOf(section, rule, 'tool', around)
  warnExempt(approval?.asks === 'never', values.risk, place, path, around)
  return dropUndefined({
    name,
    approval,
    risk: values.risk,
    riskRule: `${rule}.risk`,
    secrets: values.secrets?.map(({ value }) => value) ?? [],
    result: values.result ?? 'keep',
    description: values.description,
    place,
  })
}

function warnExempt(
  exempt: boolean,
  risk: Risk | undefined,
  place: Place,
  path: string,
  { report }: Around,
): void {
  if (!exempt || risk === undefined || riskRank(risk) < riskRank('L3')) return
  const problem = `a call of risk ${risk} runs without approval`
  report.warn(place, path, 'exempt_high_risk', problem)
}

/** Names that a reader takes for the same: only one of them is the tool that is called. */
export function warnAlike(rows: readonly TableRow<unknown>[], { report }: Around): void {
  const seen = new Map<string, string>()
  for (const { key, place, path } of rows) {
    const other = seen.get(plainWord(key))
    seen.set(plainWord(key), key)
    if (other === undefined) continue
    report.warn(
      place,
      path,
      'alike',
      `"${key}" and "${other}" are different tools; names are exact`,
    )
  }
}

interface ServerValues {
  readonly approval?: Approval
  readonly description?: string
  readonly risk?: Risk
  readonly resources?: AccessWord
  readonly prompts?: AccessWord
}

interface ServerSection {
  readonly values: ServerValues
  readonly places: ReadonlyMap<string, Place>
  readonly place: Place
  readonly path: string
}

interface ServerParts {
  readonly alias: string
  readonly rule: string
  /** `allowed_tools` or `allowed_skills`, as rules are named. */
  readonly list: 'allowed_tools' | 'allowed_skills'
  readonly allowed?: readonly Placed<Allowed>[]
  readonly connection: Connection
}

export function serverOf(
  section: ServerSection,
  { alias, rule, list, allowed, connection }: ServerParts,
  around: Around,
): ServerEntry {
  const { values, place, path } = section
  const subject: Subject = list === 'allowed_tools' ? 'server' : 'remote_agent'
  const inner: Subject = list === 'allowed_tools' ? 'server' : 'skill'
  const approval = declarationOf(section, rule, subject, around)
  warnExempt(approval?.asks === 'never', values.risk, place, path, around)
  if (allowed?.length === 0) {
    around.report.warn(
      place,
      `${path}.${list}`,
      'nothing_allowed',
      'the list is empty, so nothing may be called',
    )
  }
  const entries = allowed?.map(({ value, place: at }) =>
    allowedOf(value, at, `${rule}.${list}.${value.name}`, inner, values.risk, around),
  )
  return dropUndefined({
    alias,
    rule,
    approval,
    allowed: entries && new Map(entries.map((entry) => [entry.name, entry])),
    risk: values.risk,
    resources: values.resources,
    prompts: values.prompts,
    description: values.description,
    connection,
    place,
  })
}

function allowedOf(
  { name, section }: Allowed,
  place: Place,
  rule: string,
  subject: Subject,
  serverRisk: Risk | undefined,
  around: Around,
): AllowedEntry {
  if (!section) return { name, place }
  const approval = declarationOf(section, rule, subject, around)
  const risk = section.values.risk
  warnExempt(approval?.asks === 'never', risk ?? serverRisk, place, section.path, around)
  return dropUndefined({ name, approval, risk, place })
}

interface AgentSection extends ServerSection {
  readonly values: ServerValues & { readonly source?: string }
}

export function agentOf(
  section: AgentSection,
  alias: string,
  rule: string,
  around: Around,
): AgentEntry {
  const { values, place } = section
  return dropUndefined({
    alias,
    rule,
    approval: declarationOf(section, rule, 'local_agent', around),
    source: values.source,
    description: values.description,
    place,
  })
}

interface ConnectionValues {
  readonly command?: string
  readonly args?: readonly Placed<string>[]
  readonly env?: readonly TableRow<string>[]
  readonly cwd?: string
  readonly url?: string
  readonly headers?: readonly TableRow<string>[]
  readonly server_ref?: string
}

interface ConnectionSection {
  readonly values: ConnectionValues
  readonly places: ReadonlyMap<string, Place>
  readonly place: Place
  readonly path: string
}

const WAYS = ['command', 'url', 'server_ref'] as const
const NEEDS = { args: 'command', env: 'command', cwd: 'command', headers: 'url' } as const

/** One way to reach a server, and only what belongs to that way. */
export function connectionOf(section: ConnectionSection, { report }: Around): Connection {
  const { values, places, path } = section
  const [, second] = WAYS.filter((way) => places.has(way))
  if (second) {
    const problem = 'a server is reached in one way: command, url or server_ref'
    report.mistake(places.get(second) ?? section.place, `${path}.${second}`, 'both_keys', problem)
  }
  for (const [word, way] of Object.entries(NEEDS)) {
    const place = places.get(word)
    if (!place || places.has(way)) continue
    report.mistake(place, `${path}.${word}`, 'not_here', `\`${word}\` goes with \`${way}\` only`)
  }
  for (const word of ['env', 'headers'] as const) {
    for (const { key, value, place } of values[word] ?? []) {
      if (isLiteralSecret(key, value)) warnLiteral(report, place, `${path}.${word}.${key}`, key)
    }
  }
  return dropUndefined({
    command: values.command,
    args: values.args?.map(({ value }) => value),
    env: textsOf(values.env),
    cwd: values.cwd,
    url: values.url,
    headers: textsOf(values.headers),
    serverRef: values.server_ref,
  })
}

/** `${NAME}` is filled in when the server is reached, and stands in no file. */
function isLiteralSecret(name: string, value: string): boolean {
  if (value === '' || /\$\{\w+\}/.test(value)) return false
  return isSecretName(name) || isHeaderName(name) || secretSpans(value).length > 0
}

function warnLiteral(report: Around['report'], place: Place, path: string, name: string): void {
  const variable = name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')
  const problem = `this looks like a credential, and everyone who reads the file reads it; write "\${${variable}}" and set that variable where the server is started`
  report.warn(place, path, 'literal_secret', problem)
}

function textsOf(
  rows: readonly TableRow<string>[] | undefined,
): Record<string, string> | undefined {
  return rows && Object.fromEntries(rows.map(({ key, value }) => [key, value]))
}

/** Servers and agents share one space of names: a call, a switch or a rule says only the alias. */
export function createAliases({ report }: Around) {
  const seen = new Map<string, { place: Place; path: string }>()
  return (alias: string, place: Place, path: string): void => {
    const earlier = seen.get(alias)
    if (!earlier) {
      seen.set(alias, { place, path })
      return
    }
    const where = earlier.place.line > 0 ? ` in line ${earlier.place.line}` : ''
    const problem = `the alias "${alias}" is already used by ${earlier.path}${where}`
    report.mistake(place, `${path}.alias`, 'duplicate', problem)
  }
}
