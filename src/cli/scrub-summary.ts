// What a scrub tells people: every file that is not as it should be, and what to do.
import { type Finding, isUnrepaired } from '../keeping/scrub/finding.ts';

const maxUnnamed = 20;

export function printFindings(files: number, findings: readonly Finding[], repaired: boolean): void {
  const unnamed = findings.filter(({ problem }) => problem === 'unnamed');
  const faults = findings.filter(({ problem }) => problem !== 'unnamed');
  for (const fault of faults) console.log(sentence(fault));
  if (unnamed.length > 0) {
    console.log(`Files that no record names, left where they are: ${unnamed.length}`);
    for (const { where } of unnamed.slice(0, maxUnnamed)) console.log(`  ${where}`);
    if (unnamed.length > maxUnnamed)
      console.log(`  and ${unnamed.length - maxUnnamed} more; --json names them all`);
  }
  const left = faults.filter(isUnrepaired);
  console.log(
    `Read ${files} files: ${faults.length === 0 ? 'all are as they should be' : `${faults.length} damaged or missing, ${faults.length - left.length} repaired`}`,
  );
  if (left.length === 0) return;
  if (!repaired) console.log('Make again what can be made again with: tintype scrub --repair');
  if (left.some(({ kind }) => kind === 'original'))
    console.log(
      'Damaged originals: put the files back from a backup, or delete the objects and upload them anew.',
    );
}

function sentence({ kind, where, detail, account_id: account, object_id: object, repair }: Finding): string {
  const whose = [object && `object ${object}`, account && `account ${account}`].filter(Boolean).join(', ');
  return `${kind.replace('_', ' ')} ${where} ${detail}${whose ? ` (${whose})` : ''}${repair ? `: ${repair}` : ''}`;
}
