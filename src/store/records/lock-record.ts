/** The kind of record a lock is kept as: read in the transaction of every command that decides. */
export const LOCK_RECORD = 'lock'
