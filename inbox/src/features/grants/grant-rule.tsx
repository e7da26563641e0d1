import type { WireGrantRule } from '../../../../src/api/grant.ts'
import { UntrustedText } from '../../components/untrusted-text.tsx'
import { span } from '../../lib/time/clock.ts'

/** Exactly what is, or would be, written down. */
export function GrantRule({ rule }: { rule: WireGrantRule }) {
  const { tool, server, agent, run, door, principal, sameDefinition, uses, budget, lasts } = rule
  const lines: readonly (readonly [string, string])[] = [
    ['tool', tool],
    ...line('server', server),
    ['agent', agent],
    ...line('run', run),
    ...line('door', door),
    ...(principal === undefined ? [] : [['acting for', principal ?? 'no one'] as const]),
    rule.arguments === 'exact'
      ? ['arguments', `exactly those of ${rule.digest ?? 'this call'}`]
      : ['arguments', JSON.stringify(rule.condition)],
    ['definition', sameDefinition ? 'unchanged' : 'any'],
    ['uses', String(uses)],
    ...(budget === undefined ? [] : [['budget', `${budget.path}: ${budget.most}`] as const]),
    ['lasts', span(lasts)],
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
