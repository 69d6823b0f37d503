// SQL that is built once and run many times with other values: building a query costs several times what running it
// does. Statements that need no answers in between make up a batch (`database.writeBatch`).
import { type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from './database.ts';

export type StatementValue = string | number | null | Uint8Array;
type Values = Readonly<Record<string, StatementValue>>;

export type Statement = {
  readonly template: StatementTemplate;
  readonly values: Values;
  /** When it changes no row, the batch is undone and this is thrown. */
  readonly orElse?: () => Error;
};

type CompiledStatement = CompiledQuery & { readonly parameters: readonly StatementValue[] };

class Parameter {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

class StatementTemplate {
  readonly #build: (parameter: (name: string) => RawBuilder<StatementValue>) => RawBuilder<unknown>;
  /** By the kind of database, since each writes parameters its own way. */
  readonly #compiled = new Map<unknown, CompiledQuery>();

  constructor(build: (parameter: (name: string) => RawBuilder<StatementValue>) => RawBuilder<unknown>) {
    this.#build = build;
  }

  compile(database: Kysely<Tables>, values: Values): CompiledStatement {
    const kind = database.getExecutor().adapter.constructor;
    let compiled = this.#compiled.get(kind);
    if (!compiled) {
      compiled = this.#build((name) => sql`${new Parameter(name)}`).compile(database);
      this.#compiled.set(kind, compiled);
    }
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Parameter
        ? (values[parameter.name] as StatementValue)
        : (parameter as StatementValue),
    );
    return { ...compiled, parameters };
  }
}

/** `statement<'id'>((p) => sql`delete from things where id = ${p('id')}`)` is a function from values to a statement. */
export function statement<Name extends string>(
  build: (parameter: (name: Name) => RawBuilder<StatementValue>) => RawBuilder<unknown>,
): (values: Readonly<Record<Name, StatementValue>>, orElse?: () => Error) => Statement {
  const template = new StatementTemplate(build as ConstructorParameters<typeof StatementTemplate>[0]);
  return (values, orElse) => (orElse ? { template, values, orElse } : { template, values });
}

export function compileStatement(
  database: Kysely<Tables>,
  { template, values }: Statement,
): CompiledStatement {
  return template.compile(database, values);
}

/** Runs statements in a transaction that also does other things; all are sent together. */
export async function runStatements(tx: Kysely<Tables>, statements: readonly Statement[]): Promise<void> {
  await Promise.all(
    statements.map(async (each) => {
      const { numAffectedRows } = await tx.executeQuery(compileStatement(tx, each));
      if (each.orElse && numAffectedRows === 0n) throw each.orElse();
    }),
  );
}
