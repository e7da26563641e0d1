import type { WireGrantRule } from '../../../../src/api/grant.ts'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { doorWords } from '../../lib/approval/door-words.ts'
import { shortDigest } from '../../lib/arguments/digest.ts'
import { t } from '../../lib/language/t.ts'
import { span } from '../../lib/time/clock.ts'
import { conditionWords } from './condition-words.ts'

/** Exactly what is, or would be, written down. */
export function GrantRule({ rule }: { rule: WireGrantRule }) {
  const { tool, server, agent, run, door, principal, sameDefinition, uses, budget, lasts } = rule
  const written = JSON.stringify(rule.condition) ?? t('no longer kept')
  const inWords = conditionWords(rule.condition)
  const lines: readonly (readonly [string, string])[] = [
    [t('tool'), tool],
    ...line(t('server'), server),
    [t('agent'), agent],
    ...line(t('run'), run),
    ...line(t('door'), door && doorWords(door)),
    ...(principal === undefined ? [] : [[t('acting for'), principal ?? t('no one')] as const]),
    rule.arguments === 'exact'
      ? [
          t('arguments'),
          t('exactly those of {digest}', {
            digest: rule.digest === undefined ? t('this call') : shortDigest(rule.digest),
          }),
        ]
      : [t('arguments'), inWords ?? written],
    [t('definition'), sameDefinition ? t('unchanged') : t('any')],
    [t('uses'), String(uses)],
    ...(budget === undefined ? [] : [[t('budget'), `${budget.path}: ${budget.most}`] as const]),
    [t('lasts'), span(lasts)],
  ]
  return (
    <>
      <dl className="grid grid-cols-[92px_minmax(0,1fr)] gap-x-3 font-mono text-code">
        {lines.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-3">{name}</dt>
            <dd className="wrap-break-word">
              <UntrustedText text={value} />
            </dd>
          </div>
        ))}
      </dl>
      {rule.arguments === 'condition' && (
        <p className="pt-1 text-xs text-ink-3">{t('Arguments not named there may be anything.')}</p>
      )}
      {rule.arguments === 'condition' && inWords !== undefined && (
        <details className="pt-1">
          <summary className="w-fit cursor-pointer text-xs font-medium text-accent">
            {t('Condition as JSON')}
          </summary>
          <code className="wrap-anywhere">
            <UntrustedText text={written} />
          </code>
        </details>
      )}
    </>
  )
}

function line(name: string, value: string | undefined): (readonly [string, string])[] {
  return value === undefined ? [] : [[name, value]]
}
