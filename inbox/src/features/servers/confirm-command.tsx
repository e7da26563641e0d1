import type { ServerEntry } from '../../../../src/api/mcp/server-entry.ts'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'

interface ConfirmCommandProps {
  readonly entry: ServerEntry
  readonly isRunning: boolean
  readonly onRun: () => void
  readonly onBack: () => void
}

/** Word by word: a space inside a word and a space between two must not look alike. */
export function ConfirmCommand({ entry, isRunning, onRun, onBack }: ConfirmCommandProps) {
  const { command = '', args = [], env = {} } = entry
  return (
    <fieldset className="grid gap-2 rounded-md border border-warn-line bg-warn-soft px-3 py-2.5">
      <legend className="px-1 font-medium">{t('Run this on the server’s machine?')}</legend>
      <p className="flex flex-wrap gap-1">
        {[command, ...args].map((word, at) => (
          <code key={at} className="rounded bg-surface px-1.5 py-0.5 wrap-anywhere text-ink">
            {visibleText(word)}
          </code>
        ))}
      </p>
      <p className="text-ink-2">
        {t('It runs as the user who runs Countersign and may do whatever that user may')}
        {rich(
          '{value}. It is ended once its tools are listed, at the latest after 30 seconds. The audit says that you started it.',
          {
            value:
              Object.keys(env).length > 0 &&
              t('; it gets {env}', { env: Object.keys(env).join(', ') }),
          },
        )}
      </p>
      <span className="flex flex-wrap gap-2">
        <button type="button" className="btn btn-quiet" onClick={onBack}>
          {t('Go back')}
        </button>
        <button type="button" className="btn" disabled={isRunning} onClick={onRun}>
          {isRunning ? t('Running…') : t('Run exactly this')}
        </button>
      </span>
    </fieldset>
  )
}
