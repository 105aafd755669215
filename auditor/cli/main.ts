#!/usr/bin/env node
import { writeFileSync } from '../input/file-system.ts';
import { audit } from './audit.ts';

// straight to the descriptor: setting up the process's streams would take longer than the audit
void audit(process.argv.slice(2), (descriptor, text) => writeFileSync(descriptor, text)).then((code) => {
  process.exitCode = code;
});
