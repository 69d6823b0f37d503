// Presets as rows of a form, and which of them the service refused.
import { isRefusal } from '../../../../client/src/index.ts';

export type PresetRow = { readonly id: number; readonly name: string; readonly tokens: string };

type Presets = Readonly<Record<string, string>>;

const goodName = /^[a-z0-9][a-z0-9._-]{0,31}$/;
const maxTokens = 512;

export function rowsOf(presets: Presets): readonly PresetRow[] {
  return Object.entries(presets).map(([name, tokens], id) => ({ id, name, tokens }));
}

export function presetsOf(rows: readonly PresetRow[]): Presets {
  return Object.fromEntries(rows.map(({ name, tokens }) => [name.trim(), tokens.trim()]));
}

/** Two rows of one name would become one preset without a word. */
export function repeatedRow(rows: readonly PresetRow[]): PresetRow | undefined {
  const names = rows.map(({ name }) => name.trim());
  return rows.find((_row, index) => names.indexOf(names[index] as string) < index);
}

/** The service names the preset whose tokens are wrong; of other faults it names only the kind. */
export function refusedRow(error: unknown, rows: readonly PresetRow[]): PresetRow | undefined {
  if (!isRefusal(error)) return undefined;
  const [, named] = /^Preset "(.+?)": /.exec(error.message) ?? [];
  if (named !== undefined) return rows.find(({ name }) => name.trim() === named);
  if (error.message.startsWith('A preset’s name'))
    return rows.find(({ name }) => !goodName.test(name.trim()));
  if (error.message.startsWith('A preset must'))
    return rows.find(({ tokens }) => tokens.trim() === '' || tokens.trim().length > maxTokens);
  return undefined;
}
