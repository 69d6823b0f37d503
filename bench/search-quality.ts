// How well search finds: hand-written questions to a library of hand-written captions, over HTTP and with a real model of
// sentences. It shows what a change of threshold, fusion or the words of a picture does; the bars lie a little below
// what was measured last.
import { startAnalysedLibrary, type AnalysedLibrary } from './support/quality/analysed-library.ts';
import { readLibrary } from './support/quality/read-library.ts';
import { type AskedQuestion, readQuestions } from './support/quality/read-questions.ts';
import { type Answered, rightAmong, score, type Score, similarities } from './support/quality/score.ts';
import { temporaryFolder } from './support/cleanup.ts';
import { atLeast, atMost, exactly, type Figure, type Scenario } from './support/report.ts';

const modes = ['vector', 'hybrid'] as const;
type Mode = (typeof modes)[number];
const thresholds = ['0.6', '0.65', '0.7', '0.75', '0.8', '0.85'];

export const searchQuality: Scenario = async () => {
  using folder = temporaryFolder();
  const pictures = readLibrary();
  const questions = readQuestions(pictures);
  await using library = await startAnalysedLibrary(folder.path, pictures);
  const usual = {
    vector: await askAll(library, questions, { mode: 'vector' }),
    hybrid: await askAll(library, questions, { mode: 'hybrid' }),
  };
  const everything = await askAll(library, questions, { threshold: '0', limit: '100' });
  return [
    { what: 'pictures, questions', value: `${pictures.length}, ${questions.length}` },
    ...withBars(usual.vector, usual.hybrid),
    describeSimilarities(everything),
    ...(await describeThresholds(library, questions)),
    ...describeGroups(questions, usual, everything),
  ];
};

async function askAll(
  library: AnalysedLibrary,
  questions: readonly AskedQuestion[],
  parameters: Record<string, string>,
): Promise<Answered[]> {
  const all: Answered[] = [];
  for (const { words, right } of questions)
    all.push({ right, answers: await library.ask({ q: words, ...parameters }) });
  return all;
}

/** Lower than what was measured last by about two points, so that they show when something has become worse. */
function withBars(vector: readonly Answered[], hybrid: readonly Answered[]): Figure[] {
  const [plain, fused] = [score(vector), score(hybrid)];
  return [
    atLeast('top-1, plain', plain.top1, 47, '%'),
    atLeast('top-3, plain', plain.top3, 56, '%'),
    atLeast('found among ten, plain', plain.found, 60, '%'),
    atLeast('top-1, hybrid', fused.top1, 79, '%'),
    atLeast('top-3, hybrid', fused.top3, 84, '%'),
    atLeast('found among ten, hybrid', fused.found, 86, '%'),
    exactly('answered in the first three by plain, but not by hybrid', countLost(vector, hybrid), 0),
    atMost('answers where nothing is right, plain', plain.toNothing, 1.5, ' a question', 1),
    atMost('answers where nothing is right, hybrid', fused.toNothing, 1.5, ' a question', 1),
  ];
}

function countLost(before: readonly Answered[], after: readonly Answered[]): number {
  return before.filter(
    (answered, at) => rightAmong(answered, 3) > 0 && rightAmong(after[at] as Answered, 3) === 0,
  ).length;
}

function describeSimilarities(everything: readonly Answered[]): Figure {
  const { right, nearestWrong, wrong } = similarities(everything);
  return {
    what: 'mean similarity: right, nearest wrong, all wrong',
    value: [right, nearestWrong, wrong].map((value) => value.toFixed(3)).join(', '),
  };
}

async function describeThresholds(
  library: AnalysedLibrary,
  questions: readonly AskedQuestion[],
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const mode of modes)
    for (const threshold of thresholds) {
      const figure = score(await askAll(library, questions, { mode, threshold }));
      figures.push({ what: `${nameOf(mode)} at ${threshold}: ${columns}`, value: describeScore(figure) });
    }
  return figures;
}

const columns = 'top-1, top-3, found, recall; wrong, to nothing';

function describeScore({ top1, top3, found, recall, wrong, toNothing }: Score): string {
  const percents = [top1, top3, found, recall].map((value) => `${value.toFixed(0)}%`);
  return `${percents.join(', ')}; ${wrong.toFixed(1)}, ${toNothing.toFixed(1)}`;
}

function nameOf(mode: Mode): string {
  return mode === 'vector' ? 'plain' : 'hybrid';
}

function describeGroups(
  questions: readonly AskedQuestion[],
  usual: Record<Mode, readonly Answered[]>,
  everything: readonly Answered[],
): Figure[] {
  const groups = [...new Set(questions.map(({ group }) => group))];
  return groups.flatMap((group) => {
    const of = (answered: readonly Answered[]): Answered[] =>
      answered.filter((_, at) => questions[at]?.group === group);
    const own = of(usual.vector);
    if (own.every(({ right }) => right.size === 0)) return [];
    const percents = [own, of(usual.hybrid)].map((answered) => `${score(answered).top3.toFixed(0)}%`);
    const value = `${percents.join(', ')}; ${similarities(of(everything)).right.toFixed(2)}`;
    return [{ what: `top-3 of ${own.length} “${group}”: plain, hybrid; right similarity`, value }];
  });
}
