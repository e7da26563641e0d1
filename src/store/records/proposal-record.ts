/** The kind of record a dismissed proposal is kept as, under the digest of what it is about. */
export const PROPOSAL_RECORD = 'proposal'
