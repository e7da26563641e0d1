import { withoutComments } from './imports.ts'

export interface Citations {
  readonly ids: readonly string[]
  /** Calls of `promise` whose ids are not written out, so that nobody can check them. */
  readonly unreadable: number
}

/** The promises that a test file cites, read from its source. */
export function citationsIn(source: string): Citations {
  const code = withoutComments(source)
  if (!/\bimport\s*\{\s*promise\s*\}/.test(code)) return { ids: [], unreadable: 0 }
  const calls = [...code.matchAll(/(?<![.\w])promise(?:\.each)?\s*\(\s*(\[[^\]]*\])?/g)]
  const lists = calls.map(([, list = '']) =>
    [...list.matchAll(/(['"])(.*?)\1/g)].map(([, , id = '']) => id),
  )
  return { ids: lists.flat(), unreadable: lists.filter((ids) => ids.length === 0).length }
}
