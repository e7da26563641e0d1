import { Fragment } from 'react'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { midSentence, say, t } from '../../lib/language/t.ts'
import { filterWords } from './filter-words.ts'
import { ORDER_WORDS } from './list-model.ts'
import { FIRST_VIEW, type ListView } from './list-view.ts'

interface FilterLineProps {
  readonly view: ListView
  /** How many the filters leave out. */
  readonly hidden: number
  readonly onChange: (change: Partial<ListView>) => void
}

/** What the list leaves out, and how much: a call that waits is never hidden in silence. */
export function FilterLine({ view, hidden, onChange }: FilterLineProps) {
  const filters = filterWords(view)
  return (
    <p
      data-filter=""
      className="flex items-start gap-x-2 border-t border-accent-line bg-accent-soft py-1 pr-3 pl-5 text-xs text-accent max-desk:pl-4"
    >
      <span className="min-w-0 flex-1 wrap-anywhere">
        {filters.map(({ text, isValue }) => (
          <Fragment key={text}>
            {isValue ? (
              <code className="from-call">
                <UntrustedText text={text} />
              </code>
            ) : (
              text
            )}
            {', '}
          </Fragment>
        ))}
        {filters.length > 0 && t('{hidden} hidden', { hidden })}
        {filters.length > 0 && view.order !== 'risk' && ' · '}
        {view.order !== 'risk' && midSentence(say(ORDER_WORDS[view.order]))}
      </span>
      <button
        type="button"
        className="link flex-none"
        onClick={() => onChange({ ...FIRST_VIEW, whose: view.whose, find: view.find })}
      >
        {t('Clear')}
      </button>
    </p>
  )
}
