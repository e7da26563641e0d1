import { createElement, Fragment, type ReactNode } from 'react'
import { type Names, partsOf } from './t.ts'

/** As `t`, with elements for values. Every value is a node of its own and never becomes markup. */
export function rich<S extends string>(
  text: S,
  values: Readonly<Record<Names<S>, ReactNode>>,
): ReactNode {
  const nodes: Readonly<Record<string, ReactNode>> = values
  return createElement(
    Fragment,
    null,
    ...partsOf(text).map((part, at) => (at % 2 === 0 ? part : nodes[part])),
  )
}
