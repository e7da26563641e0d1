import { type FormEvent, type KeyboardEvent, useEffect, useState } from 'react'
import type { ExplainedCall, PolicyStatus } from '../../../../src/api/policy.ts'
import { messageParts } from '../../../../src/base/message-parts.ts'
import { useExplainCall } from '../../api/policy.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Question } from '../../components/question.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { RuleTest, Verdict } from '../../components/verdict.tsx'
import { rich } from '../../lib/language/rich.ts'
import { plural, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'

interface ExplainProps {
  readonly status: PolicyStatus
  /** Chosen in the list of rules. */
  readonly call: PolicyStatus['rules'][number]['call']
}

/** What the policy would say about a call, and why. A dry run: asks no approver, records nothing. */
export function Explain({ status, call }: ExplainProps) {
  const [text, setText] = useState(() => firstCall(status))
  const explain = useExplainCall()
  const show = (next: string) => {
    setText(next)
    explain.mutate(next)
  }
  useEffect(() => {
    if (call !== undefined) show(pretty({ ...call, args: {} }))
  }, [call])
  return (
    <section className="frame" aria-labelledby="explain">
      <h2 id="explain" className="border-b border-line px-4 py-2.5 text-sm">
        {t('Explain a call')}
      </h2>
      <form
        className="grid gap-2.5 border-b border-line px-4 py-3"
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          explain.mutate(text)
        }}
      >
        <textarea
          className="field min-h-32 w-full bg-sunken font-mono text-code"
          aria-label={t('A call, as JSON')}
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) explain.mutate(text)
          }}
        />
        <div className="flex flex-wrap items-center gap-2">
          <button type="submit" className="btn btn-small btn-solid">
            {t('Explain')}
          </button>
          <span className="text-xs text-ink-3">{t('A dry run: no approval is requested.')}</span>
          {status.examples.length > 0 && (
            <select
              className="field ml-auto max-w-56"
              aria-label={t('A test of the policy')}
              value=""
              onChange={({ target }) => {
                const example = status.examples[Number(target.value)]
                if (example !== undefined) show(pretty(example.call))
              }}
            >
              <option value="">{t('Tests of the policy…')}</option>
              {status.examples.map(({ name }, at) => (
                <option key={name} value={at}>
                  {visibleText(name)}
                </option>
              ))}
            </select>
          )}
        </div>
      </form>
      <div aria-live="polite">
        {explain.error ? (
          <div className="px-4 py-3">
            <ErrorMessage error={explain.error} inline />
          </div>
        ) : explain.data === undefined ? (
          <p className="px-4 py-3 text-ink-3">
            {t('The answer and every rule that was looked at show here.')}
          </p>
        ) : (
          <Explained explained={explain.data} />
        )}
      </div>
    </section>
  )
}

function Explained({
  explained: { verdict, rules, unmatched, words },
}: {
  explained: ExplainedCall
}) {
  return (
    <>
      <div className="flex items-baseline gap-2.5 border-b border-line px-4 py-2.5">
        <Verdict word={verdict.verdict} />
        <div className="min-w-0 text-ink-2">
          <p className="wrap-anywhere text-ink">
            {verdict.message === '' ? (
              t('Runs without asking anyone.')
            ) : (
              <Question
                parts={messageParts(verdict.message, 'values' in verdict ? verdict.values : [])}
              />
            )}
          </p>
          {words.who.map((sentence) => (
            <p key={sentence}>{visibleText(sentence)}</p>
          ))}
          {words.terms.length > 0 && (
            <p className="text-xs text-ink-3">{visibleText(words.terms.join(' · '))}</p>
          )}
        </div>
      </div>
      <ul>
        {rules.map(({ source, rule, words: says, place, asks, answer, why, values }) => (
          <li key={`${source} ${rule}`} className="border-b border-line px-4 py-2 last:border-b-0">
            <div className="flex items-baseline justify-between gap-2">
              <b className="font-medium wrap-anywhere">
                {source} · <UntrustedText text={rule} />
              </b>
              {asks === 'allow' ? (
                <span className="text-xs whitespace-nowrap text-ink-3">{t('does not object')}</span>
              ) : (
                <Verdict word={asks} />
              )}
            </div>
            <p className="wrap-anywhere text-ink-2">{visibleText(says)}</p>
            {place !== undefined && (
              <code className="text-xs text-ink-3">{visibleText(place)}</code>
            )}
            {why !== undefined && (
              <p className="text-xs wrap-anywhere text-ink-2">
                <UntrustedText text={why} />
              </p>
            )}
            {values.map(({ group, path, wanted, words: plain = wanted, saw, answer: one }) => (
              <RuleTest key={`${group} ${path} ${wanted}`} answer={answerOf(one)}>
                {rich('{path} wants {plain}, saw {value}', {
                  path: <code className="text-xs">{visibleText(path)}</code>,
                  plain: visibleText(plain),
                  value: (
                    <code className="text-xs wrap-anywhere">
                      {saw === 'missing' ? t('nothing') : <UntrustedText text={saw} />}
                    </code>
                  ),
                })}
                : <b className="font-medium">{one}</b>
              </RuleTest>
            ))}
            {answer === 'unknown' && (
              <p className="mt-1 text-xs text-open">
                {t('This cannot be tested, so it counts against the call.')}
              </p>
            )}
          </li>
        ))}
      </ul>
      {unmatched > 0 && (
        <p className="px-4 py-2 text-xs text-ink-3">
          {plural(
            unmatched,
            '{n} governance rule does not concern this call.',
            '{n} governance rules do not concern this call.',
          )}
        </p>
      )}
    </>
  )
}

function answerOf(text: string): 'yes' | 'no' | 'unknown' {
  return text === 'yes' || text === 'no' ? text : 'unknown'
}

const pretty = (call: unknown) => JSON.stringify(call, null, 2)

function firstCall({ examples, rules }: PolicyStatus): string {
  const rule = rules.find(({ call }) => call !== undefined)?.call
  return pretty(examples[0]?.call ?? { ...(rule ?? { tool: 'send' }), args: {} })
}
