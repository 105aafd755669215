import type { Witness } from './observation.ts';

/** Each witness in words, and why it can be believed. */
export const WITNESS_WORDS: Readonly<Record<Witness, { readonly name: string; readonly standing: string }>> = {
  harness: { name: 'harness', standing: 'the program that made the run; what it says of itself alone proves nothing about the product' },
  'api-audit': { name: 'API server audit', standing: "the API server's own log of who asked for what, when, and with which answer" },
  'api-watch': { name: 'watch', standing: 'states of objects as the API server sent them, in the order of their coming' },
  'api-read': { name: 'API server', standing: 'single answers of the API server' },
  database: { name: 'database', standing: 'rows, settings and refusals of PostgreSQL, read by a connection of its own' },
  process: { name: 'process', standing: 'lines that the product printed about itself' },
  ingress: { name: 'ingress', standing: 'lines of Cluster Control about certificates and requests that reached it' },
  docker: { name: 'Docker Engine', standing: 'the container engine about containers and images' },
  node: { name: 'kubelet and runtime', standing: "the node's runtime about containers and images" },
  probe: { name: 'probe', standing: 'an attempt that the run made and what came back; another witness must agree' },
};
