//! Keys of earlier versions, which had one flat list of them.

/// What a key was called, and what it is called now. `widths` meant the deep kernel too.
const RENAMED: [(&str, &[&str]); 5] = [
    ("transfer", &["transfer.function"]),
    ("cover", &["policy.gap"]),
    ("guard", &["transfer.guard", "policy.owed_fidelity"]),
    ("hills", &["policy.past_optima", "policy.survey"]),
    ("widths", &["model.widths"]),
];

/// The keys that a key stands for, with their values.
pub(super) fn of(key: &str, value: &str) -> Vec<(String, String)> {
    let renamed = RENAMED.iter().find(|(old, _)| *old == key);
    let Some((_, now)) = renamed else { return vec![(key.to_owned(), value.to_owned())] };
    let mut all: Vec<(String, String)> =
        now.iter().map(|key| ((*key).to_owned(), value.to_owned())).collect();
    if key == "widths" {
        all.push(("model.kernel".into(), "deep".into()));
    }
    all
}

/// They switched a part that is gone.
const GONE: [&str; 2] = ["population_prior", "transfer.population_prior"];

/// Whether a key of an earlier version, which wrote all keys of all methods, said nothing for the method
/// it was written with: numbers of particles that it did not have, rules that were off, parts that are gone.
pub(super) fn was_unused(key: &str, value: &str) -> bool {
    let particles = ["c", "particles", "kde_variance", "batch_from_particles"];
    let off = [
        ("beta", "0"),
        ("link", "identity"),
        ("transfer", "none"),
        ("guard", "true"),
        ("hills", "true"),
        ("cover", "false"),
        ("confirm", "false"),
        ("drift", "0"),
        ("explore", "0"),
    ];
    (GONE.contains(&key) && ["true", "false"].contains(&value))
        || particles.contains(&key)
        || key.starts_with("svgd_")
        || key == "horizon"
        || off.contains(&(key, value))
}
