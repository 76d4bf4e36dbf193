//! What is inside the programs, for programs: a `CycloneDX` list of packages.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::packages::{Inventory, Package};

/// The document (`CycloneDX` 1.5) for an inventory; `lock` is the text of `Cargo.lock`, which has the checksums.
pub(super) fn document(inventory: &Inventory, lock: &str, version: &str) -> Value {
    let checksums = checksums(lock);
    let packages = inventory.packages.values();
    let components: Vec<_> = packages.map(|one| component(one, &checksums)).collect();
    let reference = |id: &String| inventory.packages.get(id).map(url);
    let dependencies: Vec<_> = inventory
        .stands_on
        .iter()
        .filter_map(|(id, below)| {
            let below: Vec<_> = below.iter().filter_map(reference).collect();
            Some(json!({ "ref": reference(id)?, "dependsOn": below }))
        })
        .collect();
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "yaneura-programs",
                "name": "yaneura",
                "version": version,
                "licenses": [{ "expression": "MIT OR Apache-2.0" }],
            },
        },
        "components": components,
        "dependencies": dependencies,
    })
}

fn component(package: &Package, checksums: &BTreeMap<(&str, &str), &str>) -> Value {
    let is_program = package.targets("bin").next().is_some() && package.source.is_none();
    let mut component = json!({
        "type": if is_program { "application" } else { "library" },
        "bom-ref": url(package),
        "name": package.name,
        "version": package.version,
        "purl": url(package),
    });
    if let Some(licence) = &package.license {
        // Older packages write a slash.
        let expression = licence.replace(" / ", "/").replace('/', " OR ");
        component["licenses"] = json!([{ "expression": expression }]);
    }
    if let Some(checksum) = checksums.get(&(package.name.as_str(), package.version.as_str())) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    component
}

/// The name of a package among those of all languages.
fn url(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version)
}

/// The checksums of packages, by name and version.
fn checksums(lock: &str) -> BTreeMap<(&str, &str), &str> {
    let value = |block: &'_ str, key: &str| -> Option<(usize, usize)> {
        let begin = block.find(&format!("\n{key} = \""))? + key.len() + 5;
        Some((begin, begin + block[begin..].find('"')?))
    };
    let blocks = lock.split("[[package]]");
    blocks
        .filter_map(|block| {
            let get = |key| value(block, key).map(|(begin, end)| &block[begin..end]);
            Some(((get("name")?, get("version")?), get("checksum")?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "version = 4\n\n[[package]]\nname = \"far\"\nversion = \"1.0.0\"\n\
        source = \"registry\"\nchecksum = \"c0ffee\"\n\n[[package]]\nname = \"play\"\nversion = \"1.0.0\"\n";

    #[test]
    fn packages_are_listed_with_what_they_stand_on() {
        let bom = document(&crate::packages::tests::inventory(), LOCK, "0.1.0");
        let components = bom["components"].as_array().unwrap();
        assert_eq!(components.len(), 3);
        assert_eq!(
            components[0],
            json!({
                "type": "library", "bom-ref": "pkg:cargo/far@1.0.0", "name": "far", "version": "1.0.0",
                "purl": "pkg:cargo/far@1.0.0", "licenses": [{ "expression": "MIT OR Apache-2.0" }],
                "hashes": [{ "alg": "SHA-256", "content": "c0ffee" }],
            })
        );
        assert_eq!(components[1]["type"], "application");
        assert_eq!(components[1]["hashes"], Value::Null);
        let edges = bom["dependencies"].as_array().unwrap();
        let play = json!({ "ref": "pkg:cargo/play@1.0.0", "dependsOn": ["pkg:cargo/rules@1.0.0"] });
        assert!(edges.contains(&play), "{edges:?}");
    }
}
