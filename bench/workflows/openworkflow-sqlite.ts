import { BackendSqlite } from 'openworkflow/sqlite'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { ownSignals, withApproval } from './openworkflow.ts'

const backendIn = (folder: string) => BackendSqlite.connect(`${folder}/workflows.db`)

export const own = async (folder: string) => ownSignals(backendIn(folder))

export const countersign = async (folder: string) =>
  withApproval(backendIn(folder), await openSqlite(`${folder}/countersign.db`))
