import { request } from 'node:http'
import { BUSY_AGENT } from './history.ts'
import type { Served } from './server.ts'

export interface Timed {
  readonly name: string
  /** What it may take on the largest database, in milliseconds, where it is not held to be flat. */
  readonly most?: number
  /** Takes one of what was asked before in each round: there are no more of them than rounds. */
  readonly once?: boolean
  /** Does it once; `nth` tells the rounds apart. */
  readonly run: (nth: number) => Promise<void>
}

interface Answer {
  readonly [name: string]: unknown
  readonly id?: string
  readonly digest?: string
}

/** A file of lines is not one. */
function read(text: string): Answer {
  try {
    return JSON.parse(text) as Answer
  } catch {
    return {}
  }
}

const INSIGHTS_MS = 1_000
const PROPOSALS_MS = 3_000
const DAY = 86_400_000
const DECIDED = 'approved,denied,expired,withdrawn,invalidated'

/** Everything that a person or an agent waits for, over HTTP, one request after the other. */
export function requestsTo(served: Served, size: number): Timed[] {
  const headers = { host: new URL(served.url).host, origin: served.url }

  function send(method: string, path: string, as: object, body?: unknown): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body)
      const typed = text === undefined ? {} : { 'content-type': 'application/json' }
      const sent = request(
        `${served.url}${path}`,
        { method, headers: { ...headers, ...as, ...typed } },
        (response) => {
          let answer = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => {
            answer += chunk
          })
          response.on('end', () => {
            const { statusCode = 0 } = response
            if (statusCode < 300) resolve(answer.startsWith('{"') ? read(answer) : {})
            else reject(new Error(`${method} ${path} answered ${statusCode}: ${answer}`))
          })
        },
      )
      sent.on('error', reject)
      sent.end(text)
    })
  }

  const person = { cookie: served.cookie, 'x-countersign-csrf': served.csrf }
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const get = (name: string, path: string, as: object = person): Timed => ({
    name,
    run: async () => void (await send('GET', path, as)),
  })
  const list = (name: string, query: string) => get(name, `/v1/approvals?limit=50&${query}`)
  const audit = (name: string, query: string) => get(name, `/v1/audit?limit=100&${query}`)
  const ask = (token: string, nth: number) =>
    send('POST', '/v1/calls', bearer(token), {
      tool: 'deploy',
      args: { nth },
      run: `bench-${crypto.randomUUID()}`,
    })

  // In the middle of the history, which is two months long: as many approvals at every size.
  const [begin, length] = [Date.now() - 30 * DAY, Math.ceil((200 / size) * 60 * DAY)]
  const span = `since=${begin}&until=${begin + length}`
  const asked: Answer[] = []
  const claims: string[] = []
  let middle: string | undefined
  const known = async () => {
    middle ??= await send('GET', '/v1/approvals?limit=1&order=oldest&status=denied', person).then(
      (page) => (page.approvals as { id: string }[])[0]?.id,
    )
    return middle ?? ''
  }
  let open: string | undefined
  const waiting = async () => {
    open ??= String((await ask(served.quiet, -1)).id)
    return open
  }
  const about = (name: string, path: (id: string) => string): Timed => ({
    name,
    run: async () => void (await send('GET', path(await known()), person)),
  })

  return [
    list('inbox by risk', 'status=pending&order=risk'),
    list('inbox by deadline', 'status=pending&order=deadline'),
    list('history newest', `status=${DECIDED}&order=newest`),
    list('history oldest', `status=${DECIDED}&order=oldest`),
    list('history by risk', `status=${DECIDED}&order=risk`),
    list('history by deadline', `status=${DECIDED}&order=deadline`),
    {
      name: 'history, fifth page',
      run: async () => {
        // The pages on the way are part of it: five pages, at any size.
        let after = ''
        for (let page = 0; page < 5; page += 1) {
          const query = `limit=50&status=${DECIDED}&order=newest${after === '' ? '' : `&after=${after}`}`
          after = String((await send('GET', `/v1/approvals?${query}`, person)).next ?? '')
        }
      },
    },
    list('filter outcome denied', 'status=denied&order=newest'),
    list('filter outcome unknown (none)', 'execution=unknown&order=newest'),
    list('filter tool', 'tool=refund&order=newest'),
    list('filter agent', `agent=${BUSY_AGENT}&order=newest`),
    list('filter run', `run=run-${Math.floor(size / 40)}&order=newest`),
    list('filter agent and outcome', `agent=${BUSY_AGENT}&status=denied&order=newest`),
    list('filter risk', 'risk=L4&order=newest'),
    list('filter server', 'server=server-4&order=newest'),
    list('filter server (none)', 'server=elsewhere&order=newest'),
    list('filter digest (none)', `digest=${'0'.repeat(64)}&order=newest`),
    list('filter time', `${span}&order=newest`),
    list('filter person', 'person=person-7&order=newest'),
    list('filter person and time', `person=person-7&${span}`),
    get('summary of a filter', `/v1/approvals/summary?tool=refund&since=${Date.now() - DAY / 24}`),
    get(
      'export of a filter',
      `/v1/approvals/export.csv?person=person-7&status=denied&since=${Date.now() - DAY / 24}`,
    ),
    list('search, many hits', `q=customer&status=${DECIDED}&order=newest`),
    list('search, one hit', `q=c-${Math.floor(size / 2)}&status=${DECIDED}&order=newest`),
    list('search, two words', `q=customer+transfer&status=${DECIDED}&order=newest`),
    list('search, many hits, by risk', `q=customer&status=${DECIDED}&order=risk`),
    list('search, one hit, by deadline', `q=c-${Math.floor(size / 2)}&order=deadline`),
    list('search, no hit, by risk', `q=zebrafish&status=${DECIDED}&order=risk`),
    list('search, no hit', `q=zebrafish&status=${DECIDED}&order=newest`),
    get('an agent’s own list', '/v1/approvals?limit=50&order=newest', bearer(served.busy)),
    about('card', (id) => `/v1/approvals/${id}`),
    about('events of one', (id) => `/v1/approvals/${id}/events`),
    audit('audit newest', 'order=newest'),
    audit('audit oldest', 'order=oldest'),
    about('audit of one approval', (id) => `/v1/audit?order=newest&approval=${id}`),
    audit('audit by type, common', 'order=newest&type=requested'),
    audit('audit by type, rare', 'order=newest&type=expired'),
    audit('audit by type, none', 'order=newest&type=lock.set'),
    audit('audit by person', 'order=newest&person=person-7'),
    audit('audit by person (none)', 'order=newest&person=no-one'),
    audit('audit by tool', 'order=newest&tool=refund'),
    audit('audit of a time', `order=newest&${span}`),
    audit('audit of a time, oldest', `${span}`),
    get('audit, last check', '/v1/audit/chain'),
    // A long history has counters of more days and names than a short one.
    { ...get('insights, 30 days', '/v1/insights'), most: INSIGHTS_MS },
    { ...get('insights, a year', '/v1/insights?days=366'), most: INSIGHTS_MS },
    get('tools and their counts', '/v1/servers'),
    { ...get('counts of rules', '/v1/policy/counts'), most: INSIGHTS_MS },
    // Of the newest 2,000 calls: more than the smallest database holds.
    { ...get('proposed rules', '/v1/policy/proposals'), most: PROPOSALS_MS },
    get('versions of the policy', '/v1/policy/versions'),
    get('stand-ins', '/v1/people/stand-ins'),
    get('on call', '/v1/on-call'),
    get('people', '/v1/people'),
    get('policy', '/v1/policy'),
    get('grants', '/v1/grants'),
    get('locks', '/v1/locks'),
    get('notices', '/v1/notices'),
    get('tokens', '/v1/tokens'),
    get('me', '/v1/me'),
    get('ready', '/readyz', {}),
    get('metrics', '/metrics', {}),
    { name: 'ask, quiet agent', run: async (nth) => void (await ask(served.quiet, nth)) },
    {
      name: 'ask under limits, busy agent',
      run: async (nth) => void asked.push(await ask(served.busy, nth)),
    },
    {
      name: 'decide',
      once: true,
      run: async (nth) => {
        const { id, digest } = asked[nth] ?? {}
        const body = { verdict: 'approve', digest }
        await send('POST', `/v1/approvals/${id}/decisions`, person, body)
      },
    },
    {
      name: 'claim',
      once: true,
      run: async (nth) => {
        const { id, digest } = asked[nth] ?? {}
        const answer = await send('POST', `/v1/approvals/${id}/claim`, bearer(served.busy), {
          digest,
        })
        claims.push(String(answer.claim))
      },
    },
    {
      name: 'report the result',
      once: true,
      run: async (nth) => {
        const { id } = asked[nth] ?? {}
        const body = { claim: claims[nth], outcome: 'succeeded', result: { nth } }
        await send('POST', `/v1/approvals/${id}/result`, bearer(served.busy), body)
      },
    },
    {
      name: 'withdraw',
      run: async (nth) => {
        const { id } = await ask(served.quiet, nth)
        await send('POST', `/v1/approvals/${id}/withdraw`, bearer(served.quiet), {})
      },
    },
    {
      name: 'comment',
      run: async (nth) => {
        const body = { text: `Looked at it ${nth} times.` }
        await send('POST', `/v1/approvals/${await waiting()}/comments`, person, body)
      },
    },
    {
      name: 'lock and lift',
      run: async () => {
        const body = { target: { agent: 'agent-9' }, reason: 'a measurement' }
        const { id } = await send('POST', '/v1/locks', person, body)
        await send('DELETE', `/v1/locks/${id}`, person)
      },
    },
  ]
}
