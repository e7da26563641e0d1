/** The kind of record a stand-in is kept as: read in the transaction of every command that decides. */
export const STAND_IN_RECORD = 'stand-in'
