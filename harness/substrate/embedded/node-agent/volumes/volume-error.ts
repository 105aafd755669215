/** A volume cannot be made yet: what it refers to is missing. The mount is tried again when that changes. */
export class VolumeNotReadyError extends Error {
  override readonly name = 'VolumeNotReadyError';
  readonly volume: string;

  constructor(volume: string, why: string) {
    super(`MountVolume.SetUp failed for volume "${volume}" : ${why}`);
    this.volume = volume;
  }
}
