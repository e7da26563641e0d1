import { expect, test } from 'vitest'
import { lockedAs, lockedClosure } from './lockfile.ts'
import { bundledIn, sbomOf } from './sbom.ts'

const lockfile = {
  packages: {
    '': { name: 'work', version: '1.2.3' },
    'node_modules/web': { version: '1.0.0', dependencies: { core: '*' } },
    'node_modules/core': { version: '2.0.0', optionalDependencies: { web: '*', missing: '*' } },
    'node_modules/tester': { version: '3.0.0', dependencies: { core: '*' } },
    'node_modules/ink': { version: '4.0.0', integrity: 'sha512-AAEC', license: 'MIT' },
    'page/node_modules/view': { version: '5.0.0', dependencies: { '@a/b': '*' } },
    'page/node_modules/view/node_modules/@a/b': { version: '1.0.0', dependencies: { view: '*' } },
    'node_modules/@a/b': { version: '9.0.0' },
    'node_modules/alias': { name: 'real', version: '7.0.0' },
  },
}

const made = () =>
  sbomOf({
    ...{ name: 'product', version: '1.2.3', license: 'Apache-2.0' },
    installed: lockedClosure(lockfile, '', ['web']),
    bundled: [...lockedAs(lockfile, ['ink@4.0.0']), ...lockedClosure(lockfile, 'page', ['view'])],
    madeAt: '2026-11-18T00:00:00.000Z',
  })

test('it has what is installed and what is bundled, and no tool of developers', () => {
  const { components, dependencies, metadata } = made()
  const refs = ['@a/b@1.0.0', 'core@2.0.0', 'ink@4.0.0', 'view@5.0.0', 'web@1.0.0']
  expect(components.map((one) => one['bom-ref'])).toEqual(refs)
  const bundled = components.filter(({ properties }) => properties.length > 0)
  expect(bundled.map(({ name }) => name)).toEqual(['@a/b', 'ink', 'view'])
  expect(dependencies).toEqual([
    { ref: 'product@1.2.3', dependsOn: refs },
    { ref: '@a/b@1.0.0', dependsOn: ['view@5.0.0'] },
    { ref: 'core@2.0.0', dependsOn: ['web@1.0.0'] },
    { ref: 'ink@4.0.0', dependsOn: [] },
    { ref: 'view@5.0.0', dependsOn: ['@a/b@1.0.0'] },
    { ref: 'web@1.0.0', dependsOn: ['core@2.0.0'] },
  ])
  expect(metadata.component).toMatchObject({ name: 'product', purl: 'pkg:npm/product@1.2.3' })
  expect(components[0]?.purl).toBe('pkg:npm/%40a/b@1.0.0')
  expect(components[2]).toMatchObject({
    hashes: [{ alg: 'SHA-512', content: '000102' }],
    licenses: [{ license: { id: 'MIT' } }],
  })
})

test('two runs give the same bytes', () => {
  expect(JSON.stringify(made())).toBe(JSON.stringify(made()))
  expect(made().serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/,
  )
})

test('a package that the lockfile does not know is an error', () => {
  expect(() => lockedAs(lockfile, ['ink@4.0.1'])).toThrow('ink@4.0.1')
  expect(() => lockedClosure(lockfile, '', ['web', 'gone'])).toThrow('gone')
  expect(lockedAs(lockfile, ['real@7.0.0'])).toMatchObject([{ name: 'real' }])
})

test('bundled packages are read from the licences that the build wrote', () => {
  const licences =
    'ink 8.0.0 (MIT)\n\nMIT License 2020 (c)\n\n@a/b-c 1.2.3-rc.1 (Apache-2.0)\n\ntext\n'
  expect(bundledIn(licences)).toEqual(['ink@8.0.0', '@a/b-c@1.2.3-rc.1'])
})
