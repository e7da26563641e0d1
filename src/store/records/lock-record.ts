/** The kind of record a lock is kept as: read in the transaction of every command that decides. */
export const LOCK_RECORD = 'lock'

/** Left in the place of a person who was removed, by the name of their record. */
export function tombstoneId(person: string): string {
  return `removed-${person}`
}
