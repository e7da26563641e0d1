import { CountersignError } from '../../base/errors.ts'

/** What went wrong with an issuer. Texts that came from outside are not repeated, codes are. */
export function oidcFailure(error: unknown): CountersignError {
  const { code, error: said, status } = facts(error)
  if (isSilence(error, code, status)) {
    return new CountersignError('issuer_unavailable', 'the sign-in provider does not answer', {
      hint: 'Try again in a moment; the operator of this server checks --oidc-issuer.',
      cause: error,
    })
  }
  const why = said ?? WHY[code ?? ''] ?? 'it is not what this server asked for'
  return new CountersignError('signin_refused', `the answer of the sign-in provider: ${why}`, {
    hint: 'Begin again from the sign-in page.',
    cause: error,
  })
}

const WHY: Readonly<Record<string, string>> = {
  OAUTH_INVALID_RESPONSE: 'it belongs to another sign-in or another provider',
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: 'it is about another sign-in, program or provider',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'it is from another time; compare the clocks',
  OAUTH_KEY_SELECTION_FAILED: 'its signing key is unknown',
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: 'it speaks for another provider or person',
}

function facts(error: unknown): {
  readonly code: string | undefined
  readonly error: string | undefined
  readonly status: number | undefined
} {
  const { code, error: said, status, cause } = (error ?? {}) as Readonly<Record<string, unknown>>
  const inner = (cause ?? {}) as Readonly<Record<string, unknown>>
  const word = [said, inner.error].find((one) => typeof one === 'string')
  return {
    code: typeof code === 'string' ? code : undefined,
    error: typeof word === 'string' && /^[a-z_]{1,40}$/.test(word) ? word : undefined,
    status: typeof status === 'number' ? status : undefined,
  }
}

/** The provider does not answer, or answers that it is failing. */
function isSilence(error: unknown, code: string | undefined, status: number | undefined): boolean {
  if (status !== undefined && status >= 500) return true
  if (code === 'OAUTH_TIMEOUT' || code === 'OAUTH_RESPONSE_IS_NOT_JSON') return true
  if (code === 'OAUTH_RESPONSE_IS_NOT_CONFORM') return true
  return error instanceof TypeError && error.message === 'fetch failed'
}
