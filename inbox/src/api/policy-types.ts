/** What `/status.json` and `/v1/policy/explain` answer, as far as the inbox shows it. */
import type { Explanation } from '../../../src/policy/tooling/explain.ts'
import type { Status } from '../../../src/server/policy/status.ts'
import type { InWords } from '../../../src/server/words.ts'

export type PolicyStatus = Status & {
  /** A sample agent can be started here. */
  readonly demo?: boolean
}

export type ExplainedCall = Explanation & { readonly words: InWords }
