//! Reads the queries and bodies of requests, and refuses bad ones with a sentence.

use crate::refused::Refused;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Json};
use serde::de::DeserializeOwned;

/// The query of a request; one that cannot be read is refused with a sentence.
pub(super) struct Asked<T>(pub(super) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut axum::http::request::Parts, state: &S) -> Result<Self, Refused> {
        let query = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        query
            .map(|query| Asked(query.0))
            .map_err(|error: QueryRejection| Refused::new(error.status(), "request", error.body_text()))
    }
}

/// The body of a request as JSON; one that cannot be read is refused with a sentence.
pub(super) struct Sent<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Sent<T> {
    type Rejection = Refused;

    async fn from_request(request: axum::extract::Request, state: &S) -> Result<Self, Refused> {
        let json = Json::<T>::from_request(request, state).await;
        json.map(|json| Sent(json.0))
            .map_err(|error: JsonRejection| Refused::new(error.status(), "request", error.body_text()))
    }
}
