import type { WirePerson } from '../../../src/api/common.ts'
import { andList } from '../lib/language/language.ts'
import { t } from '../lib/language/t.ts'
import { visibleText } from '../lib/text/invisible-characters.ts'

const TONES = [
  'bg-accent-soft text-accent',
  'bg-open-soft text-open',
  'bg-good-soft text-good',
  'bg-warn-soft text-warn',
] as const

export function nameOf({ name, email, subject }: WirePerson): string {
  return visibleText(name ?? email ?? subject)
}

/** ` for Ana and Cy`: the people a stand-in answers for. */
export function forNames(absent: readonly WirePerson[] | undefined): string {
  return absent === undefined ? '' : ` ${t('for {names}', { names: andList(absent.map(nameOf)) })}`
}

export function isSame(one: WirePerson, two: WirePerson | undefined): boolean {
  return two !== undefined && one.issuer === two.issuer && one.subject === two.subject
}

export function Avatar({ person, small = false }: { person: WirePerson; small?: boolean }) {
  return <Initials id={person.email ?? person.subject} name={nameOf(person)} small={small} />
}

/** Of a person of whom a list knows the address alone. */
export function AddressAvatar({ address }: { address: string }) {
  return <Initials id={address} name={visibleText(address)} small />
}

const SEGMENTS = 8

/** Drawn from the id alone, so that a person looks the same everywhere and to every reader. */
function Initials({ id, name, small }: { id: string; name: string; small: boolean }) {
  const hash = hashOf(id)
  const part = (2 * Math.PI * RING) / SEGMENTS
  // A dash and a gap for each segment: one of them has no length.
  const dashes = Array.from({ length: SEGMENTS }, (_, at) =>
    (hash >> (at + 8)) & 1 ? [part, 0] : [0, part],
  ).flat()
  return (
    <svg
      viewBox="0 0 24 24"
      className={`${TONES[hash % TONES.length]} flex-none rounded-full ${small ? 'size-5' : 'size-6'}`}
      aria-hidden="true"
    >
      <circle
        cx="12"
        cy="12"
        r={RING}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeDasharray={dashes.join(' ')}
      />
      <text
        x="12"
        y="12.4"
        textAnchor="middle"
        dominantBaseline="central"
        fill="currentColor"
        className="text-[10px] font-semibold"
      >
        {initialsOf(name)}
      </text>
    </svg>
  )
}

const RING = 11.25

/** `AB` of Ana Bell and of ana.bell@example.com; `AN` of ana@example.com. */
export function initialsOf(name: string): string {
  const [own = name] = name.split('@')
  const words = own.split(/[\s._-]+/).filter((word) => word !== '')
  const [first = name, last] = [words[0], words.at(-1)]
  const letters = words.length > 1 ? [...first].slice(0, 1).concat([...(last ?? '')]) : [...first]
  return letters.slice(0, 2).join('').toLocaleUpperCase('en')
}

/** FNV-1a: every character matters, wherever it stands. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return hash >>> 0
}
