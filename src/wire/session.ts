import type { Me } from './approval.ts'

/** `GET /v1/sign-in`: what the sign-in page offers. */
export interface SignInMethods {
  /** Links that a terminal prints. */
  readonly link: true
  /** An OpenID Connect provider, by the name people know it under. */
  readonly oidc?: { readonly name: string }
}

/** What signing in answers, this once. */
export interface SignedIn extends Me {
  /** Sent back in the header `x-countersign-csrf` with everything, beside the cookie. */
  readonly csrf: string
}

/** `POST /v1/login`. */
export interface BegunLogin {
  /** For the person, who types it where they are signed in. */
  readonly code: string
  /** For the terminal, which asks with it until the sign-in is confirmed. */
  readonly secret: string
  readonly url: string
}
