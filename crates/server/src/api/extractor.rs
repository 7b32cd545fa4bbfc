//! Reads the queries and bodies of requests, and refuses bad ones with a sentence.

use crate::desk::too_large;
use crate::refusal::HttpRefusal;
use crate::state::Server;
use axum::body::Body;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Json};
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

/// The query of a request; one that cannot be read is refused with a sentence.
pub(super) struct QueryParameters<T>(pub(super) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for QueryParameters<T> {
    type Rejection = HttpRefusal;

    async fn from_request_parts(
        parts: &mut axum::http::request::Parts,
        state: &S,
    ) -> Result<Self, HttpRefusal> {
        let query = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        query
            .map(|query| QueryParameters(query.0))
            .map_err(|error: QueryRejection| HttpRefusal::new(error.status(), "request", error.body_text()))
    }
}

/// The body of a request as JSON, and its bytes of the allowance that all requests share; one that cannot be
/// read, or comes too slowly, is refused with a sentence.
pub(super) struct RequestBody<T>(pub(super) T, pub(super) OwnedSemaphorePermit);

impl<T: DeserializeOwned> FromRequest<Arc<Server>> for RequestBody<T> {
    type Rejection = HttpRefusal;

    async fn from_request(
        request: axum::extract::Request,
        server: &Arc<Server>,
    ) -> Result<Self, HttpRefusal> {
        let (most, time) = (server.options.body_bytes, server.options.head_time);
        let length = request.headers().get(header::CONTENT_LENGTH);
        let length: Option<usize> = length.and_then(|length| length.to_str().ok()?.parse().ok());
        if length.is_some_and(|length| length > most) {
            return Err(too_large(most));
        }
        let (parts, body) = request.into_parts();
        let received = timeout(time, server.desk.receive(body, most)).await;
        let (bytes, received) = received.map_err(|_| {
            let message =
                format!("the body took more than {} seconds to arrive; send it at once", time.as_secs());
            HttpRefusal::new(StatusCode::REQUEST_TIMEOUT, "request", message)
        })??;
        let request = axum::extract::Request::from_parts(parts, Body::from(bytes));
        let json = Json::<T>::from_request(request, server).await;
        json.map(|json| RequestBody(json.0, received))
            .map_err(|error: JsonRejection| HttpRefusal::new(error.status(), "request", error.body_text()))
    }
}
