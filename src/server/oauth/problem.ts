import type { OAuthError, OAuthErrorCode } from '../../api/oauth/oauth.ts'

/** What the token endpoint refuses with. Its text is for the makers of a client. */
export class OAuthProblem extends Error {
  override readonly name = 'OAuthProblem'
  readonly code: OAuthErrorCode

  constructor(code: OAuthErrorCode, says: string) {
    super(says)
    this.code = code
  }

  response(): Response {
    const body: OAuthError = { error: this.code, error_description: this.message }
    return Response.json(body, { status: 400 })
  }
}

/** One sentence for all of them: a sender who guesses learns nothing from which one it was. */
export function invalidGrant(): OAuthProblem {
  return new OAuthProblem(
    'invalid_grant',
    'this code or token is not known here, was used before, or belongs to another client',
  )
}
