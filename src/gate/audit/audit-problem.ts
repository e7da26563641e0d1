/** What can be wrong with a record, and what to do about it. */
export const HINTS = {
  unreadable: 'Export it again; if the database itself says this, treat it as tampered with.',
  cut_off: 'The file is not whole. Export it again, or get it again from where it came.',
  hash: 'Its text was changed after it was written. Keep this database as evidence, find out who could write to it, and compare with an older export.',
  columns:
    'The row was changed around its text. Keep this database as evidence, and compare with an older export.',
  first_missing:
    'The beginning of this chain was removed. Compare with an older export or a backup.',
  missing: 'Entries were removed. Compare with an older export or a backup to see which.',
  repeated: 'Entries were put in another order or added. Compare with an older export.',
  chain: 'An entry before it was replaced. Compare with an older export to see what it said.',
  link: 'Another process has seen this chain differently: it was rewritten. Compare with an older export.',
  repeated_command:
    'One command was recorded twice. Look at the approval it names, and at what ran.',
  content:
    'The content was changed after it was written; do not rely on it. The entry itself is intact.',
  checkpoint: 'A checkpoint was forged or changed. Verify with the keys you trust: --keys JWKS.',
  checkpoint_key:
    'No key you trust signed this. Name the right keys with --keys JWKS; if you did, the checkpoints were replaced.',
  key_revoked:
    'Its key was revoked, so others may have it. What this key signed before counts; find out who signed with it since.',
  checkpoint_missing:
    'Checkpoints were removed. Compare with an older export or a checkpoint that you kept.',
  checkpoint_order: 'Checkpoints were removed or replaced. Compare with an older export.',
  contradicts_checkpoint:
    'The chain was rewritten after it was signed. What was signed is the truth; compare with an older export.',
  cut_short: 'Entries that were signed are gone. Restore them from a backup or an older export.',
  row_changed:
    'The row was changed outside of Countersign, or put back to an older state. Do not rely on it: what the entries say is what happened.',
  row_missing:
    'The row was removed. The entries tell what was asked and decided; restore the database from a backup.',
  row_unknown:
    'The row was added outside of Countersign, without a request. Keep this database as evidence, and do not let it run.',
} as const

export type ProblemCode = keyof typeof HINTS

export interface Problem {
  readonly code: ProblemCode
  /** `line 12`, `entry 3 of writer …`, `checkpoint 4`. */
  readonly place: string
  readonly message: string
  readonly hint: string
}

/** Stops verifying where it is. Never leaves it. */
export class AuditProblem extends Error {
  readonly problem: Problem

  constructor(code: ProblemCode, place: string, message: string) {
    super(message)
    this.problem = { code, place, message, hint: HINTS[code] }
  }
}
