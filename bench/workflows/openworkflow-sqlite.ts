import { BackendSqlite } from 'openworkflow/sqlite'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { ownSignals, withApproval, withTable } from './openworkflow.ts'

const backendIn = (folder: string) => BackendSqlite.connect(`${folder}/workflows.db`)

export const own = async (folder: string) => ownSignals(backendIn(folder))

export const plain = async (folder: string) => withTable(backendIn(folder), folder)

export const countersign = async (folder: string) =>
  withApproval(backendIn(folder), await openSqlite(`${folder}/countersign.db`))
