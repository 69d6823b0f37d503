// A table that becomes a stack of cards where it has no room.
import './data-table.css';
import type { ReactNode } from 'react';

export type Column<Row> = {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
};

type DataTableProps<Row> = {
  /** Spoken, not shown. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly actions?: ((row: Row) => ReactNode) | undefined;
};

export function DataTable<Row>({ caption, columns, rows, keyOf, actions }: DataTableProps<Row>) {
  return (
    <div className="scroll">
      <table className="data-table">
        <caption className="spoken">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            {actions && (
              <th scope="col">
                <span className="spoken">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, cell }) => (
                <td key={name} data-label={name}>
                  <div>{cell(row)}</div>
                </td>
              ))}
              {actions && <td className="data-table-actions">{actions(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
