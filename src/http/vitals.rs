//! Speed of the screens as browsers measure it (R-SHELL-4), recorded as metrics.

use axum::{extract::State, http::StatusCode};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Shared, accounts::check_limit, client::Network, error::Result, extract::JsonBody};
use crate::{domain::rule::Invalid, message};

/// Maximum number of figures of one page view: the web-vitals module has five, and may report some of them twice.
const FIGURES: usize = 20;

/// A figure of the web-vitals module.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
enum Name {
    /// Cumulative layout shift, a plain number.
    Cls,
    /// First contentful paint, milliseconds.
    Fcp,
    /// Interaction to next paint, milliseconds.
    Inp,
    /// Largest contentful paint, milliseconds.
    Lcp,
    /// Time to first byte, milliseconds.
    Ttfb,
}

/// Rating of a figure by the web-vitals module.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum Rating {
    Good,
    NeedsImprovement,
    Poor,
}

/// One measured figure.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Vital {
    name: Name,
    value: f64,
    rating: Rating,
}

/// Figures of one page view.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Vitals {
    #[schema(max_items = 20)]
    metrics: Vec<Vital>,
}

/// Record the speed of a page view.
#[utoipa::path(post, path = "/vitals", request_body = Vitals, responses((status = 204)))]
pub async fn record_vitals(
    State(app): State<Shared>,
    network: Network,
    JsonBody(vitals): JsonBody<Vitals>,
) -> Result<StatusCode> {
    check_limit(app.limits.vitals.take(&network))?;
    let sound = vitals.metrics.len() <= FIGURES && vitals.metrics.iter().all(|vital| vital.value.is_finite());
    if !sound {
        return Err(Invalid::field("metrics", message::too_many_figures(FIGURES)).into());
    }
    for vital in vitals.metrics {
        let labels =
            [("name", format!("{:?}", vital.name).to_uppercase()), ("rating", format!("{:?}", vital.rating))];
        metrics::histogram!("library_web_vital", &labels).record(vital.value);
    }
    Ok(StatusCode::NO_CONTENT)
}
