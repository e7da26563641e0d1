/** The kind of record a switch of the inbox is kept as, under the name it has in a policy. */
export const SWITCH_RECORD = 'switch'
