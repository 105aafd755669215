import { path } from './setting.ts';

export const INIT_SETTINGS = {
  QL3_INIT_SOURCE_ROOT: path('The projected volume to copy from'),
  QL3_INIT_PRIVATE_ROOT: path('The memory volume; the copies go to its folder private'),
  QL3_INIT_STATE_ROOT: path('The persistent volume that gets the state folders'),
} as const;
