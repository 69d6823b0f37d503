// What the service must ask the embedding server for, by name.

export const models = { captionModel: 'library-captions', embeddingModel: 'universal-sentence-encoder-lite' };
