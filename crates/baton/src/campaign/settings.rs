//! The settings of a campaign: typed groups, each owned by its layer, and one way to write them.
//!
//! A method and a preset fill in everything. Rust changes fields; files, the command line and Python
//! write keys, `group.key` or the key alone, which lead through serde to the same fields. Numbers that
//! cannot be are refused by their types, so settings are valid at all times.

use super::aliases;
use super::method::Method;
use crate::acquisition::{OptimumGain, SearchSettings};
use crate::error::{Error, Result};
use crate::model::{ModelSettings, Preset};
use crate::policy::{Failures, PaperSettings, PolicySettings, Switch};
use crate::problem::{Count, Link, Share, UnitsSettings};
use crate::shared::TransferSettings;
use crate::words::found_and_expected;
use serde::Serialize;
use serde_json::{Map, Value};

/// How a campaign is run.
///
/// ```
/// use baton::{Method, Settings};
/// let mut settings = Settings::new(Method::Default).seed(7);
/// settings.policy.explore = Some(0.3.try_into()?);
/// settings.set("search.starts", "60")?; // as in files and on the command line
/// assert!(settings.set("particles", "4").is_err(), "this method has none");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    method: Method,
    preset: Preset,
    /// what random choices depend on
    pub seed: u64,
    /// with one seed, campaigns draw different numbers
    pub campaign: u64,
    /// of the values
    pub units: UnitsSettings,
    /// surrogate and its fit
    pub model: ModelSettings,
    /// acquisition and its search
    pub search: SearchSettings,
    /// what passes from task to task
    pub transfer: TransferSettings,
    /// rules that choose trials
    pub policy: PolicySettings,
    /// what only the paper's methods have
    pub paper: PaperSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self::new(Method::Default)
    }
}

impl Settings {
    /// The settings of a method with the preset it implies.
    pub fn new(method: Method) -> Self {
        Self::with_preset(method, method.implied_preset())
    }

    /// The settings of a method, with a preset or the one it implies, by their names.
    ///
    /// # Errors
    /// If there is no such method or preset.
    pub fn by_name(method: &str, preset: Option<&str>) -> Result<Self> {
        let method: Method = method.parse()?;
        let preset = preset.map_or(Ok(method.implied_preset()), str::parse)?;
        Ok(Self::with_preset(method, preset))
    }

    /// The settings of a method with a given preset.
    pub fn with_preset(method: Method, preset: Preset) -> Self {
        let (mut model, mut search) = match preset {
            Preset::Default => (ModelSettings::everyday(), SearchSettings::everyday()),
            Preset::Calibrated => (ModelSettings::calibrated(), SearchSettings::paper()),
            Preset::Paper => (ModelSettings::paper(), SearchSettings::paper()),
        };
        let (is_default, fitted) = (method == Method::Default, method.is_fitted());
        let carries = is_default && preset == Preset::Default;
        if fitted {
            // A fit that is never repeated would not be one to the task's data.
            model.refit_every = Count::literal(5);
        }
        if method == Method::TwoPhase {
            // (42) is written with the expected maximum and the noise-free entropy difference.
            search.optimum_gain = OptimumGain::Mes;
        }
        if carries {
            // One posterior is quickly climbed on; docs/performance.md has what fewer starts miss.
            search.starts = Count::literal(120);
        }
        let bent = preset == Preset::Default;
        let transfer = if carries { TransferSettings::compact() } else { TransferSettings::none() };
        let (mut policy, mut units) = (PolicySettings::plain(), UnitsSettings::by_values());
        if fitted {
            // Exploring and a link need the fitted model of a function that tasks share.
            policy.horizon = Some(0);
            policy.explore = Some(Share::literal(if carries { 0.5 } else { 0.0 }));
            units.link = Some(if bent { Link::Sinh } else { Link::Identity });
            policy.feasible = Some(Share::literal(0.95));
            policy.safe = Some(Share::literal(0.3));
            policy.failures = Some(Failures::Avoid);
        }
        for rule in method.policy().rules {
            let is_in = match rule.switch {
                Switch::On => true,
                Switch::OnWhereCarried => carries,
                Switch::ByNumber => continue,
            };
            policy.rules.insert(rule.name.to_owned(), is_in);
        }
        let paper = method.paper_settings(preset);
        Self { method, preset, seed: 0, campaign: 0, units, model, search, transfer, policy, paper }
    }

    /// The method.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The preset.
    pub fn preset(&self) -> Preset {
        self.preset
    }

    /// The same settings with another seed.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The same settings for another campaign: with one seed, campaigns draw different numbers.
    #[must_use]
    pub fn campaign(self, campaign: u64) -> Self {
        Self { campaign, ..self }
    }

    /// Changes one setting by its key, `group.key` or the key alone.
    ///
    /// # Errors
    /// If the method has no such key or the value cannot be used; nothing is changed then.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let mut tree = self.tree()?;
        for (path, value) in aliases::of(key, value) {
            put(&mut tree, &path, &value, self.method)
                .map_err(|reason| refused(key, &value, reason))?;
        }
        *self = self.read(tree).map_err(|error| {
            let told = error.to_string();
            let expected = found_and_expected(&told).map(|(_, expected)| expected.to_owned());
            refused(key, value, expected.map_or(told, |expected| format!("expected {expected}")))
        })?;
        Ok(())
    }

    /// The same from a record or a file, which may be of an earlier version: its keys that the method never
    /// used are passed over.
    ///
    /// # Errors
    /// As [`Settings::set`].
    pub fn set_recorded(&mut self, key: &str, value: &str) -> Result<()> {
        let passed_over = !self.has(key) && aliases::was_unused(key, value);
        if passed_over { Ok(()) } else { self.set(key, value) }
    }

    /// Whether the method has this key, `group.key` or the key alone.
    pub fn has(&self, key: &str) -> bool {
        let is_there = |tree: &Map<String, Value>| {
            aliases::of(key, "").iter().all(|(path, _)| find(tree, path).is_some())
        };
        self.tree().is_ok_and(|tree| is_there(&tree))
    }

    /// Every key, `group.key`, with its value: setting these again gives the same settings.
    pub fn entries(&self) -> Vec<(String, String)> {
        let names = [("method", self.method.name()), ("preset", self.preset.name())];
        let mut entries: Vec<(String, String)> =
            names.iter().map(|(key, name)| ((*key).to_owned(), (*name).to_owned())).collect();
        for (group, values) in self.tree().unwrap_or_default() {
            match values {
                Value::Object(values) => {
                    let set = values.into_iter().filter(|(_, value)| !value.is_null());
                    entries
                        .extend(set.map(|(key, value)| (format!("{group}.{key}"), text(&value))));
                }
                value => entries.push((group, text(&value))),
            }
        }
        entries
    }

    /// Every key of the method, for messages.
    pub fn keys(&self) -> Vec<String> {
        keys(&self.tree().unwrap_or_default())
    }

    /// The settings as groups of keys and values; what the method cannot use is not there.
    fn tree(&self) -> Result<Map<String, Value>> {
        let paper = self.paper.written().map_err(unwritable)?;
        let mut tree = Map::new();
        tree.insert("seed".into(), self.seed.into());
        tree.insert("campaign".into(), self.campaign.into());
        tree.insert("model".into(), written(&self.model)?);
        tree.insert("search".into(), written(&self.search)?);
        tree.insert("policy".into(), written(&self.policy)?);
        tree.insert("units".into(), written(&self.units)?);
        if self.method.is_fitted() {
            tree.insert("transfer".into(), written(&self.transfer)?);
        }
        tree.insert("paper".into(), paper);
        Ok(tree)
    }

    /// These settings with the values of a tree.
    fn read(&self, mut tree: Map<String, Value>) -> serde_json::Result<Self> {
        let transfer = tree.remove("transfer");
        let mut of = |key: &str| tree.remove(key).unwrap_or_default();
        Ok(Self {
            method: self.method,
            preset: self.preset,
            seed: serde_json::from_value(of("seed"))?,
            campaign: serde_json::from_value(of("campaign"))?,
            model: serde_json::from_value(of("model"))?,
            search: serde_json::from_value(of("search"))?,
            policy: serde_json::from_value(of("policy"))?,
            units: serde_json::from_value(of("units"))?,
            transfer: transfer.map_or(Ok(self.transfer), serde_json::from_value)?,
            paper: self.paper.read(of("paper"))?,
        })
    }
}

fn written<T: Serialize>(group: &T) -> Result<Value> {
    serde_json::to_value(group).map_err(unwritable)
}

#[allow(clippy::needless_pass_by_value)] // for map_err
fn unwritable(error: serde_json::Error) -> Error {
    refused("settings", "", error.to_string())
}

fn refused(key: &str, value: &str, reason: String) -> Error {
    Error::Setting { key: key.to_owned(), value: value.to_owned(), reason }
}

/// The place of a key, `group.key` or the key alone.
fn find(tree: &Map<String, Value>, key: &str) -> Option<(String, Option<String>)> {
    if let Some((group, key)) = key.split_once('.') {
        let is_there = tree.get(group)?.get(key).is_some();
        return is_there.then(|| (group.to_owned(), Some(key.to_owned())));
    }
    if tree.get(key).is_some_and(|value| !value.is_object()) {
        return Some((key.to_owned(), None));
    }
    let holds = |values: &Value| values.get(key).is_some();
    let (group, _) = tree.iter().find(|(_, values)| holds(values))?;
    Some((group.clone(), Some(key.to_owned())))
}

fn keys(tree: &Map<String, Value>) -> Vec<String> {
    let keys = tree.iter().flat_map(|(group, values)| match values {
        Value::Object(values) => values.keys().map(|key| format!("{group}.{key}")).collect(),
        _ => vec![group.clone()],
    });
    keys.collect()
}

/// Puts a value, written as text, into its place.
fn put(
    tree: &mut Map<String, Value>,
    key: &str,
    value: &str,
    method: Method,
) -> std::result::Result<(), String> {
    let Some((group, leaf)) = find(tree, key) else {
        let keys = keys(tree).join(", ");
        return Err(format!("the method {method} has no such key; its keys are {keys}"));
    };
    let slot = match leaf {
        Some(leaf) => tree.get_mut(&group).and_then(|values| values.get_mut(leaf)),
        None => tree.get_mut(&group),
    };
    if let Some(slot) = slot {
        *slot = parsed(value, slot);
    }
    Ok(())
}

/// Text as a value of the kind that is there.
fn parsed(text: &str, present: &Value) -> Value {
    let word = || Value::String(text.to_owned());
    let number = |text: &str| {
        let whole = text.trim().parse::<u64>().map(Value::from).ok();
        let real = || text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        whole.or_else(|| real().map(Value::from)).unwrap_or_else(word)
    };
    match present {
        Value::Bool(_) => text.parse().map_or_else(|_| word(), Value::Bool),
        Value::Array(_) => Value::Array(text.split(',').map(number).collect()),
        Value::String(_) if text.parse::<f64>().is_err() => word(),
        _ => number(text),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
        }
        value => value.to_string(),
    }
}
