import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AddressPool } from './address-pool.ts';

describe('Pod addresses', () => {
  it('are loopback addresses of a range that no other cluster of the machine has', async () => {
    await using first = await AddressPool.claim();
    await using second = await AddressPool.claim();
    assert.notEqual(first.nodeAddress, second.nodeAddress);
    const addresses = [first.allocate(), first.allocate(), first.allocate()];
    assert.equal(new Set(addresses).size, 3);
    for (const address of addresses) assert.ok(address.startsWith(first.nodeAddress.replace(/\.1$/, '.')));
  });

  it('are not given to another Pod at once when one is released', async () => {
    await using pool = await AddressPool.claim();
    const address = pool.allocate();
    pool.release(address);
    assert.notEqual(pool.allocate(), address);
  });
});
