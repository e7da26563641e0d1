import type { DecisionBody } from './approval.ts'

/** `GET /v1/passkeys`: those of the caller. */
export interface PasskeyList {
  readonly passkeys: readonly WirePasskey[]
}

export interface WirePasskey {
  readonly id: string
  readonly name: string
  readonly createdAt: number
  readonly usedAt?: number
}

/** `POST /v1/passkey-options`: as `PublicKeyCredential.parseCreationOptionsFromJSON` reads it. */
export interface PasskeyOptions {
  readonly options: unknown
}

/** `POST /v1/passkeys`: what the browser made of the options, as JSON. */
export interface PasskeyBody {
  readonly name: string
  readonly response: unknown
}

/** `POST /v1/approvals/:id/passkey`: the same as will be decided. A passkey signs that and no more. */
export type PasskeyWish = Omit<DecisionBody, 'passkey'>
