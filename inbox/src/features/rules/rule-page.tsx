import { useMemo } from 'react'
import { Link, useLocation } from 'wouter'
import type { RuleDraft } from '../../../../src/api/policy/rules.ts'
import { useSaveDraft } from '../../api/policy.ts'
import { DiffLines } from '../../components/diff-lines.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Loaded, Page } from '../../components/page.tsx'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { changesAround } from '../../lib/arguments/changes-around.ts'
import { rich } from '../../lib/language/rich.ts'
import { plural, t } from '../../lib/language/t.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { Replay } from './replay.tsx'
import { RuleFormFields } from './rule-form.tsx'
import { type EditedRule, useRule } from './use-rule.ts'

/** A rule from one call: as a form, as text, and tried on recorded calls. Saved as a draft. */
export function RulePage({ id }: { id: string }) {
  const edited = useRule(id)
  const { draft, error } = edited
  return (
    <Page
      title={t('Make a rule from this call')}
      says={rich(
        'It is tried on recorded calls, saved as a draft, and in force when an admin applies it. {link}',
        {
          link: (
            <Link href={`/history/${encodeURIComponent(id)}`} className="link">
              {t('The call')}
            </Link>
          ),
        },
      )}
    >
      <Loaded data={draft} error={error}>
        {(loaded) => <Builder draft={loaded} edited={edited} />}
      </Loaded>
    </Page>
  )
}

function Builder({ draft, edited }: { draft: RuleDraft; edited: EditedRule }) {
  const { error, rule, isBehind } = edited
  return (
    <>
      <Sentence draft={draft} />
      <div className="grid grid-cols-2 items-start gap-3.5 max-wide:grid-cols-[minmax(0,1fr)]">
        <section className="frame" aria-label={t('The rule')}>
          <h2 className="border-b border-line px-4 py-2.5 text-md font-semibold">
            {t('The rule')}
          </h2>
          {rule === undefined ? (
            <p className="px-4 py-3 text-ink-2">
              {draft.mistakes.length > 0
                ? t('The text has mistakes. Correct them to see the rule as a form.')
                : t('The text holds no rule for this call that the form can show. Edit the text.')}
            </p>
          ) : (
            <RuleFormFields rule={rule} draft={draft} onChange={edited.setRule} />
          )}
          <ErrorMessage error={error} />
        </section>
        <div className="grid min-w-0 gap-3.5">
          <FileText draft={draft} edited={edited} />
          <div aria-live="polite" aria-busy={isBehind} className={isBehind ? 'opacity-60' : ''}>
            {draft.replay !== undefined && <Replay replay={draft.replay} />}
          </div>
        </div>
      </div>
    </>
  )
}

function Sentence({ draft: { call, words, details } }: { draft: RuleDraft }) {
  return (
    <p className="frame px-4 py-2.5">
      <code className="from-call">
        {call.server !== undefined && `${visibleText(call.server)}/`}
        {visibleText(call.tool)}
      </code>{' '}
      <b className="font-medium wrap-anywhere">
        <UntrustedText text={words ?? t('no rule of this file names it')} />
      </b>
      {details.length > 0 && (
        <span className="block text-xs wrap-anywhere text-ink-3">
          <UntrustedText text={details.join(' · ')} />
        </span>
      )}
    </p>
  )
}

function FileText({ draft, edited }: { draft: RuleDraft; edited: EditedRule }) {
  const { text, isBehind } = edited
  const [, navigate] = useLocation()
  const save = useSaveDraft()
  const isChanged = text !== draft.disk
  const { base } = edited
  const ready =
    isChanged && !isBehind && base !== undefined && draft.mistakes.length === 0 && !edited.error
  return (
    <section className="frame" aria-label={t('The policy file')}>
      <header className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <h2 className="text-md font-semibold">
          <code>{visibleText(draft.file)}</code>
        </h2>
        <span className="flex-1" />
        <button
          type="button"
          className="btn btn-small"
          disabled={isBehind || draft.mistakes.length > 0}
          onClick={edited.addTests}
        >
          {t('Add tests')}
        </button>
        {draft.canSave ? (
          <button
            type="button"
            className="btn btn-small btn-solid"
            disabled={!ready || save.isPending}
            onClick={() =>
              base !== undefined &&
              save.mutate({ text, base }, { onSuccess: () => navigate('/policy') })
            }
          >
            {t('Save as draft')}
          </button>
        ) : (
          <button
            type="button"
            className="btn btn-small"
            disabled={!ready}
            onClick={() => void navigator.clipboard?.writeText(text).catch(() => {})}
          >
            {t('Copy the text')}
          </button>
        )}
      </header>
      <ErrorMessage error={save.error} />
      {!draft.canSave && (
        <p className="px-4 pt-2 text-ink-2">
          {t('This server cannot write the file. Copy the text to where the policy is made.')}
        </p>
      )}
      <textarea
        className="block h-80 w-full resize-y bg-surface px-4 py-2 font-mono text-code leading-5 whitespace-pre text-ink"
        aria-label={t('The text of the policy file')}
        spellCheck={false}
        autoCapitalize="off"
        autoCorrect="off"
        wrap="off"
        value={text}
        onChange={({ target }) => edited.setText(target.value)}
      />
      {draft.mistakes.length > 0 && (
        <ul className="border-t border-line px-4 py-2 text-bad" role="alert">
          {draft.mistakes.map(({ line, column, path, message }) => (
            <li key={`${line} ${column} ${path} ${message}`} className="wrap-anywhere">
              {rich('Line {line}: {part}', {
                line,
                part: <UntrustedText text={path === '' ? message : `${path}: ${message}`} />,
              })}
            </li>
          ))}
        </ul>
      )}
      <Changes before={draft.disk} after={draft.text} tests={draft.tests} />
    </section>
  )
}

/** The lines that differ from the file on disk, and a few around them. */
function Changes({ before, after, tests }: { before: string; after: string; tests: number }) {
  const lines = useMemo(() => changesAround(before, after), [before, after])
  return (
    <section className="border-t border-line" aria-label={t('Changed lines')}>
      <p className="px-4 py-2 text-xs text-ink-3">
        {lines.length === 0
          ? t('The file on disk says the same.')
          : tests === 0
            ? t('Against the file on disk:')
            : plural(
                tests,
                'Against the file on disk, with {n} test from recorded calls:',
                'Against the file on disk, with {n} tests from recorded calls:',
              )}
      </p>
      {lines.length > 0 && (
        <pre className="px-4 pb-3 font-mono text-code leading-5">
          <DiffLines lines={lines} className="" />
        </pre>
      )}
    </section>
  )
}
