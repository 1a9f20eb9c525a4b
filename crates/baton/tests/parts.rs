//! What the parts of the library do, each by what is public of it.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that unwraps fails with the reason at hand

#[path = "parts/batch.rs"]
mod batch;
#[path = "parts/conditions.rs"]
mod conditions;
#[path = "parts/criterion.rs"]
mod criterion;
#[path = "parts/descriptors.rs"]
mod descriptors;
#[path = "parts/evidence.rs"]
mod evidence;
#[path = "parts/format.rs"]
mod format;
#[path = "parts/functions.rs"]
mod functions;
#[path = "parts/history.rs"]
mod history;
#[path = "parts/inspect.rs"]
mod inspect;
#[path = "parts/left_out.rs"]
mod left_out;
#[path = "parts/map.rs"]
mod map;
#[path = "parts/mixture.rs"]
mod mixture;
#[path = "parts/optimum_gain.rs"]
mod optimum_gain;
#[path = "parts/posterior.rs"]
mod posterior;
#[path = "parts/posterior_mean.rs"]
mod posterior_mean;
#[path = "parts/prior.rs"]
mod prior;
#[path = "parts/quality.rs"]
mod quality;
#[path = "parts/space.rs"]
mod space;
#[path = "parts/svgd.rs"]
mod svgd;
#[path = "parts/testing.rs"]
mod testing;
#[path = "parts/transfer_gain.rs"]
mod transfer_gain;
