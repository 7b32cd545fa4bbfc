//! Refuses a request with a status and a sentence, as JSON or as plain text.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use library::{LibraryError, Refusal};
use position::FenError;
use probe::ProbeError;
use serde::Serialize;

/// Why a request has no answer.
#[derive(Clone, Debug)]
pub(crate) struct HttpRefusal {
    pub(crate) status: StatusCode,
    /// The kind, for machines.
    pub(crate) kind: &'static str,
    pub(crate) message: String,
}

/// A refusal whose message is the whole body, as clients of Lichess's tablebase expect it.
pub(crate) struct Plain(pub(crate) HttpRefusal);

#[derive(Serialize)]
struct Body<'a> {
    error: &'a str,
    message: &'a str,
}

impl HttpRefusal {
    pub(crate) fn new(status: StatusCode, kind: &'static str, message: impl Into<String>) -> Self {
        HttpRefusal { status, kind, message: message.into() }
    }

    /// The request asks for what cannot be.
    pub(crate) fn bad(message: impl Into<String>) -> Self {
        HttpRefusal::new(StatusCode::BAD_REQUEST, "request", message)
    }

    /// What is asked for is not here.
    pub(crate) fn absent(message: impl Into<String>) -> Self {
        HttpRefusal::new(StatusCode::NOT_FOUND, "not found", message)
    }
}

impl From<Refusal> for HttpRefusal {
    fn from(refusal: Refusal) -> Self {
        let status = match &refusal {
            Refusal::NotBuilt(_) | Refusal::Castling(_) | Refusal::Open(_) => StatusCode::NOT_FOUND,
            Refusal::Damaged(_) => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::BAD_REQUEST,
        };
        HttpRefusal::new(status, refusal.kind(), refusal.to_string())
    }
}

impl From<ProbeError> for HttpRefusal {
    fn from(error: ProbeError) -> Self {
        Refusal::from(error).into()
    }
}

impl From<FenError> for HttpRefusal {
    fn from(error: FenError) -> Self {
        Refusal::from(error).into()
    }
}

impl From<LibraryError> for HttpRefusal {
    fn from(error: LibraryError) -> Self {
        HttpRefusal::new(StatusCode::INTERNAL_SERVER_ERROR, "damaged", error.to_string())
    }
}

impl IntoResponse for HttpRefusal {
    fn into_response(self) -> Response {
        (self.status, Json(Body { error: self.kind, message: &self.message })).into_response()
    }
}

impl IntoResponse for Plain {
    fn into_response(self) -> Response {
        (self.0.status, self.0.message).into_response()
    }
}

impl From<HttpRefusal> for Plain {
    fn from(refused: HttpRefusal) -> Self {
        Plain(refused)
    }
}
