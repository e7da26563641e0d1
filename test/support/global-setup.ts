import { createServer } from 'node:http'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { buildCommand, buildProgram } from './build-command.ts'
import { type RunningPostgres, startPostgres } from './start-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * A POST to its `/database` or `/quiet-database` makes one; a POST to its `/command` answers where the built command
     * is, and to its `/program` where that program is.
     */
    maker: string
  }
}

/** Of each kind one, when the first test asks. */
const servers = new Map<string, Promise<RunningPostgres>>()
let databases = 0

async function makeDatabase(kind: string): Promise<string> {
  const server = servers.get(kind) ?? startPostgres()
  servers.set(kind, server)
  const { url } = await server
  databases += 1
  const name = `test_${databases}`
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
 * One Postgres of each kind, one built command and each built program for the whole run, made when
 * the first test asks. Test files run in processes of their own, so they ask over HTTP.
 */
export default async function setUpRun(project: TestProject): Promise<() => Promise<void>> {
  // One after the other: two at once trip over the template database.
  let queue: Promise<unknown> = Promise.resolve()
  function nextDatabase(kind: string): Promise<string> {
    const answer = queue.then(() => makeDatabase(kind))
    queue = answer.catch(() => {})
    return answer
  }

  let command: Promise<string> | undefined
  function builtCommand(): Promise<string> {
    command ??= buildCommand()
    return command
  }
  const programs = new Map<string, Promise<string>>()
  function builtProgram(asked: URLSearchParams): Promise<string> {
    const known = programs.get(asked.toString())
    const program = known ?? buildProgram(asked.get('file') ?? '', asked.get('whole') === 'yes')
    programs.set(asked.toString(), program)
    return program
  }

  // In watch mode, after the source has changed.
  project.onTestsRerun(() => {
    command = undefined
    programs.clear()
  })

  function made(url: URL): Promise<string> {
    if (url.pathname === '/command') return builtCommand()
    return url.pathname === '/program' ? builtProgram(url.searchParams) : nextDatabase(url.pathname)
  }

  const server = createServer((request, response) => {
    // A test may keep its process busy until a connection that is kept has been closed.
    response.setHeader('connection', 'close')
    made(new URL(request.url ?? '/', 'http://maker')).then(
      (text) => response.end(text),
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
    await Promise.all([...servers.values()].map(async (server) => (await server).stop()))
  }
}
