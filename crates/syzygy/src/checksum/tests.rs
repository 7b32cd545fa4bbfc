//! Compares hashes with those that other programs compute.

use crate::checksum::{ChecksumKind, crc32c, hash_128, own_sum};

#[test]
fn cyclic_checks_are_those_of_the_standard() {
    // RFC 3720, B.4: 32 bytes of zeros, and of ones.
    let check = |word: u64| !(0..4).fold(!0, |sum, _| crc32c(sum, word));
    assert_eq!(check(0), 0x8a91_36aa);
    assert_eq!(check(!0), 0x62a8_ab43);
}

/// The numbers are those of the Python package `clickhouse-cityhash` 1.0.2.
#[track_caller]
fn check_hash(len: usize, expected: [u64; 2]) {
    let text: Vec<u8> = (0..len).map(|i| (7 * i + 3 * (i >> 3)) as u8).collect();
    assert_eq!(hash_128(&text), expected, "{len} bytes");
}

#[test]
fn hashes_are_those_of_the_reference() {
    check_hash(32, [0xc5dd_e6e2_0f23_a7d2, 0x3626_9f68_e9e4_d809]);
    check_hash(64, [0x5661_41fc_3d35_8484, 0x1a3c_d86a_deaf_3936]);
    check_hash(128, [0x1b46_c0a8_e30c_9462, 0x96c3_d9b9_ab0f_24db]);
    check_hash(143, [0x5958_1986_7fb3_e20c, 0x053c_57bc_3f55_56b6]);
    check_hash(144, [0x755c_61b9_7b4e_1092, 0x3641_92a2_8a75_9995]);
    check_hash(160, [0xbc6d_472c_8e6e_7ca8, 0x76c3_ad10_26a1_301c]);
    check_hash(320, [0xc9c7_85ff_8016_24f4, 0x8a42_965f_ecd9_32fc]);
    check_hash(896, [0xb722_cfae_e54d_86a1, 0x1b5a_6b2e_68bd_382c]);
}

#[test]
fn each_kind_of_checksum_is_recognised() {
    let genuine = std::fs::read("../../tests/cases/syzygy_genuine/KBvK.rtbw").expect("a file");
    let (content, sum) = genuine.split_at(64);
    assert_eq!(ChecksumKind::of(content, sum), Some(ChecksumKind::Generator));
    assert_eq!(ChecksumKind::of(content, &own_sum(content)), Some(ChecksumKind::Own));
    assert_eq!(ChecksumKind::of(content, &[0; 16]), Some(ChecksumKind::Absent));
    assert_eq!(ChecksumKind::of(&content[..63], sum), None);
    assert_eq!(ChecksumKind::of(&content[..63], &own_sum(content)), None);
    assert_eq!(ChecksumKind::of(b"", &[1; 16]), None);
}
