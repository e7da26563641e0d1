import * as v from 'valibot'
import { DecisionBody } from './approval.ts'
import { type Given, type Infer, json, object, optional, text, whole } from './schema.ts'

export const WirePasskey = object({
  id: v.string(),
  name: v.string(),
  createdAt: whole(),
  usedAt: optional(whole()),
})
export type WirePasskey = Infer<typeof WirePasskey>

/** `GET /v1/passkeys`: those of the caller. */
export const PasskeyList = object({
  passkeys: v.array(WirePasskey),
})
export type PasskeyList = Infer<typeof PasskeyList>

/** `POST /v1/passkey-options`: as `PublicKeyCredential.parseCreationOptionsFromJSON` reads it. */
export const PasskeyOptions = object({
  options: v.unknown(),
})
export type PasskeyOptions = Infer<typeof PasskeyOptions>

/** `POST /v1/passkeys`: what the browser made of the options, as JSON. */
export const PasskeyBody = object({ name: text({ min: 1, max: 100 }), response: json })
export type PasskeyBody = Given<typeof PasskeyBody>

/** `POST /v1/approvals/:id/passkey`: the same as will be decided. A passkey signs that and no more. */
export const PasskeyWish = object(v.omit(DecisionBody, ['passkey']).entries)
export type PasskeyWish = Given<typeof PasskeyWish>
