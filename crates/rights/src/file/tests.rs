//! Opens files whose pages are not those that the rules ask for.

use super::RightsFile;
use crate::RightsKey;
use format::{FormatError, Metadata, write_rights};
use variant::{Material, Metric, Variant};

#[test]
fn lengths_in_a_file_are_bounded_by_the_rules() {
    let (chess, folder) = (Variant::chess(), tempfile::tempdir().unwrap());
    let material = Material::parse(&chess, "KRvK").unwrap();
    let path = folder.path().join("KRvK.tsm");
    let keys = RightsKey::all(&chess, &material);
    let n_values = keys[0].n_numbers(&chess) as usize;
    let write = |names: &[&str], n_codes| {
        let codes = vec![0; n_codes];
        let choices: Vec<(String, &[u16])> =
            names.iter().map(|name| (name.to_string(), &codes[..])).collect();
        write_rights(&path, &chess, &material, Metric::Dtm, &choices, Metadata::default()).unwrap();
        RightsFile::open(&path, &chess, &material, Metric::Dtm)
    };
    let names = ["Ke1Rh1 k", "Ra1Ke1 k"];
    let file = write(&names, n_values).unwrap();
    assert!(file.table(&keys[0]).unwrap().is_some() && file.tables().unwrap().len() == keys.len());
    for n_codes in [0, n_values - 1, n_values + 1, 1 << 20] {
        let file = write(&names, n_codes).unwrap();
        for key in &keys {
            let error = file.table(key).unwrap_err();
            assert!(error.is_damage() && error.to_string().contains(&key.name(&chess)), "{error}");
        }
    }
    for names in [&names[..1], &[], &["Ra1Ke1 k", "Ke1Rh1 k"], &["Ke1Rh1 k", "Ra1Ke1 k", "Ke1Rh1 k"]] {
        assert!(matches!(write(names, n_values), Err(FormatError::RightsDamaged { .. })), "{names:?}");
    }
}
