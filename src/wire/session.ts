/** `GET /v1/sign-in`: what the sign-in page offers. */
export interface SignInMethods {
  /** Links that a terminal prints. */
  readonly link: true
  /** An OpenID Connect provider, by the name people know it under. */
  readonly oidc?: { readonly name: string }
}
