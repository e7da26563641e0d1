import { canonicalJson } from './canonical.ts'

/** Everything that makes a call this call. Two calls that differ in any of it differ in digest. */
export interface BoundCall {
  readonly tenant: string
  /** The entry point it came through: a yes given at one door is not good at another. */
  readonly door: string
  readonly kind: 'tool' | 'agent' | 'skill'
  readonly server?: string
  readonly tool: string
  /** Digest of the tool's definition. */
  readonly definition: string
  readonly agent: string
  readonly principal?: { readonly issuer?: string; readonly subject: string }
  /** Digest of the form that approvers fill in. */
  readonly form?: string
  /** Canonical JSON text: the very bytes that are shown and run. */
  readonly arguments: string
}

/**
 * SHA-256 over the canonical JSON of one list:
 *
 *     ["countersign.call.v1", tenant, door, kind, server, tool, definition, agent, principal, arguments]
 *
 * with null for what is absent and `principal` as [issuer, subject]. A call with a form has the name
 * `countersign.call-with-form.v1`, and the form's digest before the arguments. Every field is a JSON string
 * of its own, so no name can be made to look like two, and what is absent differs from what is
 * empty. The arguments stand last and are put in as they are, since they are canonical already.
 */
export async function callDigest(call: BoundCall): Promise<string> {
  const { tenant, door, kind, server, tool, definition, agent, principal, form } = call
  const person = principal ? [principal.issuer ?? null, principal.subject] : null
  const fields = [tenant, door, kind, server ?? null, tool, definition, agent, person]
  const head = canonicalJson(
    form === undefined
      ? ['countersign.call.v1', ...fields]
      : ['countersign.call-with-form.v1', ...fields, form],
  )
  return sha256(`${head.slice(0, -1)},${call.arguments}]`)
}

/** A digest of any JSON value under a name of its own, so that digests of two kinds never meet. */
export async function digestOf(kind: string, value: unknown): Promise<string> {
  return sha256(canonicalJson([`countersign.${kind}.v1`, value]))
}

/** What `sha256` is; where it may be synchronous, that is faster. */
export type Hash = (text: string) => string | Promise<string>

/** In hexadecimal, of the text's UTF-8 bytes. */
export async function sha256(text: string): Promise<string> {
  if (nodeHash) return nodeHash('sha256', text)
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

type NodeHash = (algorithm: 'sha256', text: string) => string

/**
 * Web Crypto hands each digest to another thread and back, which takes longer than hashing. Looked
 * up and not imported: this file also runs where there is no Node.js.
 */
const nodeHash = (() => {
  const { process } = globalThis as {
    readonly process?: { getBuiltinModule?(name: string): { readonly hash?: NodeHash } | undefined }
  }
  return process?.getBuiltinModule?.('node:crypto')?.hash
})()
