//! The format of a file of reference values, as in `reference/README.md`.
//!
//! Everything under `expect` is either compared or refused: unknown keys are errors.

use serde::{Deserialize, Deserializer};

/// `[fidelity][point]`
pub type Table = Vec<Vec<f64>>;

/// One model with data and what is expected of it.
#[derive(Debug, Deserialize)]
pub struct Case {
    pub name: String,
    pub kernel: String,
    pub layout: Vec<LayoutBlock>,
    pub dimension: usize,
    pub fidelities: usize,
    pub noise_variance: Vec<f64>,
    pub x: Vec<Vec<f64>>,
    /// counted from 1
    pub fidelity: Vec<usize>,
    pub y: Vec<f64>,
    pub particles: Vec<Vec<f64>>,
    pub query_x: Vec<Vec<f64>>,
    pub expect: Expect,
}

#[derive(Debug, Deserialize)]
pub struct LayoutBlock {
    pub name: String,
    pub shape: Vec<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    #[serde(default, deserialize_with = "present")]
    pub negative_log_evidence: Option<Vec<f64>>,
    #[serde(default, deserialize_with = "present")]
    pub gradient: Option<Vec<Vec<f64>>>,
    #[serde(default, deserialize_with = "present")]
    pub mean: Option<Vec<Table>>,
    #[serde(default, deserialize_with = "present")]
    pub variance: Option<Vec<Table>>,
    #[serde(default, deserialize_with = "present")]
    pub covariance_with_top: Option<Vec<Table>>,
    #[serde(default, deserialize_with = "present")]
    pub gumbel: Option<ExpectGumbel>,
    #[serde(default, deserialize_with = "present")]
    pub gain_printed: Option<Table>,
    #[serde(default, deserialize_with = "present")]
    pub gain_corrected: Option<Table>,
    #[serde(default, deserialize_with = "present")]
    pub gain_noisy: Option<Table>,
    #[serde(default, deserialize_with = "present")]
    pub gain_gibbon: Option<Table>,
    #[serde(default, deserialize_with = "present")]
    pub transfer_printed: Option<Table>,
    #[serde(default, deserialize_with = "present")]
    pub transfer_noisy: Option<Table>,
    #[serde(default, deserialize_with = "present")]
    pub transfer_exact: Option<Table>,
    #[serde(default, deserialize_with = "present")]
    pub acquisition: Option<ExpectAcquisition>,
    #[serde(default, deserialize_with = "present")]
    pub batch_information: Option<ExpectBatch>,
    #[serde(default, deserialize_with = "present")]
    pub kde: Option<ExpectKde>,
    #[serde(default, deserialize_with = "present")]
    pub svgd: Option<ExpectSvgd>,
}

/// A quantity may be left out, but not be `null`: that would be an expectation nobody compares.
fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectGumbel {
    pub candidates: Vec<Vec<f64>>,
    pub quantiles: Vec<Vec<f64>>,
    pub location: Vec<f64>,
    pub scale: Vec<f64>,
    pub uniforms: Vec<Vec<f64>>,
    pub max_values: Vec<Vec<f64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectAcquisition {
    pub beta: f64,
    /// at the first query points, as many as there are columns
    pub value: Table,
    pub gradient_x: Vec<Vec<Vec<f64>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectBatch {
    pub x: Vec<Vec<f64>>,
    pub value: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectKde {
    pub centres: Vec<Vec<f64>>,
    pub bandwidth_variance: f64,
    pub score: Vec<Vec<f64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectSvgd {
    pub median_bandwidth: f64,
    pub direction_at_h_1_over_1_326: Vec<Vec<f64>>,
    pub direction_at_median: Vec<Vec<f64>>,
}
