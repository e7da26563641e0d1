import { readFileSync } from 'node:fs'
import path from 'node:path'

/** Text that tries to run, to hide, to imitate or to push away what matters. */
export interface Payload {
  readonly kind: string
  readonly text: string
}

const file = path.join(import.meta.dirname, 'payloads.json')
export const PAYLOADS = JSON.parse(readFileSync(file, 'utf8')) as readonly Payload[]

/** Everything a surface may replace, put back: what remains is what somebody really sees. */
export function unmarked(text: string, [open, close]: readonly [string, string]): string {
  const mark = new RegExp(
    `${open}(?:U\\+(?<hex>[0-9A-F]+)|(?<spaces>\\d+) spaces?(?: at the end)?)${close}`,
    'gu',
  )
  return text.replace(mark, (_, hex: string | undefined, spaces: string | undefined) =>
    hex === undefined ? ' '.repeat(Number(spaces)) : String.fromCodePoint(Number.parseInt(hex, 16)),
  )
}

export const BROWSER_MARKS = ['⟦', '⟧'] as const
export const TERMINAL_MARKS = ['‹', '›'] as const

/** Characters that must never stand on any surface as themselves. */
export const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u
