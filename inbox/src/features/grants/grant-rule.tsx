import type { WireGrantRule } from '../../../../src/api/grant.ts'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { t } from '../../lib/language/t.ts'
import { span } from '../../lib/time/clock.ts'

/** Exactly what is, or would be, written down. */
export function GrantRule({ rule }: { rule: WireGrantRule }) {
  const { tool, server, agent, run, door, principal, sameDefinition, uses, budget, lasts } = rule
  const lines: readonly (readonly [string, string])[] = [
    [t('tool'), tool],
    ...line(t('server'), server),
    [t('agent'), agent],
    ...line(t('run'), run),
    ...line(t('door'), door),
    ...(principal === undefined ? [] : [[t('acting for'), principal ?? t('no one')] as const]),
    rule.arguments === 'exact'
      ? [t('arguments'), t('exactly those of {digest}', { digest: rule.digest ?? t('this call') })]
      : [t('arguments'), JSON.stringify(rule.condition)],
    [t('definition'), sameDefinition ? t('unchanged') : t('any')],
    [t('uses'), String(uses)],
    ...(budget === undefined ? [] : [[t('budget'), `${budget.path}: ${budget.most}`] as const]),
    [t('lasts'), span(lasts)],
  ]
  return (
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
  )
}

function line(name: string, value: string | undefined): (readonly [string, string])[] {
  return value === undefined ? [] : [[name, value]]
}
