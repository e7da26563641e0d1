import { expect, test } from 'vitest'
import { initialsOf } from './person.tsx'

test('initials are those of the first and the last name, also of an address', () => {
  expect(['Ana Bell', 'ana.bell@example.com', 'Ana María de la Cruz'].map(initialsOf)).toEqual([
    'AB',
    'AB',
    'AC',
  ])
  expect(['ana@example.com', 'x', 'ünal', ''].map(initialsOf)).toEqual(['AN', 'X', 'ÜN', ''])
})
