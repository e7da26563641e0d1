export type Value = string | number

/** SQL with a `?` for each value, in order. */
export interface Sql {
  readonly text: string
  readonly values: readonly Value[]
}

export function sql(text: string, ...values: Value[]): Sql {
  return { text, values }
}

export function join(parts: readonly Sql[], between: string): Sql {
  return {
    text: parts.map(({ text }) => text).join(between),
    values: parts.flatMap(({ values }) => values),
  }
}

/** Puts SQL into SQL; anything else becomes a value. */
export function joined(texts: TemplateStringsArray, ...parts: readonly (Sql | Value)[]): Sql {
  const given = parts.map((part) => (typeof part === 'object' ? part : sql('?', part)))
  return join(
    texts.flatMap((text, index) => {
      const part = given[index]
      return part ? [sql(text), part] : [sql(text)]
    }),
    '',
  )
}

/** The text with `$1`, `$2`, … */
export function numbered({ text }: Sql): string {
  let number = 0
  return text.replaceAll('?', () => {
    number += 1
    return `$${number}`
  })
}
