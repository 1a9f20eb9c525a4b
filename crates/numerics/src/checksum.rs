//! FNV-1a: a checksum against damage, not against malice.

/// Of all bytes so far; begin with [`START`]. Each step is one-to-one, so a single changed byte always
/// changes the result.
#[must_use]
pub fn fnv1a(so_far: u64, bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(so_far, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3))
}

/// Of no bytes.
pub const START: u64 = 0xCBF2_9CE4_8422_2325;
