// The examples of a page of documentation. Each stands behind a note that says what becomes of it:
//   <!-- run -->                    a test runs it; JSON right after it is its answer, field by field
//   <!-- tried by test/… -->        that test takes it from the page and tries it
//   <!-- not run: the reason -->    nobody does
const languages = new Set(['sh', 'js', 'ts', 'html', 'python', 'go', 'php', 'ruby']);

export type Fate =
  | { readonly kind: 'run' }
  | { readonly kind: 'tried'; readonly by: string }
  | { readonly kind: 'not run'; readonly why: string }
  | { readonly kind: 'forgotten' };

export type Example = {
  readonly language: string;
  readonly code: string;
  /** Where it begins in its page. */
  readonly line: number;
  readonly fate: Fate;
  /** The JSON that follows it, as it stands there. */
  readonly answer: string | null;
};

type Block = Omit<Example, 'answer' | 'fate'> & { readonly before: string };

export function examplesIn(text: string): Example[] {
  const blocks = blocksIn(text);
  return blocks.flatMap((block, index) => {
    if (!languages.has(block.language)) return [];
    const next = blocks[index + 1];
    const fate = fateOf(block.before);
    const isAnswered = fate.kind === 'run' && block.language === 'sh' && next?.language === 'json';
    const { language, code, line } = block;
    return [{ language, code, line, fate, answer: isAnswered ? next.code : null }];
  });
}

function blocksIn(text: string): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, language] = /^```(\w*)/.exec(lines[at] as string) ?? [];
    if (language === undefined) continue;
    const end = lines.indexOf('```', at + 1);
    if (end === -1) throw new Error(`the block that begins in line ${at + 1} has no end`);
    const code = lines.slice(at + 1, end).join('\n');
    blocks.push({ language, code, line: at + 1, before: lines[at - 1] ?? '' });
    at = end;
  }
  return blocks;
}

function fateOf(before: string): Fate {
  const [, note = ''] = /^<!-- (.+) -->$/.exec(before) ?? [];
  const [, by] = /^tried by (test\/\S+\.test\.ts)$/.exec(note) ?? [];
  const [, why] = /^not run: (.{10,})$/.exec(note) ?? [];
  if (note === 'run') return { kind: 'run' };
  if (by !== undefined) return { kind: 'tried', by };
  return why === undefined ? { kind: 'forgotten' } : { kind: 'not run', why };
}
