// The types of the client, written from the OpenAPI document: every operation with what it takes and answers.

type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
  readonly default?: unknown;
};
type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly description?: string;
};
type Content = { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
type Operation = {
  readonly summary?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Content>>;
};
export type OpenApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

const methods = ['get', 'post', 'patch', 'delete'] as const;

/** What the answers and their parts are called; whatever has the same shape elsewhere gets the same name. */
const names: Readonly<Record<string, string>> = {
  'POST /upload/': 'StoredObject',
  'GET /get/{object_id}': 'ObjectDetails',
  'GET /get/{object_id} renditions[]': 'Rendition',
  'GET /get/': 'ListingPage',
  'GET /get/search': 'SearchResult',
  'GET /tags/ tags[]': 'NameWithCount',
  'POST /update/{object_id}': 'ChangedObject',
  'POST /bulk/': 'BulkResult',
  'GET /create/{object_id}/{transformation}': 'CreatedVariant',
  'POST /upload/sign': 'UploadToken',
  'GET /user/': 'Account',
  'PATCH /user/': 'ChangedAccount',
  'GET /analysis/': 'AnalysisProgress',
  'GET /session/': 'Session',
  'POST /keys/': 'NewKey',
  'GET /keys/ keys[]': 'Key',
  'POST /webhooks/': 'NewWebhook',
  'GET /webhooks/ webhooks[]': 'Webhook',
  'GET /webhooks/{webhook_id}/deliveries': 'DeliveryPage',
  'GET /webhooks/{webhook_id}/deliveries deliveries[]': 'Delivery',
  'POST /accounts/': 'NewAccount',
  'GET /accounts/{account_id}': 'AccountRecord',
};

export function clientTypes(document: OpenApiDocument, errorCodes: readonly string[]): string {
  const operations = operationsOf(document);
  const named = namedSchemas(operations);
  const printer = new TypePrinter(named);
  const types = [...named].map(
    ([schema, name]) => `export type ${name} = ${printer.named(JSON.parse(schema) as Schema)};\n`,
  );
  const table = [...operations].map(
    ([name, operation]) => `  ${comment(operation.summary)}'${name}': ${printOperation(printer, operation)};`,
  );
  return [
    '// Written by `npm run docs` from /openapi.json and the catalogue of errors. Do not change it by hand.\n',
    ...types,
    `/** Every operation, with what it takes and what it answers. */\nexport type Operations = {\n${table.join('\n')}\n};\n`,
    `export type ErrorCode =\n${errorCodes.map((code) => `  | '${code}'`).join('\n')};\n`,
  ].join('\n');
}

/** Public addresses are files, not calls. */
function operationsOf({ paths }: OpenApiDocument): Map<string, Operation> {
  const found = Object.entries(paths).flatMap(([path, item]) =>
    path.startsWith('/{')
      ? []
      : methods.flatMap((method) => {
          const operation = item[method];
          return operation ? [[`${method.toUpperCase()} ${path}`, operation] as const] : [];
        }),
  );
  return new Map(found);
}

function namedSchemas(operations: ReadonlyMap<string, Operation>): Map<string, string> {
  const named = new Map<string, string>();
  for (const [place, name] of Object.entries(names)) {
    const [method, path, part] = place.split(' ');
    const answer = answerOf(operations.get(`${method} ${path}`));
    const schema = part === undefined ? answer : answer?.properties?.[part.slice(0, -2)]?.items;
    if (!schema) throw new Error(`The client's types name ${place}, which is not in the API`);
    named.set(JSON.stringify(schema), name);
  }
  return named;
}

function answerOf(operation: Operation | undefined): Schema | undefined {
  return operation?.responses['200']?.content?.['application/json']?.schema;
}

function printOperation(printer: TypePrinter, operation: Operation): string {
  const { parameters = [], requestBody } = operation;
  const parts: string[] = [];
  for (const [place, part] of [
    ['path', 'path'],
    ['query', 'query'],
  ] as const) {
    const given = parameters.filter((parameter) => parameter.in === place);
    if (given.length > 0)
      parts.push(`${part}: { ${given.map((parameter) => printer.parameter(parameter)).join('; ')} }`);
  }
  const body = requestBody?.content?.['application/json']?.schema;
  if (body) parts.push(`body: ${printer.print(body)}`);
  const answer = answerOf(operation);
  parts.push(`answer: ${answer ? printer.print(answer) : 'undefined'}`);
  return `{ ${parts.join('; ')} }`;
}

class TypePrinter {
  readonly #named: ReadonlyMap<string, string>;

  constructor(named: ReadonlyMap<string, string>) {
    this.#named = named;
  }

  print(schema: Schema): string {
    return this.#named.get(JSON.stringify(schema)) ?? this.body(schema);
  }

  /** What is another type and more is written so. */
  named(schema: Schema): string {
    const smaller = [...this.#named].filter(([other]) => contains(schema, JSON.parse(other) as Schema));
    const [largest] = smaller.toSorted(([one], [other]) => other.length - one.length);
    if (!largest) return this.body(schema);
    const [other, name] = largest;
    const known = Object.keys((JSON.parse(other) as Schema).properties ?? {});
    const properties = Object.entries(schema.properties ?? {}).filter(([key]) => !known.includes(key));
    return `${name} & ${this.body({ ...schema, properties: Object.fromEntries(properties) })}`;
  }

  body(schema: Schema): string {
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
    if (schema.anyOf) return schema.anyOf.map((each) => this.print(each)).join(' | ');
    const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
    if (types.length === 0) return 'unknown';
    return types.map((type) => this.#ofType(type, schema)).join(' | ');
  }

  parameter({ name, required, schema, description }: Parameter): string {
    const optional = required === true && schema.default === undefined ? '' : '?';
    return `${comment(description)}${quoted(name)}${optional}: ${this.print(schema)}`;
  }

  #ofType(type: string, schema: Schema): string {
    if (type === 'integer' || type === 'number') return 'number';
    if (type === 'array') return `readonly ${wrapped(this.print(schema.items ?? {}))}[]`;
    if (type !== 'object') return type;
    if (!schema.properties) {
      const values = schema.additionalProperties;
      return `Readonly<Record<string, ${typeof values === 'object' ? this.print(values) : 'unknown'}>>`;
    }
    const members = Object.entries(schema.properties).map(
      ([name, value]) =>
        `${comment(value.description)}${quoted(name)}${schema.required?.includes(name) ? '' : '?'}: ${this.print(value)}`,
    );
    return members.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${members.join('; ')} }`;
  }
}

function contains(schema: Schema, smaller: Schema): boolean {
  const { properties = {}, required = [] } = schema;
  const parts = Object.entries(smaller.properties ?? {});
  return (
    parts.length > 2 &&
    parts.length < Object.keys(properties).length &&
    parts.every(
      ([name, part]) =>
        JSON.stringify(properties[name]) === JSON.stringify(part) &&
        required.includes(name) === (smaller.required?.includes(name) ?? false),
    )
  );
}

function wrapped(type: string): string {
  return type.includes('|') ? `(${type})` : type;
}

function quoted(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : `'${name}'`;
}

function comment(text: string | undefined): string {
  return text ? `\n/** ${text.replaceAll('*/', '* /')} */\n` : '';
}
