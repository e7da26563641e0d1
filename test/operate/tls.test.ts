import { chownSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from 'pg'
import { expect, vi } from 'vitest'
import { checkDatabase } from '../../src/store/postgres/admin/check.ts'
import { onServer, yes } from '../stores/crashable.ts'
import { newFolder, openPostgres } from '../stores/place.ts'
import { userForPostgres } from '../support/postgres-binaries.ts'
import { promise } from '../support/promise.ts'
import { selfSigned } from '../support/self-signed.ts'

vi.setConfig({ testTimeout: 120_000 })

promise(['CS-PG-5'], 'a Postgres with the certificate of another is not spoken to', async () => {
  const server = await onServer()
  const url = await server.newDatabase()
  const { key, cert } = selfSigned()
  const user = userForPostgres()
  for (const [name, text] of Object.entries({ 'server.key': key, 'server.crt': cert })) {
    const file = path.join(server.folder, name)
    writeFileSync(file, text, { mode: 0o600 })
    if (user) chownSync(file, user.uid, user.gid)
  }
  const admin = new Client({ connectionString: url })
  await admin.connect()
  await admin.query(`alter system set ssl_key_file = '${path.join(server.folder, 'server.key')}'`)
  await admin.query(`alter system set ssl_cert_file = '${path.join(server.folder, 'server.crt')}'`)
  await admin.query('alter system set ssl = on')
  await admin.query('select pg_reload_conf()')
  await admin.end()
  const authorities = newFolder()
  const write = (name: string, text: string) => {
    writeFileSync(path.join(authorities, name), text)
    return path.join(authorities, name)
  }
  const verified = (authority: string, host = '127.0.0.1') => {
    const address = new URL(url)
    address.hostname = host
    address.searchParams.set('sslmode', 'verify-full')
    address.searchParams.set('sslrootcert', authority)
    return address.href
  }
  const right = write('right.crt', cert)
  await vi.waitFor(
    async () => expect((await checkDatabase(verified(right))).tls).toMatch(/^TLS/),
    20_000,
  )
  const store = await openPostgres(verified(right))
  expect((await yes(store)).status).toBe('approved')
  const wrong = write('wrong.crt', selfSigned().cert)
  await expect(openPostgres(verified(wrong))).rejects.toMatchObject({ code: 'store_unavailable' })
  // The certificate is for 127.0.0.1.
  await expect(openPostgres(verified(right, 'localhost'))).rejects.toMatchObject({
    code: 'store_unavailable',
  })
})
