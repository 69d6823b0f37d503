// What a rebuild tells people: how much it restored, and what it could not restore, grouped by reason.
import type { TableDifferences } from '../objects/rebuild/compare.ts';
import type { ProblemKind, RebuildReport } from '../objects/rebuild/report.ts';

const maxNamed = 20;

const headings: Record<ProblemKind, string> = {
  damaged_manifest: 'Manifests that are damaged, and not used',
  missing_original: 'Objects without their original, left out',
  original_without_manifest: 'Originals without a manifest, left where they are',
  unknown_account: 'Objects of nobody, left out',
  duplicate_object: 'Objects whose id a newer one has, left out',
  duplicate_key: 'Keys that two accounts have',
  renumbered_object: 'Objects with a new place in the order',
  unknown_field: 'Fields this version does not know',
  unreadable_secret: 'Secrets that cannot be opened',
};

export function printReport({ accounts, keys, objects, problems }: RebuildReport): void {
  for (const [kind, found] of Map.groupBy(problems, (problem) => problem.kind)) {
    printList(
      `${headings[kind]}: ${found.length}`,
      found.map(({ where, detail }) => `${where}: ${detail}`),
    );
  }
  console.log(`Restored: ${accounts} accounts, ${keys} keys, ${objects} objects`);
}

export function printDifferences(differences: readonly TableDifferences[] | null): void {
  if (!differences) return console.log('There is no database to compare with');
  for (const { table, onlyInDatabase, onlyInManifests, different } of differences) {
    if (onlyInDatabase.length + onlyInManifests.length + different.length === 0) {
      console.log(`${table}: equal to the database`);
      continue;
    }
    printList(`${table}: ${onlyInDatabase.length} only in the database`, onlyInDatabase);
    printList(`${table}: ${onlyInManifests.length} only in manifests`, onlyInManifests);
    printList(
      `${table}: ${different.length} different`,
      different.map(({ id, columns }) => `${id}: ${columns.join(', ')}`),
    );
  }
}

function printList(heading: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  console.log(heading);
  for (const line of lines.slice(0, maxNamed)) console.log(`  ${line}`);
  if (lines.length > maxNamed) console.log(`  and ${lines.length - maxNamed} more; --json names them all`);
}
