import { NAME } from '../call.ts'
import type { Mistake, PolicyDocument, ToolEntry } from '../document.ts'
import { governanceFile, HOMES, ownerFile } from '../grammar/grammar.ts'
import { tool } from '../grammar/grammar-entries.ts'
import { NAME_PROBLEM } from '../grammar/grammar-values.ts'
import { createReport, type Report } from '../read/read-report.ts'
import { type At, describe } from '../read/read-shape.ts'
import type { Tree } from '../read/read-tree.ts'
import { treeOf } from '../read/read-value.ts'
import { readYaml } from '../read/yaml.ts'
import { isAgentFormat, readAgentFormat } from './agent-format.ts'
import type { Around } from './load-approval.ts'
import { toolOf } from './load-entries.ts'
import { governanceDocument, ownerDocument } from './load-file.ts'

export { formatMistake, policyError } from '../read/read-report.ts'

/** A policy file as it was found. */
export interface Source {
  readonly file: string
  readonly text: string | Uint8Array
}

export type Refused = { readonly ok: false; readonly mistakes: readonly Mistake[] }
export type Loaded = { readonly ok: true; readonly document: PolicyDocument } | Refused

export interface OwnerOptions {
  /** Names of the governance files at hand, without their endings: what a `policy_ref` can mean. */
  readonly knownPolicies?: ReadonlySet<string>
}

/** The owner's file: countersign.yaml, or an Agent Format file. Never throws. */
export function loadOwner(
  source: Source,
  { knownPolicies = new Set() }: OwnerOptions = {},
): Loaded {
  return load(source, (tree, at) => {
    if (isAgentFormat(tree)) return readAgentFormat(tree, at, source.file, knownPolicies)
    const section = ownerFile.read(tree, at)
    return section && ownerDocument(section, source.file, at.report)
  })
}

/** A governance file from outside. Never throws. */
export function loadGovernance(source: Source): Loaded {
  return load(source, (tree, at) => {
    if (isAgentFormat(tree)) {
      const problem = 'this is an Agent Format file; a governance file starts with `version: 1`'
      at.report.mistake(tree.place, '', 'wrong_file', problem)
      return undefined
    }
    const section = governanceFile.read(tree, at)
    return section && governanceDocument(section, source.file, at.report)
  })
}

function load(
  { file, text }: Source,
  read: (tree: Tree, at: At) => PolicyDocument | undefined,
): Loaded {
  const report = createReport()
  const tree = readYaml(file, text, report)
  if (tree && tree.kind !== 'map' && tree.kind !== 'broken') {
    const problem = `the file holds ${describe(tree)}; a policy is a map that starts with \`version: 1\``
    report.mistake(tree.place, '', 'not_a_map', problem)
  }
  const document = tree?.kind === 'map' ? read(tree, startAt('', report)) : undefined
  const mistakes = report.mistakes()
  if (mistakes.length > 0 || !document) return { ok: false, mistakes }
  return { ok: true, document: { ...document, warnings: report.warnings() } }
}

function startAt(path: string, report: Report): At {
  return { path, report, homes: HOMES }
}

export type LoadedDeclaration =
  | { readonly ok: true; readonly entry: ToolEntry; readonly warnings: readonly Mistake[] }
  | Refused

/** What code says about a tool: the grammar of a tool in a file. `rule` is `code.<tool>`. */
export function loadDeclaration(rule: string, value: unknown): LoadedDeclaration {
  const report = createReport()
  const place = { file: 'code', line: 0, column: 0 }
  const tree = treeOf(value, rule, place, report)
  const section = tool.read(tree, startAt(rule, report))
  // The groups are in files, which are known only when everything is put together.
  const around: Around = { report, groups: new Map(), strangers: 'later' }
  const name = rule.slice(rule.indexOf('.') + 1)
  if (!NAME.test(name)) report.mistake(place, rule, 'bad_name', NAME_PROBLEM)
  const entry = section && toolOf(name, section, place, rule, around)
  const mistakes = report.mistakes()
  if (mistakes.length > 0 || !entry) return { ok: false, mistakes }
  return { ok: true, entry, warnings: report.warnings() }
}
