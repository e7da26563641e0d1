/** A Postgres that tests crash, copy and replace, and what they need around it. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import {
  type CrashablePostgres,
  crashablePostgres,
} from '../../faults/nemeses/crashable-postgres.ts'
import type { Store } from '../../src/store/store.ts'
import { asking, deciding } from '../../src/testing/commands.ts'
import { newFolder } from './place.ts'

/** An approval that is ready to be claimed. */
export async function yes(store: Store) {
  const request = asking({ tenant: store.tenant })
  const { approval } = await store.apply(request.id, request)
  return (await store.apply(approval.id, deciding(approval))).approval
}

export async function onServer(): Promise<CrashablePostgres> {
  const server = await crashablePostgres()
  onTestFinished(() => server.stop())
  return server
}

/** A head file for each server of a test. */
export function heads(...names: string[]): string[] {
  const folder = newFolder()
  return names.map((name) => {
    mkdirSync(path.join(folder, name))
    return path.join(folder, name, 'head.json')
  })
}
