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
