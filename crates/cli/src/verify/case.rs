//! The format of a file of reference values, as in `reference/README.md`.
//!
//! Everything under `expect` is either compared or refused: unknown keys are errors.

use serde::Deserialize;

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
    pub negative_log_evidence: Option<Vec<f64>>,
    pub gradient: Option<Vec<Vec<f64>>>,
    pub mean: Option<Vec<Table>>,
    pub variance: Option<Vec<Table>>,
    pub covariance_with_top: Option<Vec<Table>>,
    pub gumbel: Option<ExpectGumbel>,
    pub gain_printed: Option<Table>,
    pub gain_corrected: Option<Table>,
    pub gain_noisy: Option<Table>,
    pub gain_gibbon: Option<Table>,
    pub transfer_printed: Option<Table>,
    pub transfer_noisy: Option<Table>,
    pub transfer_exact: Option<Table>,
    pub acquisition: Option<ExpectAcquisition>,
    pub batch_information: Option<ExpectBatch>,
    pub kde: Option<ExpectKde>,
    pub svgd: Option<ExpectSvgd>,
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
