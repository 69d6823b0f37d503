// `tintype scrub`: reads every stored file, and says which is damaged or missing; repairs what can be made again.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Core } from '../core.ts';
import { createBytePace } from '../keeping/files/byte-pace.ts';
import { type Finding, isUnrepaired } from '../keeping/scrub/finding.ts';
import { scrubAll, scrubStart, type ScrubState } from '../keeping/scrub/scrub.ts';
import { openBareStores } from '../open-bare-stores.ts';
import { jsonOption, readArguments, UsageError } from './arguments.ts';
import { readPace } from './migrate.ts';
import { printJson } from './output.ts';
import { startProgress } from './progress.ts';
import { createRepairs } from './scrub-repairs.ts';
import { printFindings } from './scrub-summary.ts';
import { abortOnSignal } from './abort-on-signal.ts';
import { withCore } from './with-core.ts';

export const help = `Usage:
  tintype scrub [--store files|storage] [--repair] [--mb-per-second N] [--continue]

  --store           only the files of this backend; both, and the variants on this machine, if left out
  --repair          make again what can be made again: manifests, posters and streams of films, variants; put originals
                    back that this machine has a sound copy of
  --mb-per-second   reads no more than this
  --continue        go on after the last run, which was stopped or killed
  --json            print JSON

Reads every original, manifest, poster, stream, variant and copy, also while the server runs, and compares it with its hash.
A damaged original without a copy cannot be made again: it is named with its object and account, to be restored from a
backup or uploaded anew. Files that no record names are listed and left alone. Ends with 1 when something is damaged or
missing and was not repaired.`;

type Options = {
  only: 'files' | 'storage' | null;
  repair: boolean;
  bytesPerSecond: number | null;
  goOn: boolean;
  json: boolean;
};
type Saved = { state: ScrubState; files: number; findings: Finding[] };

export async function scrub(args: string[], config: () => Config): Promise<0 | 1> {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = readArguments(args, {
    store: { type: 'string' },
    repair: flag,
    'mb-per-second': { type: 'string' },
    continue: flag,
    ...jsonOption,
  });
  const { store = null } = values;
  if (store !== null && store !== 'files' && store !== 'storage')
    throw new UsageError('--store must be files or storage');
  const settings = config();
  const options: Options = {
    only: store,
    repair: values.repair,
    bytesPerSecond: readPace(values['mb-per-second']),
    goOn: values.continue,
    json: values.json,
  };
  return withCore(settings, (core) => run(settings, core, options));
}

async function run(config: Config, core: Core, options: Options): Promise<0 | 1> {
  const journal = join(config.dataDir, 'scrub.json');
  const saved = options.goOn ? await readJournal(journal) : { state: scrubStart, files: 0, findings: [] };
  const { findings } = saved;
  let { files } = saved;
  const progress = startProgress('Reading files:', null);
  const repairs = createRepairs(config, core);
  const stop = abortOnSignal();
  try {
    await scrubAll(
      {
        database: core.database,
        stores: await openBareStores(config),
        sharedStores: core.sharing.stores,
        ...repairs,
        variantFolders: { kept: join(config.dataDir, 'variants'), cache: join(config.dataDir, 'cache') },
        copiesFolder: join(config.dataDir, 'copies'),
        only: options.only,
        repair: options.repair,
        pace: createBytePace(options.bytesPerSecond),
        report: (finding) => void findings.push(finding),
        onFile() {
          files += 1;
          progress.advance(1, findings.length === 0 ? '' : `${findings.length} found`);
        },
      },
      saved.state,
      {
        signal: stop.signal,
        onState: (state) => writeFile(journal, JSON.stringify({ state, files, findings } satisfies Saved)),
      },
    );
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    console.error('Stopped. Go on with: tintype scrub --continue');
    return 1;
  } finally {
    stop.ignore();
    progress.stop();
    await repairs.close();
  }
  await rm(journal, { force: true });
  if (options.json) printJson({ files, findings });
  else printFindings(files, findings, options.repair);
  return findings.some(isUnrepaired) ? 1 : 0;
}

async function readJournal(file: string): Promise<Saved> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) throw new UsageError('There is no earlier run to go on after');
  return JSON.parse(text) as Saved;
}
