import { spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

/*
 * The least a program of its own can do between a client and a server: read each line as JSON and
 * write it again. No rules, no checks, no records: what is left is the price of a second process.
 */
const [command = '', ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })

function relay(from: Readable, to: Writable): void {
  let held = ''
  from.setEncoding('utf8')
  from.on('data', (chunk: string) => {
    const lines = (held + chunk).split('\n')
    held = lines.pop() ?? ''
    for (const line of lines) to.write(`${JSON.stringify(JSON.parse(line))}\n`)
  })
  from.on('end', () => to.end())
}

relay(process.stdin, child.stdin)
relay(child.stdout, process.stdout)
