import { expect, test } from 'vitest'
import { presetsOf } from './reasons.tsx'

test('every reason that a policy offers can be chosen, also those for a yes after nine for a no', () => {
  const words = (what: string) => Array.from({ length: 9 }, (_, at) => `${what} ${at}`)
  const offered = presetsOf({ reasons: { deny: words('no'), approve: words('yes') } })
  expect(offered.map(({ text }) => text)).toEqual([...words('no'), ...words('yes')])
})
