// `tintype backup`: copies everything to another place while the server runs; the next time only what is new.
import type { Config } from '../config.ts';
import { type Core, databaseFile } from '../core.ts';
import { createBytePace } from '../keeping/files/byte-pace.ts';
import { type BackupReport, makeBackup } from '../keeping/backup/make-backup.ts';
import { openBareStores } from '../open-bare-stores.ts';
import { openPictureIndex } from '../open-picture-index.ts';
import { loadSecretKey } from '../platform/secrets.ts';
import { openStorage } from '../platform/storage/open-storage.ts';
import { version } from '../version.ts';
import { jsonOption, readArguments } from './arguments.ts';
import { backupAddress } from './backup-address.ts';
import { readPace } from './migrate.ts';
import { formatBytes } from '../lib/format-bytes.ts';
import { printJson } from './output.ts';
import { startProgress } from './progress.ts';
import { withCore } from './with-core.ts';

export const help = `Usage:
  tintype backup <place> [--with-secret-key] [--mb-per-second N]

  <place>             a folder, or a store such as s3://bucket/prefix; the same one again takes only what is new
  --with-secret-key   put the key that opens stored secrets into the backup too; otherwise keep it elsewhere yourself
  --mb-per-second     reads no more than this
  --json              print the totals as JSON

Copies the database as of one moment and every original, manifest and film it names, also while the server runs, and proves
each file by its hash. Variants are not part of it: they are made again. Objects deleted since stay in the place until you
delete it. Ends with 1 when an original is damaged here and could not be taken into the backup.
Restore with: tintype restore <place>`;

export async function backup(args: string[], config: () => Config): Promise<0 | 1> {
  const options = {
    'with-secret-key': { type: 'boolean', default: false },
    'mb-per-second': { type: 'string' },
    ...jsonOption,
  } as const;
  const { values, positionals } = readArguments(args, options, ['place']);
  const address = backupAddress(positionals[0] as string);
  const bytesPerSecond = readPace(values['mb-per-second']);
  const settings = config();
  return withCore(settings, async (core) => {
    const withKey = values['with-secret-key'];
    const report = await run(settings, core, { address, bytesPerSecond, withKey });
    if (values.json) printJson(report);
    else tell(report, withKey);
    return report.damaged.length === 0 ? 0 : 1;
  });
}

type Options = { address: string; bytesPerSecond: number | null; withKey: boolean };

async function run(config: Config, core: Core, options: Options): Promise<BackupReport> {
  const file = core.database.engine === 'sqlite' ? databaseFile(config) : null;
  const pictures = openPictureIndex(config, core.database);
  const progress = startProgress('Rows and objects:', null);
  const key = await loadSecretKey({ configured: config.SECRET_KEY, dataDir: config.dataDir });
  let copiedBytes = 0;
  try {
    return await makeBackup({
      source: { database: core.database, file, pictures },
      stores: await openBareStores(config),
      storage: await openStorage(options.address),
      version,
      secretKey: { fingerprint: core.secretBox.fingerprint, key: options.withKey ? key : null },
      pace: createBytePace(options.bytesPerSecond),
      onRows: (count) => progress.advance(count),
      onObject(bytes) {
        copiedBytes += bytes;
        progress.advance(1, formatBytes(copiedBytes));
      },
    });
  } finally {
    progress.stop();
    await pictures.close();
  }
}

function tell(report: BackupReport, withKey: boolean): void {
  for (const { where, object_id: object, account_id: account } of report.damaged)
    console.log(`Not taken, because it is damaged here: ${where} (object ${object}, account ${account})`);
  console.log(
    `Backed up as of ${report.made_at}: ${report.rows} rows, ${report.objects} objects; copied now ${report.copied} files, ${formatBytes(report.copiedBytes)}`,
  );
  if (!withKey)
    console.log(
      'The secret key is not part of it: keep SECRET_KEY, or secret.key of the data folder, elsewhere.',
    );
}
