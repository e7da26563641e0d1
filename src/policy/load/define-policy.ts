import type { ApprovalWords, ToolWords } from '../grammar/approval-words.ts'
import type { Policy } from '../policy.ts'
import { parsePolicy } from './parse-policy.ts'

/** A tool in a policy, as in a file. */
export interface ToolRules extends ToolWords {
  readonly approval?: boolean | ApprovalWords | undefined
}

/** What `countersign.yaml` holds, as an object. Every key of the file is accepted and checked. */
export interface PolicyWords {
  readonly version?: 1
  readonly tools?: Readonly<Record<string, ToolRules>>
  readonly people?: {
    readonly groups?: Readonly<Record<string, readonly string[] | { readonly claim: string }>>
  }
  /** `defaults`, `mcp_servers`, `governance`, `limits` and the rest of the file. */
  readonly [key: string]: unknown
}

/**
 * A policy written in code, under the grammar of policy files. Throws `policy_invalid` with the path
 * of every mistake.
 */
export function definePolicy(words: PolicyWords): Policy {
  // JSON is YAML: one reader, so that code and files cannot differ in what they mean.
  const text = JSON.stringify({ version: 1, ...words }, null, 2)
  return parsePolicy({ owner: { file: 'definePolicy', text } })
}
