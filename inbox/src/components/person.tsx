import type { WirePerson } from '../../../src/api/common.ts'
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
  return absent === undefined ? '' : ` for ${absent.map(nameOf).join(' and ')}`
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

function Initials({ id, name, small }: { id: string; name: string; small: boolean }) {
  const sum = [...id].reduce((total, char) => total + (char.codePointAt(0) ?? 0), 0)
  return (
    <span
      className={`${TONES[sum % TONES.length]} grid flex-none place-items-center rounded-full font-semibold ${
        small ? 'size-5 text-[9.5px]' : 'size-6 text-[10.5px]'
      }`}
      aria-hidden="true"
    >
      {[...name].slice(0, 2).join('')}
    </span>
  )
}
