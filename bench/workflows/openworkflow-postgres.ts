import { BackendPostgres } from 'openworkflow/postgres'
import { openPostgres } from '../../src/store/postgres/open-store.ts'
import { ownSignals, withApproval } from './openworkflow.ts'

export const own = async (url: string) => ownSignals(await BackendPostgres.connect(url))

export const countersign = async (url: string) =>
  withApproval(await BackendPostgres.connect(url), await openPostgres(url))
