import { expect, test } from 'vitest'
import { isSecretName } from './secret-name.ts'

const SECRET = `password Password userPassword user_password new-password passwordConfirmation
password2 passwd pwd db_pwd secret client_secret clientSecret SECRET_KEY token accessToken
access_token auth-token GITHUB_TOKEN githubToken api_key apiKey APIKey apikey x-api-key
OPENAI_API_KEY authorization Authorization proxy-authorization cookie Set-Cookie private_key
privateKeyPem ssh_key aws_secret_access_key credentials jwt refreshTokens accesstoken clientsecret
passphrase otp session_token secrets`.split(/\s+/)

const HARMLESS = `tokens_used max_tokens maxTokens tokens token_count tokenizer token_type token_url
page_token nextPageToken continuation_token pad_token input_token author authored secretary
password_policy passwordless has_password isSecret secret_name token_id key keys monkey keyboard
primary_key foreign_key cache_key public_key cookie_consent authorization_url name amount to
compass pass`.split(/\s+/)

test.each(SECRET)('%s holds a secret', (name) => expect(isSecretName(name)).toBe(true))
test.each(HARMLESS)('%s does not', (name) => expect(isSecretName(name)).toBe(false))
test('a name of any length is read', () => {
  expect(isSecretName(`${'A'.repeat(1_000_000)}_password`)).toBe(true)
  expect(isSecretName('')).toBe(false)
})

test.each(['pass_word', 'PassWord', 'pass-phrase', 'userPassCode'])('%s holds a secret', (name) => {
  expect(isSecretName(name)).toBe(true)
})

// Written out here, so that a name that is dropped from the list by mistake is missed.
test.each(
  `passcode pwd secret secrets credential credentials authorization cookie cookies token jwt bearer
  mnemonic cvv cvc otp totp signing_key encryptionKey master-key ssh_keys session_key seedPhrase
  recovery_codes backup_codes security_code refresh_tokens`.split(/\s+/),
)('%s names a secret by itself', (name) => {
  expect(isSecretName(name)).toBe(true)
})
