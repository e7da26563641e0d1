import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { parseDocument, visit } from 'yaml'
import { policyName } from '../../src/gate/declared/policy-answer.ts'
import { combinePolicy } from '../../src/policy/load/combine.ts'
import { loadOwner } from '../../src/policy/load/load.ts'
import { promise } from '../support/promise.ts'

const TEXT = readFileSync(new URL('../corpus/good/every-key.yaml', import.meta.url), 'utf8')

/** Undefined: such a file is refused. */
async function nameOf(text: string, file = 'countersign.yaml'): Promise<string | undefined> {
  const loaded = loadOwner({ file, text })
  return loaded.ok ? policyName(combinePolicy({ owner: loaded.document })) : undefined
}

/** The file with one more server, whose variables and headers are called like our own members. */
function rich() {
  const document = parseDocument(TEXT)
  document.delete('tests')
  const ours = { file: 'a', place: 'b', line: 'c', column: 'd' }
  for (const server of [
    { alias: 'near', command: 'run', env: ours },
    { alias: 'far', url: 'https://far.example.com', headers: ours },
  ]) {
    document.addIn(['mcp_servers'], document.createNode(server))
  }
  return document
}

/** Every file that differs from it in one value. */
function* changed(): Generator<{ readonly what: string; readonly text: string }> {
  let values = 0
  visit(rich(), {
    Scalar() {
      values += 1
    },
  })
  for (let at = 0; at < values; at += 1) {
    const document = rich()
    let [n, what] = [0, '']
    visit(document, {
      Scalar(_, node) {
        n += 1
        if (n !== at + 1) return
        const { value } = node
        if (typeof value === 'string') node.value = `${value}x`
        if (typeof value === 'number') node.value = value + 1
        if (typeof value === 'boolean') node.value = !value
        what = `${value} -> ${node.value}`
      },
    })
    yield { what, text: String(document) }
  }
}

promise(
  ['CS-SERVE-1'],
  'every value of a policy file is in its name, so that no change comes into force by a restart',
  async () => {
    const name = await nameOf(String(rich()))
    const same: string[] = []
    let tried = 0
    for (const { what, text } of changed()) {
      const other = await nameOf(text)
      if (other !== undefined) tried += 1
      if (other === name) same.push(what)
    }
    expect(same).toEqual([])
    expect(tried).toBeGreaterThan(80)
  },
)

promise(['CS-SERVE-1'], 'where a rule stands is not in its name', async () => {
  const name = await nameOf(TEXT)
  expect(await nameOf(`# moved\n\n${TEXT}`, 'elsewhere.yaml')).toBe(name)
})
