import { expect } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import { destinationsOf, type Resolve } from './egress.ts'
import { isPublicAddress as isPublic } from './ip-address.ts'

const unresolved: Resolve = async () => []

async function destinationOf(url: URL, allow: readonly string[], resolve = unresolved) {
  const found = await destinationsOf(url, allow, resolve)
  if (!found.ok) throw new Error(found.problem)
  return found.value[0]
}

const at =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

promise(['CS-TOLD-6'], 'private addresses are refused, however written', async () => {
  const inside = [
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://0/',
    'https://10.1.2.3/',
    'https://172.31.255.255/',
    'https://192.168.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://100.100.100.200/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:169.254.169.254]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fe80::1]/',
    'https://[fd00:ec2::254]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[3fff:fff::1]/',
  ]
  for (const url of inside) {
    await expect(destinationOf(new URL(url), []), url).rejects.toThrow(/not on the public internet/)
  }
  expect(isPublic('93.184.215.14')).toBe(true)
  expect(isPublic('2606:2800:21f:cb07:6820:80da:af6b:8b2c')).toBe(true)
  expect(isPublic('fe80::1%lo')).toBe(false)
  expect(isPublic('example.com')).toBe(false)
})

promise(
  ['CS-TOLD-6'],
  'a name is resolved once, and every address it has must be public',
  async () => {
    const url = new URL('https://hooks.example.com/x')
    const only = await destinationOf(url, [], at('93.184.215.14', '8.8.8.8'))
    expect(only).toEqual({ address: '93.184.215.14', family: 4 })
    const mixed = destinationOf(url, [], at('93.184.215.14', '127.0.0.1'))
    await expect(mixed).rejects.toThrow(/not on the public internet/)
    await expect(destinationOf(url, [], at())).rejects.toThrow(/no address/)
    const broken = async () => Promise.reject(new Error('no such name'))
    await expect(destinationOf(url, [], broken)).rejects.toThrow(/cannot be resolved/)
  },
)

promise(
  ['CS-TOLD-6'],
  'the operator allows hosts one by one, and without https only this machine',
  async () => {
    const inner = new URL('https://hooks.internal/x')
    const resolve = at('10.0.0.5')
    expect(await destinationOf(inner, ['hooks.internal'], resolve)).toMatchObject({
      address: '10.0.0.5',
    })
    await expect(destinationOf(inner, ['internal'], resolve)).rejects.toThrow(/was not allowed/)
    const plain = new URL('http://hooks.internal/x')
    await expect(destinationOf(plain, ['hooks.internal'], resolve)).rejects.toThrow(/without https/)
    const outside = new URL('http://hooks.example.com/x')
    await expect(destinationOf(outside, [], at('93.184.215.14'))).rejects.toThrow(/without https/)
    const own = new URL('http://127.0.0.1:9000/x')
    expect(await destinationOf(own, ['127.0.0.1:9000'])).toMatchObject({ address: '127.0.0.1' })
    await expect(destinationOf(own, ['127.0.0.1:9001'])).rejects.toThrow(/was not allowed/)
  },
)
