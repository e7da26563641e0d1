import { createServer } from 'node:http'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { buildCommand } from './build-command.ts'
import { type RunningPostgres, startPostgres } from './start-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A POST to its `/database` makes one; a POST to its `/command` answers where the built command is. */
    maker: string
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
 * One Postgres and one built command for the whole run, made when the first test asks. Test files
 * run in processes of their own, so they ask over HTTP.
 */
export default async function setUpRun(project: TestProject): Promise<() => Promise<void>> {
  // One after the other: two at once trip over the template database.
  let queue: Promise<unknown> = Promise.resolve()
  function nextDatabase(): Promise<string> {
    const answer = queue.then(makeDatabase)
    queue = answer.catch(() => {})
    return answer
  }

  let command: Promise<string> | undefined
  function builtCommand(): Promise<string> {
    command ??= buildCommand()
    return command
  }
  // In watch mode, after the source has changed.
  project.onTestsRerun(() => {
    command = undefined
  })

  const server = createServer((request, response) => {
    const answer = request.url === '/command' ? builtCommand() : nextDatabase()
    answer.then(
      (made) => response.end(made),
      (error: Error) => response.writeHead(500).end(error.message),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no address')
  project.provide('maker', `http://127.0.0.1:${address.port}`)
  return async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await postgres?.then((running) => running.stop())
  }
}
