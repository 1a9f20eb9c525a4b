//! A campaign whose tasks are described: run, looked at, and asked about a task that is to come.

use crate::support::Scratch;

const FILE: &str = r#"
name = "wing"
seed = 3
[space]
x = { low = 0, high = 1 }
[descriptors]
reynolds = { low = 1e5, high = 1e7, log = true }
gas = { choices = ["air", "argon", "neon"] }
[objective]
goal = "minimize"
command = ["sh", "simulate.sh"]
[method]
candidates = 40
starts = 4
[[task]]
name = "slow"
budget = 8
describe = { reynolds = 2e5, gas = "air" }
[[task]]
name = "fast"
budget = 8
describe = { reynolds = 5000000 }
[[task]]
name = "cruise"
budget = 8
describe = { reynolds = 1e6 }
"#;

/// The best place is the share of the range at which the Reynolds number lies.
const SIMULATOR: &str = r#"read -r line
of() { printf '%s' "$line" | sed -n "s/.*\"$1\":\([0-9.eE+-]*\).*/\1/p"; }
awk -v x="$(of x)" -v r="$(of reynolds)" \
    'BEGIN { c = log(r / 1e5) / log(100); printf "{\"value\": %.17g}\n", (x - c)^2 }'
"#;

#[test]
fn a_task_to_come_is_predicted_from_its_description() {
    let scratch = Scratch::new("described");
    scratch.write("wing.toml", FILE);
    scratch.write("simulate.sh", SIMULATOR);
    scratch.done(&["run", "wing.toml"]);
    let status = scratch.done(&["status", "wing.toml"]);
    assert!(
        status.contains("described as") && status.contains("gas=air reynolds=200000"),
        "{status}"
    );
    let json = scratch.json(&["status", "wing.toml", "--json"]);
    assert_eq!(json["tasks"][1]["describe"]["reynolds"], 5e6);
    let told = scratch.done(&["predict", "wing.toml", "--describe", "reynolds=2e6"]);
    for part in ["point to use  x=", "90 % between", "nearest       the task \"", "descriptors   "]
    {
        assert!(told.contains(part), "{part}\nis missing in\n{told}");
    }
    let asked = ["predict", "wing.toml", "--describe=reynolds=1e6", "--describe=gas=air"];
    let json =
        scratch.json(&[&asked[..], &["--over", "reynolds", "--points", "3", "--json"]].concat());
    let x = json["expected"]["point"]["x"].as_f64().unwrap();
    assert!((x - 0.5).abs() < 0.1, "{json}");
    assert_eq!(json["nearest"]["task"], "cruise");
    assert_eq!(json["over"]["curve"].as_array().unwrap().len(), 3);
    let at = |i: usize| json["over"]["curve"][i]["expected"]["point"]["x"].as_f64().unwrap();
    assert!(at(0) < at(1) && at(1) < at(2), "{json}");
    scratch.write(
        "hourly.toml",
        &FILE.replace("\"wing\"", "\"hourly\"").replace("budget = 8", "budget = 20"),
    );
    for reynolds in ["1.5e5", "5e6", "1e6", "3e5", "2e6", "7e6", "5e5", "1e5", "9e6"] {
        let context = format!("reynolds={reynolds}");
        let trial = scratch.json(&["ask", "hourly.toml", "--context", &context, "--json"]);
        assert_eq!(trial["describe"]["gas"], "air");
        let (x, said) = (&trial["point"]["x"], &trial["describe"]["reynolds"]);
        let [x, said] = [x, said].map(|number| number.as_f64().unwrap());
        let value = (x - (said / 1e5).log10() / 2.0).powi(2).to_string();
        scratch.done(&["tell", &trial["trial"].to_string(), &value, "hourly.toml"]);
    }
    let best = |reynolds: &str| {
        let context = format!("reynolds={reynolds}");
        let json = scratch.json(&["best", "hourly.toml", "--context", &context, "--json"]);
        json["tasks"][0]["recommended"]["point"]["x"].as_f64().unwrap()
    };
    assert!(best("2e5") + 0.2 < best("5e6"));
    let refused = |description: &str| {
        scratch.refused(2, &["predict", "wing.toml", "--describe", description])
    };
    assert!(refused("raynolds=1e6").contains("the descriptors are reynolds, gas"));
    assert!(refused("reynolds=1e8").contains("is not one of its values"));
    assert!(refused("gas=helium").contains("air, argon, neon"));
    assert!(refused("reynolds").contains("DESCRIPTOR=VALUE"));
    let plain = FILE.replace("[descriptors]", "").replace("name = \"wing\"", "name = \"plain\"");
    let kept =
        |line: &&str| !["describe", "reynolds", "gas"].iter().any(|key| line.starts_with(key));
    scratch.write("plain.toml", &plain.lines().filter(kept).collect::<Vec<_>>().join("\n"));
    scratch.done(&["ask", "plain.toml"]);
    let refused = scratch.refused(2, &["predict", "plain.toml"]);
    assert!(
        refused.contains("are not described") && refused.contains("[descriptors]"),
        "{refused}"
    );
}
