import { Lock } from 'lucide-react'
import { useState } from 'react'
import type { SwitchState, WireAnswer } from '../../../../src/api/servers.ts'
import { type SwitchTarget, useSetSwitch } from '../../api/servers.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { nameOf } from '../../components/person.tsx'
import { t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { clock } from '../../lib/time/clock.ts'
import { serverNow } from '../../lib/time/server-time.ts'
import { answerFrom, isAuthors, loweringWords } from './tool-words.ts'

interface AskSwitchProps {
  /** What it switches, in the words of its label. */
  readonly name: string
  readonly answer: WireAnswer
  /** Absent where no file declares the server: then people are always asked. */
  readonly state: SwitchState | undefined
  readonly may: boolean
  readonly target: SwitchTarget
}

type Wish = { readonly on: boolean | undefined; readonly words: string }

/** Whether people are asked. What a file or governance decides is shown, locked, with its line. */
export function AskSwitch({ name, answer, state, may, target }: AskSwitchProps) {
  const [wish, setWish] = useState<Wish>()
  const write = useSetSwitch()
  const busy = write.isPending
  const isRefused = answer.verdict === 'deny'
  const isOn = answer.verdict === 'confirm' || answer.verdict === 'review'
  const fixed = fixedBy(answer, state)
  const wanted = (on: boolean | undefined) => {
    const offer = state?.[on === undefined ? 'clear' : on ? 'on' : 'off']
    if (offer?.lowers) setWish({ on, words: loweringWords(name, offer) })
    else go(on, false)
  }
  const go = (on: boolean | undefined, lowers: boolean) =>
    write.mutate({ target, on, lowers }, { onSettled: () => setWish(undefined) })
  return (
    <div className="grid min-w-0 gap-0.5">
      <span className="flex min-h-6 items-center gap-2">
        <button
          type="button"
          role="switch"
          aria-checked={isOn}
          aria-label={t('Ask a person before {name}', { name: visibleText(name) })}
          disabled={fixed !== undefined || !may || busy}
          className="switch"
          onClick={() => wanted(!isOn)}
        >
          <span className="switch-thumb">
            {fixed !== undefined && <Lock size={9} strokeWidth={2.5} aria-hidden="true" />}
          </span>
        </button>
        <span className="text-ink-2">
          {isRefused ? t('Refused') : onOff(isOn, fixed !== undefined)}
        </span>
      </span>
      {fixed !== undefined && (
        <span className="text-xs wrap-anywhere text-ink-3">{visibleText(fixed)}</span>
      )}
      {state?.set !== undefined && (
        <span className="text-xs wrap-anywhere text-ink-3">
          {state.fixed !== undefined || fixed !== undefined
            ? `${t('switched to no effect by')} `
            : `${t('by')} `}
          {visibleText(nameOf(state.set.by))}, {clock(state.set.at, serverNow(), false)}
          {may && wish === undefined && (
            <>
              {' · '}
              <button
                type="button"
                className="link"
                disabled={busy}
                aria-label={t('Undo the switch on {name}', { name: visibleText(name) })}
                onClick={() => wanted(undefined)}
              >
                {t('Undo')}
              </button>
            </>
          )}
        </span>
      )}
      <ErrorMessage error={write.error} inline />
      {wish !== undefined && (
        <fieldset className="mt-1 grid gap-2 rounded-md border border-warn-line bg-warn-soft p-2.5">
          <legend className="sr-only">{t('Ask people less?')}</legend>
          <span className="wrap-anywhere text-warn">{visibleText(wish.words)}</span>
          <span className="flex flex-wrap gap-2">
            <button type="button" className="btn btn-small" onClick={() => setWish(undefined)}>
              {t('Keep asking')}
            </button>
            <button
              type="button"
              className="btn btn-small"
              disabled={busy}
              onClick={() => go(wish.on, true)}
            >
              {wish.on === undefined ? t('Undo it') : t('Stop asking')}
            </button>
          </span>
        </fieldset>
      )}
    </div>
  )
}

function onOff(isOn: boolean, isFixed: boolean): string {
  if (isFixed) return isOn ? t('Locked on') : t('Locked off')
  return isOn ? t('On') : t('Off')
}

function fixedBy(answer: WireAnswer, state: SwitchState | undefined): string | undefined {
  if (state === undefined) return t('no file declares this server')
  if (answer.source === 'governance' && answer.verdict !== 'allow') {
    return [answerFrom(answer), answer.at].filter(Boolean).join(', ')
  }
  if (state.fixed && isAuthors(state.fixed.rule)) return t('its author wants people asked')
  return state.fixed?.at
}
