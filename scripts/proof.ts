/** `npm run proof`: the long proofs, one program each in scripts/proofs. Exit code 0 is a proof. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { closingLine } from './closing-line.ts'

const folder = path.join(import.meta.dirname, 'proofs')
const wanted = process.argv.slice(2)
const proofs = (existsSync(folder) ? readdirSync(folder) : [])
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .filter((file) => wanted.length === 0 || wanted.includes(path.basename(file, '.ts')))
  .sort()

let passed = 0
for (const file of proofs) {
  const args = ['--conditions=countersign-source', path.join(folder, file)]
  const ok = spawnSync(process.execPath, args, { stdio: 'inherit' }).status === 0
  process.stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${file}\n`)
  if (ok) passed += 1
}
if (proofs.length === 0) process.stdout.write('There is no such proof in scripts/proofs.\n')
process.exitCode = closingLine({ passed, failed: proofs.length - passed })
