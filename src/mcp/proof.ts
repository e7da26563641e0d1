/** Where a countersignature travels beside a call. */
export const PROOF_KEY = 'countersign/proof'
