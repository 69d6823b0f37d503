// What every index of pictures must do, whatever database it stands in.
import { describe } from 'node:test';
import type { IndexUnderTest } from '../support/picture-index.ts';
import { pictureIndexMoments } from './picture-index-contract-moments.ts';
import { pictureIndexVectors } from './picture-index-contract-vectors.ts';
import { pictureIndexWords } from './picture-index-contract-words.ts';

export function pictureIndexContract(name: string, open: () => Promise<IndexUnderTest>): void {
  describe(name, () => {
    describe('vectors', () => pictureIndexVectors(open));
    describe('words', () => pictureIndexWords(open));
    describe('moments', () => pictureIndexMoments(open));
  });
}
