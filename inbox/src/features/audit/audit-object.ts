import type { AuditPage, WireAuditEntry } from '../../../../src/api/audit.ts'
import { nameOf } from '../../components/person.tsx'
import { t } from '../../lib/language/t.ts'

/** What it was done to, where the event is not about a call alone. */
export function objectOf(
  { event: { type, facts = {} } }: WireAuditEntry,
  people: AuditPage['people'],
): string {
  const text = (name: string) => {
    const value = facts[name]
    return value === undefined ? [] : [Array.isArray(value) ? value.join('.') : String(value)]
  }
  const named = (fact: string) =>
    text(fact).map((subject) => {
      const person = people.find((one) => one.subject === subject)
      return person ? nameOf(person) : subject
    })
  switch (type.split('.')[0]) {
    case 'person':
      return [
        ...named('subject'),
        // A person who was removed has no role any more.
        ...(type !== 'person.removed' && Array.isArray(facts.roles)
          ? [facts.roles.join(', ')]
          : []),
      ].join(`, ${t('now')} `)
    case 'grant':
      return [
        [...text('server'), ...text('tool')].join('/'),
        ...text('agent').map((agent) => t('agent {agent}', { agent })),
      ]
        .filter(Boolean)
        .join(', ')
    case 'revealed':
      return text('path').join('')
    case 'reminded':
      return text('count')
        .map((count) => t('number {count}', { count }))
        .join('')
    case 'lock':
    case 'switch':
    case 'token':
      return [
        ...('everything' in facts ? [t('everything')] : []),
        ...['agent', 'server', 'tool', 'token'].flatMap((name) =>
          text(name).map((value) => `${name} ${value}`),
        ),
        ...named('subject'),
        ...('on' in facts ? [facts.on === true ? t('on') : t('off')] : []),
      ].join(', ')
    case 'standin':
      return [...named('bySubject'), ...named('subject')].join(` ${t('for')} `)
    default:
      return ''
  }
}
