/** Writes the generated tables of README.md anew; what they say in README.zh-CN.md is translated by hand. */
import { readFileSync, writeFileSync } from 'node:fs';
import { readmeTables, withSection } from './readme-tables.ts';

const path = new URL('../../README.md', import.meta.url);
const tables = Object.entries(await readmeTables());
writeFileSync(path, tables.reduce((readme, [name, content]) => withSection(readme, name, content), readFileSync(path, 'utf8')));
