import { spawn } from 'node:child_process'
import { closeSync, openSync, writeSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { BIN, cleanEnv, countersign, folder, GOVERNANCE, OWNER } from './countersign.ts'

const replay = ['policy', 'replay', 'owner.yaml']

function lines(stdout: string): unknown[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('every call gets one line, in order, exactly as the contract says', async () => {
  const cwd = folder({
    'owner.yaml': OWNER,
    'gov.yaml': GOVERNANCE,
    'calls.jsonl': [
      '{"tool":"read","args":{"environment":"test"}}',
      '{"tool":"pay","args":{"amount":500,"environment":"test"}}',
      '{"tool":"search","server":"web","agent":{"alias":"bot"},"args":{"environment":"test"}}',
      '{"tool":"read","args":{"environment":"production"}}',
    ].join('\n'),
  })
  const args = [...replay, 'gov.yaml', '--calls', 'calls.jsonl', '--json']
  const { code, stdout, stderr } = await countersign(args, { cwd })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toBe(
    `${[
      '{"index":0,"verdict":"allow","message":"","missing":[],"reasons":[]}',
      '{"index":1,"verdict":"review","message":"Pay 500 to ?","missing":["tool_args.to"],"reasons":[{"source":"tool","rule":"tools.pay.approval.condition","answer":"yes"}]}',
      '{"index":2,"verdict":"confirm","message":"Run \'search\' with arguments {\\"environment\\":\\"test\\"}?","missing":[],"reasons":[{"source":"default","rule":"defaults.gateway","answer":"yes"}]}',
      '{"index":3,"verdict":"deny","message":"Not in production.","missing":[],"reasons":[{"source":"governance","rule":"governance.no-production","answer":"yes"}]}',
    ].join('\n')}\n`,
  )
})

test('a line that cannot be evaluated gets its error, and the run goes on', async () => {
  const good = '{"tool":"read","args":{}}'
  const recording = Buffer.concat([
    Buffer.from(`${good}\r\n\n{"tool":\n{"tool":"read","args":{},"args":{}}\n`),
    Buffer.from('{"tool":"re\xffad","args":{}}\n', 'latin1'),
    Buffer.from('{"tool":"read","args":{"n":12345678901234567890}}\n{"tool":"","args":{}}\n[]\n'),
    Buffer.from(`{"tool":"read","args":{"s":"${'x'.repeat(5_000_000)}"}}\n${good}\n`),
  ])
  const cwd = folder({ 'owner.yaml': OWNER })
  const { code, stdout, stderr } = await countersign([...replay, '--calls', '-', '--json'], {
    cwd,
    stdin: recording,
  })
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  const answers = lines(stdout) as { index: number; verdict?: string; error?: { code: string } }[]
  expect(answers.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(answers.map(({ verdict, error }) => verdict ?? error?.code)).toEqual([
    'allow',
    'invalid_json',
    'invalid_json',
    'duplicate_key',
    'invalid_unicode',
    'unsafe_number',
    'invalid_call',
    'invalid_call',
    'too_large',
    'allow',
  ])
})

test('an empty recording is no calls', async () => {
  const cwd = folder({ 'owner.yaml': OWNER, 'calls.jsonl': '' })
  const { code, stdout } = await countersign([...replay, '--calls', 'calls.jsonl', '--json'], {
    cwd,
  })
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
})

test('without --json it is a table with a sum', async () => {
  const cwd = folder({ 'owner.yaml': OWNER })
  const stdin = '{"tool":"read","args":{}}\n{"tool":"pay","args":{"amount":500}}\nx\n'
  const { code, stdout } = await countersign([...replay, '--calls', '-'], { cwd, stdin })
  expect(code).toBe(1)
  expect(stdout).toMatch(
    /^ {6}0 {2}allow\s*\n {6}1 {2}review {3}tools\.pay\.approval\.condition {2}Pay 500 to \?\n {6}2 {2}error {4}invalid_json: /,
  )
  expect(stdout).toMatch(/\n3 calls: 1 allow, 1 review, 1 error\n$/)
})

test('governance of the environment stays out: the files named are the files used', async () => {
  const cwd = folder({ 'owner.yaml': OWNER, 'gov.yaml': GOVERNANCE })
  const { stdout } = await countersign([...replay, '--calls', '-', '--json'], {
    cwd,
    stdin: '{"tool":"read","args":{"environment":"production"}}\n',
    env: { COUNTERSIGN_GOVERNANCE: 'gov.yaml' },
  })
  expect(lines(stdout)).toMatchObject([{ verdict: 'allow' }])
})

test.each([
  ['without a recording', [], 'usage: replay needs either --calls or --recorded'],
  [
    'with one that is not there',
    ['--calls', 'nope'],
    'usage: nope cannot be read: there is no such',
  ],
])('%s it does not start', async (_, args, message) => {
  const cwd = folder({ 'owner.yaml': OWNER })
  const { code, stdout, stderr } = await countersign([...replay, ...args], { cwd })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr.startsWith(message)).toBe(true)
})

test('a reader that has seen enough is no error', async () => {
  const cwd = folder({ 'owner.yaml': OWNER })
  writeCalls(path.join(cwd, 'calls.jsonl'), 20_000)
  const child = spawn(process.execPath, [BIN, ...replay, '--calls', 'calls.jsonl', '--json'], {
    cwd,
    env: cleanEnv(),
  })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  child.stdout.once('data', () => child.stdout.destroy())
  const code = await new Promise((resolve) => child.on('close', resolve))
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

/** The most memory a replay of this many calls ever held, in MB. */
async function peak(count: number): Promise<{ megabytes: number; answers: number }> {
  const cwd = folder({ 'owner.yaml': OWNER })
  writeCalls(path.join(cwd, 'calls.jsonl'), count)
  const report =
    "data:text/javascript,process.on('exit',()=>process.stderr.write(String(process.resourceUsage().maxRSS)))"
  const child = spawn(
    process.execPath,
    // A heap smaller than the recording: the collector comes round, and what is kept does not fit.
    [
      '--max-old-space-size=56',
      '--import',
      report,
      BIN,
      ...replay,
      '--calls',
      'calls.jsonl',
      '--json',
    ],
    { cwd, env: cleanEnv() },
  )
  let answers = 0
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 10) answers++
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  expect(code).toBe(0)
  return { megabytes: Number(stderr) / 1024, answers }
}

function writeCalls(file: string, count: number): void {
  const filler = 'x'.repeat(600)
  const handle = openSync(file, 'w')
  for (let index = 0; index < count; index += 1000) {
    const calls = Array.from({ length: Math.min(1000, count - index) }, (_, offset) =>
      JSON.stringify({ tool: 'pay', args: { amount: index + offset, to: 'Lena', memo: filler } }),
    )
    writeSync(handle, `${calls.join('\n')}\n`)
  }
  closeSync(handle)
}

test('100,000 calls take the memory of a few', { timeout: 120_000 }, async () => {
  const few = await peak(1000)
  const many = await peak(100_000)
  expect(few.answers).toBe(1000)
  expect(many.answers).toBe(100_000)
  // The recording is 67 MB.
  expect(many.megabytes - few.megabytes).toBeLessThan(100)
})
