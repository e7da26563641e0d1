import { expect } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import { maskText } from './mask.ts'
import { secretSpans } from './secret-text.ts'

// Made up here, and put together at run time so that no scanner takes this file for a leak.
const long = 'Ab3'.repeat(20)
const TOKENS: readonly [string, string][] = [
  ['AWS', `AKIA${'Q7'.repeat(8)}`],
  ['GitHub', `ghp_${long.slice(0, 36)}`],
  ['GitHub, fine-grained', `github_pat_${long}`],
  ['GitLab', `glpat-${long.slice(0, 20)}`],
  ['Slack', `xoxb-1234567890-${long.slice(0, 20)}`],
  ['Stripe', `sk_live_${long.slice(0, 24)}`],
  ['OpenAI', `sk-proj-${long}`],
  ['Anthropic', `sk-ant-api03-${long}`],
  ['Google', `AIza${long.slice(0, 35)}`],
  ['JSON Web Token', `eyJ${long}.eyJ${long}.${long}`],
  ['Countersign', `cs_${'0a'.repeat(6)}_${long.slice(0, 43)}`],
  ['a private key', `-----BEGIN RSA PRIVATE KEY-----\n${long}\n-----END RSA PRIVATE KEY-----`],
  ['a private key that is cut off', `-----BEGIN PRIVATE KEY-----\n${long}`],
]

promise.each(['CS-SEC-2'], 'a token is found by its form', TOKENS, (_, token) => {
  expect(maskText(`before ${token}`)).toBe('before [secret]')
})

promise.each(
  ['CS-SEC-2'],
  'a secret inside of text is replaced, and what is around it stays',
  [
    ['a URL', 'psql postgres://bo:hunter2@db:5432/app', 'psql postgres://bo:[secret]@db:5432/app'],
    ['a password with an @', 'ftp://bo:a@b@host/x?y=z@w', 'ftp://bo:[secret]@host/x?y=z@w'],
    ['a password with a slash', 'redis://bo:a/b@host/0', 'redis://bo:[secret]@host/0'],
    [
      'a header in a command',
      'curl -H "Authorization: Bearer abc" https://x.io',
      'curl -H "Authorization: [secret]" https://x.io',
    ],
    ['a bearer token', 'use bearer abcdef123456789', 'use bearer [secret]'],
    ['an assignment', 'PASSWORD=hunter2 ./run', 'PASSWORD=[secret] ./run'],
    [
      'a connection string',
      'Server=db;User Id=sa;Password=p w;x=1',
      'Server=db;User Id=sa;Password=[secret] w;x=1',
    ],
    ['a flag', 'mysql --password hunter2 -u bo', 'mysql --password [secret] -u bo'],
    ['a flag with a sign', 'tool --api-key=abc --verbose', 'tool --api-key=[secret] --verbose'],
    [
      'JSON in text',
      '{"password": "a \\"b", "user": "bo"}',
      '{"password": "[secret]", "user": "bo"}',
    ],
    ['JSON in JSON', '"{\\"token\\":\\"abc\\"}"', '"{\\"token\\":\\"[secret]\\"}"'],
    ['YAML', 'user: bo\npassword: hunter\nport: 1', 'user: bo\npassword: [secret]\nport: 1'],
    ['a header', 'X-Api-Key: abc\r\nAccept: */*', 'X-Api-Key: [secret]\r\nAccept: */*'],
    ['a word after a colon', 'the password: hunter22 works', 'the password: [secret] works'],
  ] as const,
  (_, text, shown) => expect(maskText(text)).toBe(shown),
)

promise.each(
  ['CS-SEC-2'],
  'what only looks like a secret stays readable',
  [
    ['a sentence', 'Reset your password: click the link we sent.'],
    ['a type', 'interface User { password: string; token: string | undefined }'],
    ['a variable of the shell', `curl -u bo:$PASS --token $TOKEN --password=\${PASSWORD}`],
    ['a placeholder', 'password=<your password> token={{ secrets.TOKEN }} secret=***'],
    ['a call in code', 'const token = getToken(); const password = process.env.PW'],
    ['a port', 'http://localhost:4747/path?a=b'],
    ['a mail address', 'mailto:bo@example.com, https://example.com/@bo'],
    ['counts', 'max_tokens: 4096, tokens_used=17'],
    ['names of things', 'sk-learn-and-other-long-names-without-numbers, bearer of bad news'],
    ['a public key', '-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----'],
    ['a digest', 'a'.repeat(64)],
  ] as const,
  (_, text) => expect(maskText(text)).toBe(text),
)

/** What makes a careless pattern look at the same text again and again. */
const HOSTILE = [
  'a',
  'eyJ-',
  'eyJa.',
  'sk-',
  '-----BEGIN PRIVATE KEY',
  '-',
  '://a:',
  '://a:b@',
  'authorization:',
  'token:x',
  'token:x ',
  'token="',
  "token='\\",
  '--token=/',
  '--token ',
  'bearer ',
  'password: ',
  'A_',
]

promise(
  ['CS-SEC-3'],
  'a megabyte of hostile text is looked through in linear time',
  () => {
    for (const piece of HOSTILE) {
      const hostile = piece.repeat(Math.ceil(1_000_000 / piece.length))
      // A quadratic search would take hours; the time a test may take is the limit.
      for (const end of ['', ' x', '\n']) secretSpans(hostile + end)
    }
    expect(maskText(`${'a'.repeat(1_000_000)} password=x1`)).toMatch(/password=\[secret\]$/)
  },
  60_000,
)
