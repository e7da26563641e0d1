import { printable } from '../print/printable.ts'
import type { ReportTable } from './tables.ts'

export interface ReportPage {
  readonly title: string
  /** What the report covers, and what it was made from: one sentence each. */
  readonly notes: readonly string[]
  readonly tables: readonly ReportTable[]
}

/**
 * One file without scripts, fonts or addresses, for reading and printing. Texts of agents and people
 * stand in cells only, escaped, with characters that cannot be seen written out.
 */
export function htmlOf({ title, notes, tables }: ReportPage): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
<h1>${escaped(title)}</h1>
${notes.map((note) => `<p>${escaped(note)}</p>`).join('\n')}
${tables.map(tableHtml).join('\n')}
</html>
`
}

function tableHtml({ title, columns, rows, none }: ReportTable): string {
  const head = `<h2>${escaped(title)} <small>${rows.length}</small></h2>`
  if (rows.length === 0) return `${head}\n<p>${escaped(none)}</p>`
  const names = columns.every((name) => name === '')
    ? ''
    : `<thead><tr>${columns.map((name) => `<th scope="col">${escaped(name)}</th>`).join('')}</tr></thead>`
  const lines = rows.map(
    (row) => `<tr>${row.map((text) => `<td>${escaped(printable(text))}</td>`).join('')}</tr>`,
  )
  return `${head}\n<div><table>${names}<tbody>\n${lines.join('\n')}\n</tbody></table></div>`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char)
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { max-width: 80rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin-top: 2rem } small { color: #777; font-weight: normal }
div { overflow-x: auto }
table { border-collapse: collapse; font-size: .85rem }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #8884 }
td { overflow-wrap: anywhere; min-width: 4rem; white-space: pre-wrap }
@media print { :root { font-size: 9px } div { overflow: visible } thead { display: table-header-group } tr { break-inside: avoid } }
`
