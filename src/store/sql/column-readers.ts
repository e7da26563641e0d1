/** How a driver reads a column: throws where it holds something else. */
export interface ColumnReaders<Row> {
  text(row: Row, column: string): string
  integer(row: Row, column: string): number
}

/** A row of either driver. */
export type AnyRow = Readonly<Record<string, unknown>>
