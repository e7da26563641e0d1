import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'
import { MemorySaver } from '@langchain/langgraph'

/** LangGraph's saver in memory, with a file: what was put survives the process, also a kill -9. */
export class FileSaver extends MemorySaver {
  readonly #file: string

  constructor(file: string) {
    super()
    this.#file = file
    if (existsSync(file)) Object.assign(this, deserialize(readFileSync(file)))
  }

  override async put(...args: Parameters<MemorySaver['put']>) {
    const put = await super.put(...args)
    this.#write()
    return put
  }

  override async putWrites(...args: Parameters<MemorySaver['putWrites']>) {
    await super.putWrites(...args)
    this.#write()
  }

  #write(): void {
    const { storage, writes } = this
    // Written beside and renamed: a process that dies leaves the old file or the new one.
    writeFileSync(
      `${this.#file}.new`,
      serialize({ storage: { ...storage }, writes: { ...writes } }),
    )
    renameSync(`${this.#file}.new`, this.#file)
  }
}
