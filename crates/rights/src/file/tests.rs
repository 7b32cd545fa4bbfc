//! Opens files whose pages are not those that the rules ask for.

use super::{KIND, RightsFile, RightsSummary, page_key, rules_of, write_rights_file};
use crate::{RightsKey, RightsTable};
use format::{Head, PackedPage, write_container};
use std::sync::Arc;
use table::{Code, CodesRef};
use variant::{Material, Metric, Variant};

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
    let open = || RightsFile::open(&path, &chess, &material, Metric::Dtm);
    let summary = RightsSummary::read(&path).unwrap();
    let n_values = tables[0].codes().len();
    assert!(open().unwrap().table(tables[0].key()).unwrap().is_some());

    let page = |codes: CodesRef<'_>| PackedPage::new(page_key(0), codes, 1).unwrap();
    let head = Head { kind: KIND, identity: rules_of(&chess, &material, Metric::Dtm) };
    for n_codes in [0, n_values - 1, n_values + 1, 1 << 20] {
        write_container(&path, head, &summary, &[page(u16::borrowed(&vec![0; n_codes]))]).unwrap();
        for table in &tables {
            let error = open().unwrap().table(table.key()).unwrap_err().to_string();
            assert!(error.contains("is damaged"), "{error}");
        }
    }
    // Codes of one byte are none of such a file.
    write_container(&path, head, &summary, &[page(u8::borrowed(&vec![0; n_values]))]).unwrap();
    assert!(open().unwrap().table(tables[0].key()).is_err());
    let mut fewer = summary.clone();
    fewer.keys.pop();
    write_container(&path, head, &fewer, &[]).unwrap();
    assert!(open().unwrap_err().to_string().contains("other choices of rights"));
    // Some kilobytes that unpack to many megabytes.
    write_container(&path, head, &" ".repeat(17 << 20), &[]).unwrap();
    assert!(std::fs::metadata(&path).unwrap().len() < 1 << 20);
    assert!(open().unwrap_err().to_string().contains("is damaged"));
    assert!(RightsSummary::read(&path).is_err());
    write_container(&path, head, &"something else", &[]).unwrap();
    assert!(open().unwrap_err().to_string().contains("another version"));
}
