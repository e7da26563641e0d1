import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { countersign, folder } from './countersign.ts'

test('a first policy is written that checks, passes its tests and fits its schema', async () => {
  const cwd = folder()
  const made = await countersign(['init'], { cwd })
  expect(made).toMatchObject({ code: 0, stderr: '' })
  expect(made.stdout).toContain('Created countersign.yaml and countersign.schema.json.')
  expect(made.stdout).toContain('countersign policy check')

  expect((await countersign(['policy', 'check', '--strict'], { cwd })).code).toBe(0)
  const tests = await countersign(['policy', 'test'], { cwd })
  expect(tests.code).toBe(0)
  expect(tests.stdout).toMatch(/\n7 passed, 0 failed\n$/)

  const text = readFileSync(path.join(cwd, 'countersign.yaml'), 'utf8')
  const [, schemaFile = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text) ?? []
  const schema = JSON.parse(readFileSync(path.join(cwd, schemaFile), 'utf8'))
  const validate = new Ajv2020({ strict: false }).compile(schema)
  expect(validate(parse(text)), JSON.stringify(validate.errors)).toBe(true)
})

test('nobody’s file is overwritten', async () => {
  const cwd = folder({ 'countersign.yaml': 'mine', 'countersign.schema.json': 'mine too' })
  const { code, stdout, stderr } = await countersign(['init'], { cwd })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^file_exists: countersign\.yaml is already there and was not touched\n/)
  expect(readFileSync(path.join(cwd, 'countersign.yaml'), 'utf8')).toBe('mine')

  const other = folder({ 'countersign.schema.json': 'mine too' })
  expect(await countersign(['init'], { cwd: other })).toMatchObject({ code: 0 })
  expect(readFileSync(path.join(other, 'countersign.schema.json'), 'utf8')).toBe('mine too')
})

test('--dir makes the folder, and --json names what was made', async () => {
  const cwd = folder()
  const { code, stdout } = await countersign(['init', '--dir', 'a/b', '--json'], { cwd })
  expect(code).toBe(0)
  const created = [
    path.join('a', 'b', 'countersign.yaml'),
    path.join('a', 'b', 'countersign.schema.json'),
  ]
  expect(JSON.parse(stdout)).toEqual({ created })
  expect(created.every((file) => existsSync(path.join(cwd, file)))).toBe(true)

  writeFileSync(path.join(cwd, 'file'), '')
  const refused = await countersign(['init', '--dir', 'file'], { cwd })
  expect(refused.code).toBe(2)
  expect(refused.stderr).toMatch(/^usage: .*cannot be written/)
})

test('policy schema prints JSON Schema, for owners and for governance', async () => {
  const cwd = folder()
  const owner = await countersign(['policy', 'schema'], { cwd })
  expect(owner).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(owner.stdout)).toMatchObject({ properties: { tools: {}, governance: {} } })
  const governance = JSON.parse(
    (await countersign(['policy', 'schema', '--governance', '--json'], { cwd })).stdout,
  )
  expect(Object.keys(governance.properties)).not.toContain('tools')

  expect(await countersign(['policy', 'schema', '--out', 's.json'], { cwd })).toMatchObject({
    code: 0,
    stdout: '',
  })
  expect(readFileSync(path.join(cwd, 's.json'), 'utf8')).toBe(owner.stdout)
  const refused = await countersign(['policy', 'schema', '--out', 'no/s.json'], { cwd })
  expect(refused.stderr).toMatch(
    /^usage: no\/s\.json cannot be written: its folder does not exist\n/,
  )
})
