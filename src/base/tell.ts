type Values = Readonly<Record<string, string | number>>

/**
 * Says sentences that browser and terminal share. The text is in English and has its values by name:
 * the inbox passes one that knows other languages and looks the text up there.
 */
export interface Tell {
  text(text: string, values?: Values): string
  /** By how many there are; `{n}` is the number. */
  plural(n: number, one: string, many: string): string
}

const fill = (text: string, values: Values) =>
  text.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  )

export const inEnglish: Tell = {
  text: (text, values = {}) => fill(text, values),
  plural: (n, one, many) => fill(n === 1 ? one : many, { n: n.toLocaleString('en-US') }),
}
