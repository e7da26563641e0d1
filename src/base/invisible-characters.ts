/** Characters that steer a terminal, turn text around, pile up or cannot be seen. */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|(?<=\p{M}{3})\p{M}/gu

export interface TextPart {
  readonly text: string
  /** `text` is the name of a character that must not be shown as itself. */
  readonly unseen: boolean
}

export function splitUnseen(text: string): TextPart[] {
  const parts: TextPart[] = []
  let at = 0
  for (const { 0: char, index } of text.matchAll(UNSEEN)) {
    if (index > at) parts.push({ text: text.slice(at, index), unseen: false })
    parts.push({ text: codePoint(char), unseen: true })
    at = index + char.length
  }
  if (at < text.length) parts.push({ text: text.slice(at), unseen: false })
  return parts
}

/** `U+200B` */
export function codePoint(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** JSON text that is safe to look at and means the same: unseen characters as escapes. */
export function escapeUnseen(json: string): string {
  return json.replace(UNSEEN, (char) => (char === '\n' ? char : escapes(char)))
}

function escapes(char: string): string {
  const units = Array.from({ length: char.length }, (_, index) => char.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}
