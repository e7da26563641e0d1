import { BackendPostgres } from 'openworkflow/postgres'
import { openPostgres } from '../../src/store/postgres/open-store.ts'
import { ownSignals, withApproval, withTable } from './openworkflow.ts'

export const own = async (url: string) => ownSignals(await BackendPostgres.connect(url))

export const plain = async (url: string) => withTable(await BackendPostgres.connect(url), url)

export const countersign = async (url: string) =>
  withApproval(await BackendPostgres.connect(url), await openPostgres(url))
