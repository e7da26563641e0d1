import * as v from 'valibot'
import { Me } from './approval.ts'
import { about, type Infer, object, optional, text } from './schema.ts'

/** `GET /v1/sign-in`: what the sign-in page offers. */
export const SignInMethods = object({
  link: about(v.literal(true), 'Links that a terminal prints.'),
  oidc: optional(
    about(
      object({
        name: v.string(),
      }),
      'An OpenID Connect provider, by the name people know it under.',
    ),
  ),
})
export type SignInMethods = Infer<typeof SignInMethods>

/** What signing in answers, this once. */
export const SignedIn = object({
  ...Me.entries,
  csrf: about(
    v.string(),
    'Sent back in the header `x-countersign-csrf` with everything, beside the cookie.',
  ),
})
export type SignedIn = Infer<typeof SignedIn>

/** `POST /v1/login`. */
export const BegunLogin = object({
  code: about(v.string(), 'For the person, who types it where they are signed in.'),
  secret: about(v.string(), 'For the terminal, which asks with it until the sign-in is confirmed.'),
  url: v.string(),
})
export type BegunLogin = Infer<typeof BegunLogin>

/** `POST /v1/session`. */
export const SignInBody = object({
  token: about(text({ min: 1, max: 200 }), 'What stands after `#signin=` in the link.'),
})

/** `POST /v1/sign-in/oidc`. */
export const ProviderAddress = object({ url: about(v.string(), 'Where the browser goes next.') })

/** `POST /v1/sign-in/callback`. */
export const ProviderAnswer = object({
  answer: about(text({ max: 8_000 }), 'The query that the provider sent the browser back with.'),
})

/** `POST /v1/login/confirm`. */
export const LoginCode = object({ code: text({ min: 8, max: 9 }) })

/** `POST /v1/login/finish`. */
export const LoginSecret = object({ secret: text({ min: 1, max: 100 }) })

export const LoginPending = object({ status: v.literal('pending') })
