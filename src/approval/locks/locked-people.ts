import type { Approval } from '../approval.ts'
import type { Command } from '../command.ts'
import { type Named, type Person, samePerson } from '../people/person.ts'
import { standingYeses } from '../people/quorum.ts'
import { asVoter } from '../people/stand-in.ts'
import { type Lock, lockOnPerson } from './lock.ts'

/** The command with the person who sends it marked, if they are locked. */
export function markSender<C extends { readonly commandId: string; readonly by?: Person }>(
  command: C,
  locks: readonly Lock[],
  now: number,
): C {
  const { by } = command
  const isLocked = by !== undefined && lockOnPerson(locks, by, now) !== undefined
  return isLocked ? { ...command, by: { ...by, locked: true } } : command
}

/**
 * The command with every locked person in it marked as locked, whatever the sender knew: locks are
 * read in the transaction, and the sender's facts are older.
 */
export function markLocked(
  approval: Approval | undefined,
  command: Command,
  locks: readonly Lock[],
  now: number,
): Command {
  if (!locks.some(({ target }) => 'person' in target)) return command
  const locked = <P extends Named>(person: P): P =>
    lockOnPerson(locks, person, now) ? { ...person, locked: true } : person
  const mark = (person: Person): Person =>
    locked(person.for ? { ...person, for: person.for.map(locked) } : person)
  switch (command.type) {
    case 'request':
      return command.grant
        ? { ...command, grant: { ...command.grant, minter: mark(command.grant.minter) } }
        : command
    case 'claim':
      return { ...command, voters: command.voters.map(mark) }
    case 'decide': {
      const known = (command.voters ?? []).map(mark)
      // A voter who is not named keeps their earlier facts, so the locked ones must be named.
      const unnamed = (approval ? standingYeses(approval) : [])
        .flatMap(({ by }) => [by, ...(by.for ?? []).map(asVoter)])
        .map(mark)
        .filter((one) => one.locked && !known.some((other) => samePerson(one, other)))
      return { ...command, by: mark(command.by), voters: [...known, ...unnamed] }
    }
    case 'withdraw':
    case 'reply':
      return 'person' in command.by
        ? { ...command, by: { person: mark(command.by.person) } }
        : command
    case 'assign': {
      const sent = markSender(command, locks, now)
      return sent.to ? { ...sent, to: mark(sent.to) } : sent
    }
    default:
      return markSender(command, locks, now)
  }
}
