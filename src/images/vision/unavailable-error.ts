// The runtime or a model is not there or does not load: neither the picture nor the request is at fault.
export class UnavailableError extends Error {}
