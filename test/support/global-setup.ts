import { createServer } from 'node:http'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { type RunningPostgres, startPostgres } from './start-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Every POST to it makes a database. */
    databaseMaker: string
  }
}

let postgres: Promise<RunningPostgres> | undefined
let made = 0

async function makeDatabase(): Promise<string> {
  postgres ??= startPostgres()
  const { url } = await postgres
  made += 1
  const name = `test_${made}`
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`create database ${name}`)
  } finally {
    await client.end()
  }
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}

/**
 * One Postgres for the whole run, started by the first test that asks. Test files run in processes
 * of their own, so they ask over HTTP.
 */
export default async function setUpRun(project: TestProject): Promise<() => Promise<void>> {
  // One after the other: two at once trip over the template database.
  let queue: Promise<unknown> = Promise.resolve()
  const server = createServer((_request, response) => {
    const answer = queue.then(makeDatabase)
    queue = answer.catch(() => {})
    answer.then(
      (url) => response.end(url),
      (error: Error) => response.writeHead(500).end(error.message),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no address')
  project.provide('databaseMaker', `http://127.0.0.1:${address.port}`)
  return async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await postgres?.then((running) => running.stop())
  }
}
