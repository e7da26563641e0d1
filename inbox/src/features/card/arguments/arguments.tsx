import { Check } from 'lucide-react'
import { Suspense, useState } from 'react'
import { viewOf } from '../../../../../src/api/arguments/argument-view.ts'
import { COMMAND_NAMES, sqlRemarks } from '../../../../../src/base/deception/remarks.ts'
import { UntrustedText } from '../../../components/untrusted-text.tsx'
import { shortDigest } from '../../../lib/arguments/digest.ts'
import { mayEdit } from '../../../lib/arguments/editable.ts'
import { parseArguments } from '../../../lib/arguments/values.ts'
import { msg, plural, say, t, tell } from '../../../lib/language/t.ts'
import { lazy } from '../../../lib/lazy.tsx'
import { useShortcuts } from '../../../lib/shortcuts.ts'
import { ArgumentBlocks } from './argument-blocks.tsx'
import { ArgumentTree, type ArgumentTreeProps } from './argument-tree.tsx'
import { Deed } from './deed.tsx'

// Most calls hold no command.
const CommandDeeds = lazy(() => import('./command-deeds.tsx'), 'CommandDeeds')

type Way = 'special' | 'tree' | 'raw'

const NAMES = {
  Message: msg('Message'),
  SQL: msg('SQL'),
  Changes: msg('Changes'),
  Command: msg('Command'),
  Code: msg('Code'),
  Table: msg('Table'),
  Text: msg('Text'),
} as const

/** All arguments, never cut: as what they are where their shape says it, as a tree, as bytes. */
export function Arguments({ card, rows, remarks, before, onEdit }: ArgumentTreeProps) {
  const [picked, setPicked] = useState<Way>('special')
  // A change is shown value by value, beside what stood there before.
  const isChanged = before !== undefined || card.askedArguments !== undefined
  const view = isChanged ? undefined : viewOf(parseArguments(card.arguments), card.masked)
  const way: Way = picked === 'special' && view === undefined ? 'tree' : picked
  const ways: readonly (readonly [Way, string])[] = [
    ...(view === undefined ? [] : [['special', say(NAMES[view.name])] as const]),
    ['tree', t('Tree')],
    ['raw', t('Raw')],
  ]
  const next = ways[(ways.findIndex(([one]) => one === way) + 1) % ways.length]
  useShortcuts({ t: () => next !== undefined && setPicked(next[0]) })
  if (card.arguments === '') return <Erased />
  const total = rows.filter(({ depth }) => depth === 0).length
  const editable = card.can.includes('edit')
    ? rows.filter((row) => row.inside === undefined && mayEdit(card.terms.edit, row)).length
    : 0
  const special = way === 'special' ? view : undefined
  const rest = special ? rows.filter(({ keys: [key = ''] }) => !special.covers.has(key)) : rows
  return (
    <section
      // Several calls can stand below each other: each has a name of its own to go to.
      aria-label={t('Arguments, digest {digest}', { digest: shortDigest(card.digest) })}
      data-view={way}
      className="min-w-0 pt-2.5 pb-3"
    >
      <header className="flex items-center justify-between gap-2 px-4 pb-2 max-desk:px-3">
        <h3 className="text-xs leading-5 font-medium text-ink-3">{t('Arguments')}</h3>
        <fieldset className="seg">
          <legend className="sr-only">{t('How to show them')}</legend>
          {ways.map(([one, word]) => (
            <button
              key={one}
              type="button"
              aria-pressed={way === one}
              onClick={() => setPicked(one)}
            >
              {word}
            </button>
          ))}
        </fieldset>
      </header>
      <Deeds rows={rows} />
      {way === 'raw' ? (
        <p
          data-raw=""
          className="border-y border-line bg-sunken px-4 py-2 font-mono text-code wrap-anywhere whitespace-pre-wrap max-desk:px-3"
        >
          <UntrustedText text={card.arguments} />
        </p>
      ) : (
        <div className="border-t border-line">
          {rows.length === 0 && (
            <p className="border-b border-line px-4 py-1.5 text-ink-3">{t('No arguments.')}</p>
          )}
          {special && <ArgumentBlocks view={special} remarks={remarks} />}
          <ArgumentTree card={card} rows={rest} remarks={remarks} before={before} onEdit={onEdit} />
        </div>
      )}
      <p className="flex items-center gap-1.5 px-4 pt-2.5 text-xs text-ink-3 max-desk:px-3">
        <Check size={14} className="flex-none text-good" aria-hidden="true" />
        <span>
          {total === 0
            ? t('It has none')
            : `${total === 1 ? t('The only argument is shown') : t('All {arguments} shown', { arguments: plural(total, '{n} argument', '{n} arguments') })}, ${plural(card.bytes, '{n} byte', '{n} bytes')}`}
          {card.masked.length > 0 && ` ${t('· {masked} masked', { masked: card.masked.length })}`}
          {editable > 0 && ` ${t('· you may change {editable}', { editable })}`}
        </span>
      </p>
    </section>
  )
}

/** What statements and commands would do, in every view: before any of it is read. */
function Deeds({ rows }: Pick<ArgumentTreeProps, 'rows'>) {
  const given = rows.filter(({ depth, masked }) => depth === 0 && !masked)
  return given.map(({ keys: [name = ''], value }) =>
    COMMAND_NAMES.includes(name) ? (
      <Suspense key={name} fallback={null}>
        <CommandDeeds name={name} command={value} />
      </Suspense>
    ) : (
      sqlRemarks(name, value, tell).map((deed) => <Deed key={`${name} ${deed}`} text={deed} />)
    ),
  )
}

function Erased() {
  return (
    <section aria-label={t('Arguments')} className="px-4 py-3 text-ink-2 max-desk:px-3">
      {t('The arguments are no longer kept. Their digest is, and what was decided about them.')}
    </section>
  )
}
