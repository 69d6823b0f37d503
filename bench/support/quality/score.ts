// How good answers are: whether what is right comes first, whether it comes at all, and what else comes. Pure.
import { mean } from '../statistics.ts';

export type Answer = { id: string; similarity: number };
export type Answered = { right: ReadonlySet<string>; answers: readonly Answer[] };

export type Score = {
  /** Percent of the questions for which there is a right answer: it is first; among the first three; there at all. */
  top1: number;
  top3: number;
  found: number;
  /** Percent of all right answers that came, where ten had room for them. */
  recall: number;
  /** Wrong answers to each of these questions, on average. */
  wrong: number;
  /** Answers to each question for which nothing is right, on average. */
  toNothing: number;
};

export function score(all: readonly Answered[]): Score {
  const answerable = all.filter(({ right }) => right.size > 0);
  const hopeless = all.filter(({ right }) => right.size === 0);
  return {
    top1: percent(answerable, (answered) => rightAmong(answered, 1) > 0),
    top3: percent(answerable, (answered) => rightAmong(answered, 3) > 0),
    found: percent(answerable, (answered) => rightAmong(answered, 10) > 0),
    recall: 100 * mean(answerable.map((answered) => rightAmong(answered, 10) / answered.right.size)),
    wrong: mean(answerable.map((answered) => answered.answers.length - rightAmong(answered, 10))),
    toNothing: hopeless.length === 0 ? 0 : mean(hopeless.map(({ answers }) => answers.length)),
  };
}

/** How many of the first answers are right. */
export function rightAmong({ right, answers }: Answered, first: number): number {
  return answers.slice(0, first).filter(({ id }) => right.has(id)).length;
}

function percent(all: readonly Answered[], isSo: (answered: Answered) => boolean): number {
  return (100 * all.filter(isSo).length) / all.length;
}

/** On average: of right answers, of the nearest wrong one of each question, and of all wrong ones. */
export type Similarities = { right: number; nearestWrong: number; wrong: number };

/** Of answers without a threshold. */
export function similarities(all: readonly Answered[]): Similarities {
  const parted = all
    .filter(({ right }) => right.size > 0)
    .map(({ right, answers }) => Object.groupBy(answers, ({ id }) => (right.has(id) ? 'right' : 'wrong')));
  const meanOf = (answers: readonly Answer[]): number => mean(answers.map(({ similarity }) => similarity));
  return {
    right: meanOf(parted.flatMap(({ right = [] }) => right)),
    nearestWrong: meanOf(parted.flatMap(({ wrong = [] }) => wrong.slice(0, 1))),
    wrong: meanOf(parted.flatMap(({ wrong = [] }) => wrong)),
  };
}
