import { Eye } from 'lucide-react'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'

/** Says that calls run without the answer of a person. */
export function ObservingBanner() {
  return (
    <div
      role="status"
      className="flex items-center gap-2 border-b border-warn-line bg-warn-soft px-5 py-2 text-warn max-desk:px-3"
    >
      <Eye size={16} aria-hidden="true" className="flex-none" />
      <span>
        {rich(
          '{b} The policy does not ask: its calls run and are recorded. Governance and locks still hold.',
          { b: <b>{t('Observing.')}</b> },
        )}
      </span>
    </div>
  )
}
