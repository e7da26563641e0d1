/** The kind of record a legal hold is kept as: read in the transaction of everything that erases. */
export const HOLD_RECORD = 'hold'
/** Written with every hold that is placed: what erases by a list made before finds out by it. */
export const HOLDS_PLACED = { kind: 'holds-placed', id: 'newest' } as const
