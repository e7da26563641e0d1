/** A spreadsheet runs a cell that begins like this; the texts in it are an agent's. */
const FORMULA = /^[\s\p{Cc}]*[=+\-@|%\uFF0B\uFF0D\uFF1D\uFF20]/u

/** One cell of RFC 4180, which no spreadsheet takes for a formula. */
export function csvCell(text: string | undefined): string {
  if (text === undefined) return ''
  const harmless = FORMULA.test(text) ? `'${text}` : text
  return /[",;\r\n\t']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

export function csvLine(cells: readonly (string | undefined)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}
