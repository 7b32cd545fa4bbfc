//! Compares a JSON value with a schema of the OpenAPI document.
//!
//! It knows the words of JSON Schema that the document uses, and refuses every other one, so that nothing is
//! taken for checked that is not.

use serde_json::Value;

/// Everything in a value that is not as a schema says; `document` has the components.
pub(super) fn faults(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    Checker { document, faults: &mut faults }.check(schema, value, "");
    faults
}

struct Checker<'a> {
    document: &'a Value,
    faults: &'a mut Vec<String>,
}

impl Checker<'_> {
    fn check(&mut self, schema: &Value, value: &Value, at: &str) {
        for (word, says) in schema.as_object().expect("a schema is an object") {
            match word.as_str() {
                "description" => {}
                "$ref" => {
                    let pointer =
                        says.as_str().and_then(|target| target.strip_prefix('#')).expect("a local reference");
                    let target =
                        self.document.pointer(pointer).unwrap_or_else(|| panic!("{pointer} leads nowhere"));
                    self.check(target, value, at);
                }
                "type" => {
                    let is = |name: &Value| is_of_type(name.as_str().expect("a type"), value);
                    let fits = says.as_array().map_or_else(|| is(says), |names| names.iter().any(is));
                    self.hold(fits, || format!("{at} is {value}, expected {says}"));
                }
                "enum" => {
                    let fits = says.as_array().expect("a list").contains(value);
                    self.hold(fits, || format!("{at} is {value}, expected one of {says}"));
                }
                "minimum" => {
                    let fits = value.as_i64().is_none_or(|n| n >= says.as_i64().expect("a number"));
                    self.hold(fits, || format!("{at} is {value}, less than {says}"));
                }
                "items" => {
                    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(says, item, &format!("{at}/{i}"));
                    }
                }
                "required" => {
                    for key in says.as_array().expect("a list").iter().filter_map(Value::as_str) {
                        self.hold(value.get(key).is_some(), || format!("{at} has no `{key}`"));
                    }
                }
                "properties" => {
                    for (key, schema) in says.as_object().expect("an object") {
                        if let Some(inner) = value.get(key) {
                            self.check(schema, inner, &format!("{at}/{key}"));
                        }
                    }
                }
                "additionalProperties" => {
                    assert_eq!(says, &Value::Bool(false), "the document closes its objects");
                    for key in value.as_object().into_iter().flat_map(|object| object.keys()) {
                        self.hold(schema["properties"].get(key).is_some(), || format!("{at} has `{key}`"));
                    }
                }
                "oneOf" => {
                    let fits = says.as_array().expect("a list").iter();
                    let n = fits.filter(|schema| faults(self.document, schema, value).is_empty()).count();
                    self.hold(n == 1, || {
                        format!("{at} fits {n} of {} schemas", says.as_array().map_or(0, Vec::len))
                    });
                }
                other => panic!("the test does not know `{other}`"),
            }
        }
    }

    fn hold(&mut self, is_right: bool, says: impl FnOnce() -> String) {
        if !is_right {
            self.faults.push(says());
        }
    }
}

fn is_of_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("there is no type `{other}`"),
    }
}

#[test]
fn faults_are_found() {
    let document = serde_json::json!({});
    let schema = serde_json::json!({
        "type": "object", "additionalProperties": false, "required": ["a"],
        "properties": { "a": { "type": ["integer", "null"], "minimum": 1 } },
    });
    let n = |value| faults(&document, &schema, &value).len();
    assert_eq!(n(serde_json::json!({ "a": 1 })), 0);
    assert_eq!(n(serde_json::json!({ "a": null })), 0);
    assert_eq!(n(serde_json::json!({ "a": 0 })), 1);
    assert_eq!(n(serde_json::json!({ "a": "x", "b": 1 })), 2);
    assert_eq!(n(serde_json::json!({})), 1);
    assert_eq!(n(serde_json::json!([])), 2);
}
