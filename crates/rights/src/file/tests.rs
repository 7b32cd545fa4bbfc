//! Opens files whose indices ask for more memory than their values take.

use super::{FileIndex, HEAD_BYTES, RightsFile, RightsSummary, checksum_of, write_rights_file};
use crate::{RightsKey, RightsTable};
use std::path::Path;
use std::sync::Arc;
use variant::{Material, Metric, Variant};

/// A file with another index, whose checksum is right.
fn with_index(bytes: &[u8], json: impl FnOnce(FileIndex) -> Vec<u8>) -> Vec<u8> {
    let n_packed = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let (index, blocks) = bytes[HEAD_BYTES..].split_at(n_packed);
    let index = serde_json::from_slice(&zstd::stream::decode_all(index).unwrap()).unwrap();
    let index = zstd::bulk::compress(&json(index), 1).unwrap();
    let mut head = [&bytes[..12], &(index.len() as u32).to_le_bytes()].concat();
    head.extend(checksum_of(&head, &index));
    [head, index, blocks.to_vec()].concat()
}

#[test]
fn lengths_in_a_file_are_bounded_by_the_rules() {
    let (chess, folder) = (Variant::chess(), tempfile::tempdir().unwrap());
    let material = Material::parse(&chess, "KRvK").unwrap();
    let path = folder.path().join("KRvK.tsr");
    let table = |key: RightsKey| {
        let codes = vec![0; key.n_numbers(&chess) as usize];
        Arc::new(RightsTable::from_codes(&chess, key, codes))
    };
    let tables: Vec<_> = RightsKey::all(&chess, &material).into_iter().map(table).collect();
    write_rights_file(&path, &chess, &material, Metric::Dtm, &tables, "me").unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let open = |path: &Path| RightsFile::open(path, &chess, &material, Metric::Dtm).map(drop);
    assert!(open(&path).is_ok());
    #[track_caller]
    fn check(path: &Path, open: &dyn Fn(&Path) -> Result<(), crate::RightsError>, bytes: &[u8], word: &str) {
        std::fs::write(path, bytes).unwrap();
        let error = open(path).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
    for n_bytes in [u64::MAX, 1 << 40, 1 << 20] {
        let changed = with_index(&bytes, |mut index| {
            index.blocks[0].n_bytes = n_bytes;
            serde_json::to_vec(&index).unwrap()
        });
        check(&path, &open, &changed, "a block is longer than it can be");
    }
    for n_values in [u64::MAX, 1 << 40, 127] {
        let changed = with_index(&bytes, |mut index| {
            index.blocks[1].n_values = n_values;
            serde_json::to_vec(&index).unwrap()
        });
        check(&path, &open, &changed, "other choices of rights");
    }
    // Some kilobytes that unpack to many megabytes.
    let vast = with_index(&bytes, |_| vec![b' '; 17 << 20]);
    assert!(vast.len() < 1 << 20);
    check(&path, &open, &vast, "its index is damaged");
    assert!(RightsSummary::read(&path).is_err());
    // The length of the index is not believed either.
    let mut long = bytes.clone();
    for (n_bytes, what) in [(u32::MAX, "its index is longer than it can be"), (1 << 20, "it is cut short")] {
        long[12..16].copy_from_slice(&n_bytes.to_le_bytes());
        check(&path, &open, &long, what);
    }
}
