//! The API as a whole: which routes there are, their description, and what every request passes.

use crate::guard::{guard, strict_headers};
use crate::journal::record;
use crate::office::Office;
use crate::problem::Problem;
use crate::routes::{
    LARGEST_BODY, campaigns, care, events, insight, knowledge, model, operation, pages, predict,
    tasks, trials,
};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderValue, Method, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::sync::Arc;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::CorsLayer;
use utoipa::OpenApi;
use utoipa::openapi::OpenApi as Description;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

#[derive(OpenApi)]
#[openapi(
    info(title = "Baton", description = "Campaigns of related, expensive tasks: ask, tell and look."),
    components(schemas(Problem)),
    security(("bearer" = [])),
    tags((name = "campaigns"), (name = "tasks"), (name = "trials"), (name = "model"),
         (name = "knowledge"), (name = "events"), (name = "operation"))
)]
struct Api;

fn api() -> OpenApiRouter<Arc<Office>> {
    OpenApiRouter::with_openapi(Api::openapi())
        .routes(routes!(campaigns::list))
        .routes(routes!(campaigns::show, campaigns::put, care::delete))
        .routes(routes!(care::rename))
        .routes(routes!(care::archive))
        .routes(routes!(campaigns::ask))
        .routes(routes!(care::release))
        .routes(routes!(campaigns::ledger))
        .routes(routes!(tasks::show))
        .routes(routes!(tasks::pause))
        .routes(routes!(tasks::go_on))
        .routes(routes!(tasks::budget))
        .routes(routes!(tasks::finish))
        .routes(routes!(care::annotate_task))
        .routes(routes!(trials::list, trials::propose))
        .routes(routes!(trials::show))
        .routes(routes!(trials::tell))
        .routes(routes!(trials::fail))
        .routes(routes!(care::annotate_trial))
        .routes(routes!(model::slices))
        .routes(routes!(model::recommendation))
        .routes(routes!(model::next))
        .routes(routes!(insight::insight))
        .routes(routes!(predict::predict))
        .routes(routes!(knowledge::show))
        .routes(routes!(knowledge::file))
        .routes(routes!(events::of_campaign))
        .routes(routes!(events::of_all))
        .routes(routes!(operation::health))
        .routes(routes!(operation::live))
        .routes(routes!(operation::ready))
        .routes(routes!(operation::metrics))
}

/// The `OpenAPI` document.
fn description() -> Description {
    let mut description = api().into_openapi();
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer);
    let bearer = bearer.description(Some("needed where the service has tokens")).build();
    let components = description.components.get_or_insert_default();
    components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
    description
}

/// The description of this API.
async fn openapi() -> Response {
    axum::Json(description()).into_response()
}

/// All routes, guarded.
pub fn app(office: &Arc<Office>) -> Router {
    let (routes, _) = api().split_for_parts();
    routes
        .route("/openapi.json", get(openapi))
        .fallback(get(pages::page))
        .method_not_allowed_fallback(pages::wrong_method)
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(from_fn_with_state(Arc::clone(office), guard))
        .layer(CatchPanicLayer::custom(|_: Box<dyn std::any::Any + Send>| {
            Problem::internal("serve the request", "it broke").into_response()
        }))
        .layer(cors(office.access.origins()))
        .layer(from_fn(strict_headers))
        .layer(from_fn_with_state(Arc::clone(office), record))
        .with_state(Arc::clone(office))
}

/// Pages of other origins are let in by name only.
fn cors(origins: &[String]) -> CorsLayer {
    let named = origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok());
    CorsLayer::new()
        .allow_origin(named.collect::<Vec<_>>())
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::DELETE])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            header::HeaderName::from_static("idempotency-key"),
        ])
}
