//! What strangers see of a failure outside the skills; the log gets the whole chain.

use chimera_core::ports::StoreError;
use rmcp::ErrorData;

/// The longest piece of a caller's own text that is repeated to it.
const ECHOED_CHARS_MAX: usize = 80;

pub(super) fn store_failed(error: &StoreError) -> ErrorData {
    tracing::error!(error = error as &dyn std::error::Error, "the store failed while a record was read");
    ErrorData::internal_error("the records cannot be read now; the server's log has the cause, and the request may be tried again", None)
}

pub(super) fn too_large(bytes: usize, limit_bytes: usize) -> ErrorData {
    ErrorData::internal_error(format!("the answer has {bytes} bytes, and at most {limit_bytes} are sent"), None)
}

pub(super) fn invalid(problem: String) -> ErrorData {
    ErrorData::invalid_params(problem, None)
}

/// A caller's text, short enough and with control characters made visible, for an error message.
pub(super) fn echo(text: &str) -> String {
    let mut short: String = text.chars().take(ECHOED_CHARS_MAX).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("{short:?}")
}
