import { Fragment, type ReactNode } from 'react'
import { useLanguage } from '../lib/language/language.ts'

/** Draws everything anew in another language. Words are read while drawing, and kept nowhere. */
export function InLanguage({ children }: { children: ReactNode }) {
  return <Fragment key={useLanguage()}>{children}</Fragment>
}
