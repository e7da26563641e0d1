import * as v from 'valibot'
import { type Infer, object, optional } from './schema.ts'

/** `POST /v1/demo`. */
export const StartedDemo = object({ run: v.string() })

/** `GET /healthz`. */
export const Health = object({ status: v.literal('ok') })

/** `GET /readyz`. */
export const Readiness = object({
  status: v.literal('ok'),
  mode: optional(v.literal('observe')),
})

/** `GET /.well-known/jwks.json`. */
export const KeySet = object({ keys: v.array(v.record(v.string(), v.unknown())) })
export type KeySet = Infer<typeof KeySet>

/** `GET /v1/hook`. */
export const HookHello = object({ version: v.string(), proof: v.string() })
