import { Eye } from 'lucide-react'
import type { WirePerson } from '../../../../src/api/common.ts'
import { useReaders } from '../../api/talk/talk.ts'
import { isSame, nameOf } from '../../components/person.tsx'
import { andList } from '../../lib/language/language.ts'
import { plural, t } from '../../lib/language/t.ts'

const NAMED = 2

/** `Ana is reading this`: so that two people do not decide the same call at once. */
export function Readers({ id, me }: { id: string; me: WirePerson | undefined }) {
  const others = useReaders(id).filter((one) => !isSame(one, me))
  if (others.length === 0) return null
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5 text-ink-2" role="status">
      <Eye size={14} className="flex-none" aria-hidden="true" />
      <span className="truncate">{words(others)}</span>
    </span>
  )
}

function words(others: readonly WirePerson[]): string {
  const names = others.slice(0, NAMED).map(nameOf)
  const more = others.length - names.length
  const all = more > 0 ? [...names, t('{more} more', { more })] : names
  return plural(others.length, '{names} is reading this', '{names} are reading this', {
    names: andList(all),
  })
}
