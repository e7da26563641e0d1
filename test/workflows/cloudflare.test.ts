import { describe } from 'vitest'
import { promise } from '../support/promise.ts'
import { cloudflareContract } from './cloudflare-harness.ts'
import { CASES, playCases, playKills, SHARED } from './engines.ts'
import { SOME_KILLS } from './kills.ts'

describe('with a gate of its own', () => {
  const played = playCases(cloudflareContract)
  promise.each(
    ['CS-FLOW-1', 'CS-FLOW-2', 'CS-FLOW-3', 'CS-FLOW-5', 'CF-3', 'CF-4', 'CF-13', 'CF-14'],
    cloudflareContract.name,
    CASES,
    (_, one) => played(one),
  )
})

describe('over HTTP', () => {
  const played = playCases(cloudflareContract, { over: 'http' })
  promise.each(
    ['CS-FLOW-1', 'CS-FLOW-2', 'CS-FLOW-3', 'CF-3', 'CF-4', 'CF-5'],
    'the contract of Cloudflare Workflows, with approvals on a server',
    SHARED,
    (_, one) => played(one),
  )
})

describe('killed', () => {
  const played = playKills(cloudflareContract, SOME_KILLS)
  promise.each(
    ['CS-FLOW-1', 'CS-FLOW-4', 'CF-4'],
    'a worker by the contract of Cloudflare Workflows dies by kill -9',
    SOME_KILLS.map((kill): [string, typeof kill] => [kill, kill]),
    (_, kill) => played(kill),
  )
})
