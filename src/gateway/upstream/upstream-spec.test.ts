import { expect, test } from 'vitest'
import { specOf } from './upstream-spec.ts'

const of = (name: string) => `$\{${name}}`
const own = { BANK_TOKEN: 'tok-12345678', REGION: 'eu-central', PATH: '/bin' }

test('B8-15: a secret is one wherever it is filled in: arguments, addresses and any variable', () => {
  const secrets = ['tok-12345678']
  const command = { command: 'bank', args: ['--token', `${of('BANK_TOKEN')}`, `${of('REGION')}`] }
  expect(specOf('bank', command, own)).toMatchObject({ secrets })
  const variable = { command: 'bank', env: { BANK: `v1 ${of('BANK_TOKEN')}` } }
  expect(specOf('bank', variable, own)).toMatchObject({ secrets })
  const address = { url: `https://bank.example.com/mcp?via=${of('BANK_TOKEN')}` }
  expect(specOf('bank', address, own)).toMatchObject({ secrets })
  const header = {
    url: 'https://bank.example.com/mcp',
    headers: { Authorization: `Bearer ${of('BANK_TOKEN')}` },
  }
  expect(specOf('bank', header, own)).toMatchObject({ secrets })
})
