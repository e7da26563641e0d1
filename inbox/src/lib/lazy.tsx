import { type ComponentType, type LazyExoticComponent, lazy as lazyOnce } from 'react'
import { rich } from './language/rich.ts'
import { t } from './language/t.ts'

/**
 * As React's, by the name that the file exports. For a page that outlives its server: a part that cannot
 * be fetched says so in its place, and the rest of the page stays. Browsers remember the failure, so only
 * a reload tries again.
 */
export function lazy<N extends string, P>(
  load: () => Promise<Readonly<Record<N, ComponentType<P>>>>,
  name: N,
): LazyExoticComponent<ComponentType<P>> {
  return lazyOnce(() =>
    load().then(
      (module) => ({ default: module[name] }),
      () => ({ default: Missing }),
    ),
  )
}

function Missing() {
  return (
    <p role="status" className="px-4 py-2 text-ink-2">
      {rich('A part of this page was not loaded. {button}', {
        button: (
          <button type="button" className="link" onClick={() => location.reload()}>
            {t('Reload')}
          </button>
        ),
      })}
    </p>
  )
}
