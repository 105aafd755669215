/** Where a run would happen. */
export const SUBSTRATE_OPTION = {
  value: 'SUBSTRATE',
  choices: ['embedded', 'k3s'],
  description: 'embedded: this machine alone, a rehearsal; k3s: Docker, the release path',
} as const;
