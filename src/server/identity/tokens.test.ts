import { expect, test } from 'vitest'
import { memoryStore } from '../../store/memory/index.ts'
import { createTokens } from './tokens.ts'

test('a token that was verified before is worth nothing once it is revoked or altered', async () => {
  const tokens = createTokens(memoryStore())
  const { token, made } = await tokens.create({ agent: 'bot' })
  const { token: other } = await tokens.create({ agent: 'other' })
  expect(await tokens.verify(token)).toMatchObject({ agent: 'bot' })
  expect(await tokens.verify(token)).toMatchObject({ agent: 'bot' })
  // The same name with another secret, after the hash of the right one was kept.
  const forged = `${token.slice(0, -43)}${other.slice(-43)}`
  await expect(tokens.verify(forged)).rejects.toMatchObject({ code: 'token_unknown' })
  const last = token.endsWith('A') ? 'B' : 'A'
  const altered = `${token.slice(0, -1)}${last}`
  await expect(tokens.verify(altered)).rejects.toMatchObject({ code: 'token_unknown' })
  expect(await tokens.verify(token)).toMatchObject({ agent: 'bot' })
  await tokens.revoke(made.prefix)
  await expect(tokens.verify(token)).rejects.toMatchObject({ code: 'token_unknown' })
  await tokens.close()
})
