import type { SqlToken } from '../../../../../src/base/deception/sql.ts'

/** Tokens by line, the line ends left out. */
export function sqlLines(tokens: readonly SqlToken[]): readonly (readonly SqlToken[])[] {
  const lines: SqlToken[][] = [[]]
  for (const { kind, text } of tokens) {
    for (const [at, piece] of text.split('\n').entries()) {
      if (at > 0) lines.push([])
      if (piece !== '') lines.at(-1)?.push({ kind, text: piece })
    }
  }
  return lines
}
