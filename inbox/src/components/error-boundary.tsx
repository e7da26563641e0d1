import { Component, type ReactNode } from 'react'
import { t } from '../lib/language/t.ts'

/** A bug in the page must never look like a call that waits for nothing. */
export class ErrorBoundary extends Component<
  { children: ReactNode },
  { readonly failed: boolean }
> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <main className="grid h-full place-content-center gap-3 px-6 text-center">
        <h1 className="text-xl">{t('This page broke')}</h1>
        <p className="text-ink-2">{t('Nothing was decided by that. Reload it to go on.')}</p>
        <button type="button" className="btn justify-self-center" onClick={() => location.reload()}>
          {t('Reload')}
        </button>
      </main>
    )
  }
}
