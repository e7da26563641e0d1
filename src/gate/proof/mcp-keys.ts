/** Where a countersignature travels beside a call. */
export const PROOF_KEY = 'countersign/proof'
/** How a server says that it has a gate of its own, and what that gate is called. */
export const GATE_CAPABILITY = 'countersign/gate'
