import { openPostgresTempIndex, openTempIndex } from '../support/picture-index.ts';
import { pictureIndexContract } from './picture-index-contract.ts';

pictureIndexContract('the index in SQLite', openTempIndex);
pictureIndexContract('the index in PostgreSQL', () => openPostgresTempIndex());
