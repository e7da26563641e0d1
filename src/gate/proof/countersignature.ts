import type { Approval } from '../../approval/approval.ts'
import { ASSURANCES, type Assurance } from '../../approval/people/person.ts'
import type { Level, Requirement } from '../../approval/people/requirement.ts'
import { CountersignError } from '../../base/errors.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import { digestOf, sha256 } from '../../base/json/digest.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Signer } from './keys.ts'

/** What a countersignature says: that one exact call was approved, and how. Times in seconds. */
export interface Countersignature {
  readonly iss: string
  /** Counts once in the store of the gate that accepts it. */
  readonly jti: string
  /** The one gate that may accept it. */
  readonly aud: string
  readonly approval: string
  readonly kind: 'tool' | 'agent' | 'skill'
  readonly server: string | null
  readonly tool: string
  /** SHA-256 over the canonical JSON of the arguments, in hexadecimal. */
  readonly args: string
  readonly level: Level
  readonly met: Met
  readonly principal: { readonly issuer?: string; readonly subject: string } | null
  readonly iat: number
  readonly exp: number
}

/** What people have already answered, in a form that another policy can be compared with. */
export interface Met {
  /** One digest for each requirement that was met; see `requirementDigest`. */
  readonly requirements: readonly string[]
  /** The weakest of the answers it rests on. */
  readonly assurance: Assurance
  /** Every approver gave a reason. */
  readonly reasoned: boolean
  /** No person was asked: a standing permission stood in. */
  readonly grant: boolean
}

/** The call as the next gate will see it. What is left out is as it was approved. */
export interface Hop {
  readonly audience: string
  readonly server?: string | undefined
  readonly tool?: string | undefined
  readonly args?: JsonObject | undefined
}

export interface Minting {
  readonly signer: Signer
  /** As the claim returned it: running, and claimed with this very name. */
  readonly approval: Approval
  /** The name that the claim has recorded. */
  readonly jti: string
  /** Canonical text of the approved arguments. */
  readonly text: string
  readonly hop: Hop
}

/** The longest a countersignature may live, in seconds. */
export const LONGEST_LIFE = 300

/** Names a countersignature before the claim, so that the claim can record it. */
export function newJti(): string {
  return crypto.randomUUID()
}

/**
 * Proof for one hop that this call was approved. Made from a claimed approval only, and from the
 * moment of the claim by the store's clock: however late it is sent, it lives no longer.
 */
export async function mintCountersignature(minting: Minting): Promise<string> {
  const { signer, approval, jti, text, hop } = minting
  const { call, execution } = approval
  if (approval.status !== 'approved' || execution?.state !== 'running') {
    throw new CountersignError('not_running', 'only a call that is claimed can be countersigned')
  }
  const iat = Math.floor(execution.claimedAt / 1_000)
  const claims: Countersignature = {
    iss: signer.issuer,
    jti,
    aud: hop.audience,
    approval: approval.id,
    kind: call.kind,
    server: ('server' in hop ? hop.server : call.server) ?? null,
    tool: hop.tool ?? call.tool,
    args: hop.args === undefined ? await sha256(text) : await argumentsDigest(hop.args),
    level: approval.level,
    met: await metBy(approval),
    principal: principalOf(call.principal),
    iat,
    exp: iat + LONGEST_LIFE,
  }
  return signer.sign('countersignature+jwt', claims as unknown as JsonObject)
}

export function argumentsDigest(args: unknown): Promise<string> {
  return sha256(canonicalJson(args))
}

/**
 * What a requirement demands, without where it is written: two files that demand the same are met
 * by the same people.
 */
export function requirementDigest(requirement: Omit<Requirement, 'source' | 'rule'>) {
  const { level, approvers, quorum, escalate } = requirement
  const steps = escalate.map(({ after, to, for: place }) => [after, to, place ?? null])
  return digestOf('requirement', { level, approvers, quorum, escalate: steps })
}

async function metBy(approval: Approval): Promise<Met> {
  const { decisions, digest, requirements } = approval
  const yes = decisions.filter(
    (one) => one.verdict === 'approve' && one.digest === digest && one.void !== true,
  )
  const ranks = yes.map(({ by }) => ASSURANCES.indexOf(by.assurance))
  return {
    requirements: await Promise.all(requirements.map(requirementDigest)),
    assurance: ASSURANCES[Math.min(...ranks)] ?? ASSURANCES[0],
    reasoned: yes.length > 0 && yes.every(({ reasoned }) => reasoned),
    grant: approval.grant !== undefined,
  }
}

/** An e-mail address is no part of a person's identity. */
export function principalOf(
  name: { readonly issuer?: string; readonly subject: string } | undefined,
): Countersignature['principal'] {
  if (name === undefined) return null
  const { issuer, subject } = name
  return issuer === undefined ? { subject } : { issuer, subject }
}
