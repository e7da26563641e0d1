import { expect, test } from 'vitest'
import { positionsBetween } from './asked-between.ts'

const HOUR = 3_600_000
const START = 1_700_000_000_000

/** One approval an hour; every third position is empty. */
const askedAtOf = (position: number) => {
  const next = position % 3 === 0 ? position + 1 : position
  return next > 9_000 ? undefined : START + next * HOUR
}

async function between(span: { since?: number; until?: number }) {
  let looks = 0
  const positions = await positionsBetween(span, {
    last: async () => 9_000,
    async askedAt(position) {
      looks += 1
      return askedAtOf(position)
    },
  })
  return { positions, looks }
}

test('without a time nothing is looked at', async () => {
  expect(await between({})).toEqual({ positions: undefined, looks: 0 })
})

test('a span of time is found by a few looks, with some room around it', async () => {
  const { positions, looks } = await between({
    since: START + 400 * HOUR,
    until: START + 500 * HOUR,
  })
  // Position 399 is empty: what comes first from there on is 400.
  expect(positions).toEqual({ from: 399, to: 501 })
  expect(looks).toBeLessThan(30)
})

test('an open end reaches as far as there is anything', async () => {
  expect((await between({ since: START + 8_999 * HOUR })).positions).toEqual({
    from: 8_999,
    to: 9_001,
  })
  expect((await between({ until: START - HOUR })).positions).toEqual({ from: 0, to: 0 })
  expect((await between({ since: START + 90_000 * HOUR })).positions).toEqual({
    from: 9_000,
    to: 9_001,
  })
})
